import type { Dataset, Layer } from 'gdal-async'
import type { Datatype } from '../../contract/geometry.ts'
import type { WktCheck } from '../../geo/wkt_check.ts'
import type { ColumnUse } from '../import/copy_row.ts'
import type { BadFeature } from '../runner/vector_job.ts'
import type { TextReader } from './shapefile/dbf_text.ts'

/** A file to open, under a name that tells its format. */
export interface SourceFile {
  readonly path: string
  /** Name of the file as its owner called it. */
  readonly name: string
}

/** A layer of an open data set. */
export interface SourceLayer {
  readonly dataset: Dataset
  readonly layer: Layer
  /** The same layer, opened once more: to be counted while `layer` is read, where counting takes reading. */
  readonly twin?: Layer
  /** How the texts are looked at that its geometries are made of. */
  readonly wkt?: WktCheck
  /** Columns of `twin` that hold the geometries, as texts. */
  readonly positions?: readonly string[]
  readonly name: string
  /** Name of the format, as GDAL's drivers are called. */
  readonly format: string
  /** Whether the format says that its coordinates are longitude and latitude. */
  readonly isLonLat: boolean
  /** Fields that are read for something else than to become fields. */
  readonly hidden?: ReadonlyMap<string, ColumnUse>
  /** How its texts are read, where they are not UTF-8. */
  readonly texts?: TextReader
  /** What the file was in before it was recoded: U+FFFD in its texts is what was no text of that encoding. */
  readonly recodedFrom?: string | undefined
  /** What its fields are, in order, where all of them are read as texts. */
  readonly declared?: readonly Datatype[]
  /** Tells whether it holds whole numbers that 64 bits do not: GDAL makes the largest of them that they do. */
  readonly hasHugeNumbers?: () => boolean
  /** How many features there are to be, where GDAL counts only those that it can read. */
  readonly total?: number
  /** Features whose geometries were left out, in order, and why. */
  readonly broken?: readonly BadFeature[]
  /** Whether positions have more than three numbers. */
  readonly hasLongPositions?: boolean
  /** Finds why it breaks off; undefined where that is not known. */
  readonly findFault?: () => Promise<string | undefined>
  /** Whether all values are texts, and what they mean is to be found out. */
  readonly isText?: boolean
  /** Whether nothing says what its coordinates are, but longitude and latitude is worth a try. */
  readonly isGuessed: boolean
}
