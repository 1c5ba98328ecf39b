import type { DirectFormatName, ExportEncoding, ExportFormatName } from '../../contract/export_formats.ts'
import type { Datatype, GeometryParts } from '../../contract/geometry.ts'

/** Name of a format that GDAL writes. */
export type GdalFormatName = Exclude<ExportFormatName, DirectFormatName>

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
  readonly format: GdalFormatName
  /** Encoding of the texts in the file. */
  readonly encoding: ExportEncoding
  readonly layerName: string
  /** EPSG code of the coordinates, which come as they are to be. */
  readonly srs: number
  readonly geometry: GeometryParts
  readonly columns: readonly JobColumn[]
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
