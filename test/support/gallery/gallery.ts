import { fillEntries } from './fill_entries.ts'
import type { GalleryEntry } from './gallery_entry.ts'
import { groupEntries } from './group_entries.ts'
import { heatmapEntries } from './heatmap_entries.ts'
import { labelEntries } from './label_entries.ts'
import { lineEntries } from './line_entries.ts'
import { markerEntries } from './marker_entries.ts'
import { rendererEntries } from './renderer_entries.ts'

/** QML files that QGIS and our renderer draw. */
export const gallery: readonly GalleryEntry[] = [
  ...markerEntries,
  ...lineEntries,
  ...fillEntries,
  ...rendererEntries,
  ...heatmapEntries,
  ...groupEntries,
  ...labelEntries,
]
