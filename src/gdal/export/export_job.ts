import type { Datatype, GeometryParts } from '../../contract/geometry.ts'
import type { FormatLimits } from './loss.ts'

/**
 * What a child process is asked to write. Plain data: it crosses a process boundary. The rows come as a binary copy of
 * the id as `int8`, the geometry as EWKB, and the columns; dates and times as text.
 */
export interface ExportJob {
  readonly kind: 'export'
  /** Empty folder for the result and for intermediate files; its owner deletes it. */
  readonly folder: string
  /** Name of the file, or of the first of several. */
  readonly fileName: string
  /** Format, as GDAL calls it. */
  readonly driver: string
  /** Further options of the translation, as ogr2ogr takes them. */
  readonly options: readonly string[]
  readonly layerName: string
  /** EPSG code of the coordinates, which come as they are to be. */
  readonly srs: number
  readonly geometry: GeometryParts
  readonly columns: readonly JobColumn[]
  /** What the format cannot hold; all of it where absent. */
  readonly limits?: FormatLimits | undefined
}

/** A column of an export, in order. */
export interface JobColumn {
  readonly name: string
  readonly datatype: Datatype
}

/** Folder of the result, in the folder of the job. */
export const resultFolder = 'result'

/** What is said of an export once it is written. */
export interface ExportSummary {
  /** What the file could not hold, one sentence each. */
  readonly notes: readonly string[]
}
