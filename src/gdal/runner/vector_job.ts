import type { Datatype, GeometryFamily, GeometryParts, GeometryType } from '../../contract/geometry.ts'
import type { ExportJob } from '../export/export_job.ts'
import type { RasterJob } from '../raster/raster_job.ts'

/** Job of a child process. */
export type Job = VectorJob | RasterJob | ExportJob

/** Rules for loading geometries and ids of a source into a layer; `null` derives a value from the data. */
export interface LoadRules {
  readonly family: GeometryFamily | null
  readonly isMulti: boolean | null
  readonly hasZ: boolean | null
  /** Skip geometries of other families than `family` instead of reporting them as bad. */
  readonly skipOthers: boolean
  readonly fix: 'NONE' | 'SAFE' | 'LOSSY'
  /** Skip bad features instead of rejecting the source. */
  readonly skipErrors: boolean
  readonly idSource: 'SEQUENCE' | 'FIELD' | 'AUTO'
  /** Names of possible id fields; the first that exists is used. */
  readonly idFields: readonly string[]
}

/** Job of a child process that reads a vector source. Plain data, since it crosses a process boundary. */
export interface VectorJob extends LoadRules {
  /** Path of the file, under any name. */
  readonly path: string
  /** Original file name; its extension may decide the format. */
  readonly name: string
  /** Empty folder for intermediate files; its owner deletes it. */
  readonly folder: string
  /** Character encoding of attributes, if the file does not declare it. */
  readonly encoding: string | undefined
  /** Layer to read, if there are several. */
  readonly layer: string | undefined
  /** Fields to convert to; the fields of the source if absent. */
  readonly wanted: WantedFields | undefined
  /** Keynames of the fields that identify a feature, to report the keys of bad features. */
  readonly key?: readonly string[] | undefined
  /** EPSG code of the resulting coordinates. */
  readonly srs: number
  /** Maximum size of an unpacked archive. */
  readonly unpackLimitBytes: number
  /** Approximate size of a chunk of rows in bytes. */
  readonly pieceBytes: number
}

/** Fields that a source is converted to. */
export interface WantedFields {
  /** Identified by the keynames that the fields of the source get. */
  readonly fields: readonly { readonly keyname: string; readonly datatype: Datatype }[]
  /** Whether to keep other fields of the source. */
  readonly keepsOthers: boolean
}

/** A field of a source, in order. */
export interface SourceField {
  readonly name: string
  readonly datatype: Datatype
}

/** A feature that cannot be loaded. */
export interface BadFeature {
  /** Position in the source, counted from 1. */
  readonly number: number
  readonly reason: string
  /** Whether its coordinates are invalid in the reference system. */
  readonly isMisplaced?: boolean
  /** Whether a string of it is in the wrong encoding. */
  readonly isMisencoded?: boolean
}

/** Keys of the bad features whose key can be read, up to a size. */
export interface BadKeys {
  /** Values as in a row, in Base64. */
  readonly values: readonly (readonly string[])[]
  /** Values as text, of features that GDAL does not translate. */
  readonly texts: readonly (readonly string[])[]
}

/** Values of a field that cannot be converted to the wanted datatype, in the data of `source/bad-features`. */
export interface WireUnconvertible {
  readonly keyname: string
  readonly from: Datatype
  readonly to: Datatype
  /** Number of these values. */
  readonly count: number
  /** The first of them. */
  readonly first: readonly UnconvertibleValue[]
}

/** A value that cannot be converted, and the position of its feature in the source. */
export interface UnconvertibleValue {
  readonly number: number
  readonly value: string
}

/** Maximum number of values of a field that errors name. */
export const maxNamedValues = 3

/** Columns of the rows: id, geometry, then the fields. */
export interface RowLayout {
  readonly geometryType: GeometryType
  /** Loaded fields with their resulting datatypes; without the field that became the id. */
  readonly fields: readonly SourceField[]
  /** Keynames of the fields. */
  readonly keynames: readonly string[]
  /** Number of rows that follow; undefined while the source is still being scanned. */
  readonly rowCount?: number
}

/** A layout as it crosses the process boundary. */
export type WireLayout = Omit<RowLayout, 'geometryType'> & { readonly geometry: GeometryParts }

/** Result of reading a source. */
export interface SourceSummary {
  readonly format: string
  readonly layer: string
  /** Whether ids come from a field of the source, so that they are the same in the next load. */
  readonly hasIds: boolean
  /** Rows that were sent in the last layout. */
  readonly rowCount: number
  /** Keynames of the fields that have a value in at least one row. An empty string is not a value. */
  readonly filledFields: readonly string[]
  /** Keynames of the fields that were not read, since only wanted fields are. */
  readonly otherFields: readonly string[]
  /** Number of features of other geometry families that were skipped. */
  readonly otherCount: number
  readonly badCount: number
  /** The first of them. */
  readonly bad: readonly BadFeature[]
  readonly badKeys: BadKeys
  /** Notes on assumptions and changes, one sentence each. */
  readonly notes: readonly string[]
}

/** A Problem as it crosses the process boundary. */
export interface WireProblem {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly detail?: string | undefined
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

/** Maximum number of bad features that are listed; the others are only counted. */
export const maxListedFeatures = 10

/** Maximum total size of the keys of bad features. */
export const maxKeyBytes = 1 << 20
