import type { Dataset, Layer } from 'gdal-async'
import type { ColumnUse } from './row.ts'

/** A layer of an open data set. */
export interface SourceLayer {
  readonly dataset: Dataset
  readonly layer: Layer
  /** The same layer, opened once more: to be counted while `layer` is read, where counting takes reading. */
  readonly twin?: Layer
  /** Columns of `twin` that hold the geometries, as texts. */
  readonly positions?: readonly string[]
  readonly name: string
  /** Name of the format, as GDAL's drivers are called. */
  readonly format: string
  /** Whether the format says that its coordinates are longitude and latitude. */
  readonly isLonLat: boolean
  /** Fields that are read for something else than to become fields. */
  readonly hidden?: ReadonlyMap<string, ColumnUse>
  /** Whether all values are texts, and what they mean is to be found out. */
  readonly isText?: boolean
  /** Whether nothing says what its coordinates are, but longitude and latitude is worth a try. */
  readonly isGuessed: boolean
}
