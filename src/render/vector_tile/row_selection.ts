import type { Importance } from './importance.ts'
import type { TileGrid } from './tile_grid.ts'
import type { FilteredLayer } from './tile_source.ts'

/** The part of a layer to select. */
export interface RowSelection {
  readonly layer: FilteredLayer
  readonly grid: TileGrid
  /** Whether the database clips large geometries, which may fail for invalid ones. */
  readonly clips: boolean
  /** Whether polygons of a dense layer that are smaller than a cell are drawn as its square, so that areas stay filled. @default false */
  readonly fillsCells?: boolean
  /** Maximum number of points and small geometries, and of all features. */
  readonly limits: { readonly small: number; readonly features: number }
  /** Which features are kept where the layer is thinned; by default large ones, and points that are drawn last. */
  readonly importance?: Importance | undefined
}
