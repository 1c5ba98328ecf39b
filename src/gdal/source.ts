import type { Dataset, Layer } from 'gdal-async'

/** A layer of an open data set. */
export interface SourceLayer {
  readonly dataset: Dataset
  readonly layer: Layer
  /** The same layer, opened once more: to be counted while `layer` is read, where counting takes reading. */
  readonly twin?: Layer
  readonly name: string
  /** Name of the format, as GDAL's drivers are called. */
  readonly format: string
  /** Whether the format says that its coordinates are longitude and latitude. */
  readonly isLonLat: boolean
  /** Whether nothing says what its coordinates are, but longitude and latitude is worth a try. */
  readonly isGuessed: boolean
}
