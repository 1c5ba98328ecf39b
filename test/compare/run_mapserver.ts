import { execFileSync } from 'node:child_process'
import { readMapserverXml } from '../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver/mapserver_style.ts'
import { type GalleryData, smallData } from '../support/gallery/gallery_data.ts'
import { type MapserverEntry, shapeDefinitions } from '../support/gallery/mapserver_entries.ts'
import type { Plate } from './plates.ts'

/** A plate with a style in MapServer XML. */
export interface MapserverPlate extends Plate {
  readonly entry: MapserverEntry
}

/** Returns the plates of an entry: over its small geometries, and over the data of the same family. */
export function mapserverPlatesOf(entry: MapserverEntry, data: readonly GalleryData[]): MapserverPlate[] {
  const { name, group, family, layer, blockSize = 1 } = entry
  const { style, issues } = readMapserverXml(`<map><layer>${layer}</layer>${shapeDefinitions}</map>`, name)
  if (style === undefined) throw new Error(`${name}: ${issues.map(({ message }) => message).join(', ')}`)
  const model = styleOfMapserver(style, family)
  return [smallData(family), ...data.filter((one) => one.family === family)].map((one) => ({
    ...{ name, group, data: one, background: [255, 255, 255], blockSize, style: model, issues, entry },
  }))
}

/** Returns the version of MapServer. */
export function mapserverVersion(): string {
  const [, version = ''] =
    /version ([\d.]+)/.exec(execFileSync('mapserv', ['-v'], { encoding: 'utf8' })) ?? []
  return version
}
