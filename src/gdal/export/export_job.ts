import type {
  DirectFormatName,
  ExportEncoding,
  ExportFormatName,
} from '../../contract/formats/export_formats.ts'
import type { Datatype, GeometryParts } from '../../contract/geometry.ts'

/** Name of a format that GDAL writes. */
export type GdalFormatName = Exclude<ExportFormatName, DirectFormatName>

/**
 * Job of a child process that exports a layer. Plain data, since it crosses a process boundary. The rows are a binary COPY
 * stream of the id as `int8`, the geometry as EWKB, and the columns, with dates and times as strings.
 */
export interface ExportJob {
  readonly kind: 'export'
  /** Empty folder for the result and for intermediate files; its owner deletes it. */
  readonly folder: string
  /** Name of the file, or of the first of several. */
  readonly fileName: string
  readonly format: GdalFormatName
  /** Character encoding of the file. */
  readonly encoding: ExportEncoding
  readonly layerName: string
  /** EPSG code of the coordinates, which are not transformed. */
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

/** Result of an export. */
export interface ExportSummary {
  /** What the file cannot represent, one sentence each. */
  readonly notes: readonly string[]
}
