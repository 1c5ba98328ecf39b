import type { Datatype, GeometryFamily, GeometryParts, GeometryType } from '../../contract/geometry.ts'
import type { ExportJob } from '../export/export_job.ts'
import type { RasterJob } from '../raster/raster_job.ts'

/** Whatever a child process is asked to do. */
export type Job = VectorJob | RasterJob | ExportJob

/** How the geometries and ids of a source become those of a layer; `null` takes what the data is. */
export interface LoadRules {
  readonly family: GeometryFamily | null
  readonly isMulti: boolean | null
  readonly hasZ: boolean | null
  /** Leave out geometries of other families than `family`, instead of calling them bad. */
  readonly skipOthers: boolean
  readonly fix: 'NONE' | 'SAFE' | 'LOSSY'
  /** Leave bad features out, instead of refusing the source. */
  readonly skipErrors: boolean
  readonly idSource: 'SEQUENCE' | 'FIELD' | 'AUTO'
  /** Names of fields that may hold the ids; the first that exists is taken. */
  readonly idFields: readonly string[]
}

/** What a child process is asked to read. Plain data: it crosses a process boundary. */
export interface VectorJob extends LoadRules {
  /** The file, wherever it stands and whatever its name. */
  readonly path: string
  /** Name of the file as its owner called it; its extension may tell the format. */
  readonly name: string
  /** Empty folder for intermediate files; its owner deletes it. */
  readonly folder: string
  /** Character encoding of attributes, where the file does not say. */
  readonly encoding: string | undefined
  /** Layer to take, where there are several. */
  readonly layer: string | undefined
  /** What the fields are to become; what they are where absent. */
  readonly wanted: WantedFields | undefined
  /** EPSG code the coordinates are to be in. */
  readonly srs: number
  /** Most bytes an archive may unpack to. */
  readonly unpackLimitBytes: number
  /** About how many bytes of rows make a piece. */
  readonly pieceBytes: number
}

/** Fields that a source is to have. */
export interface WantedFields {
  /** By the keynames that the fields of the source get. */
  readonly fields: readonly { readonly keyname: string; readonly datatype: Datatype }[]
  /** Whether the source may have others as well; else they are left out. */
  readonly keepsOthers: boolean
}

/** A field of a source, in order. */
export interface SourceField {
  readonly name: string
  readonly datatype: Datatype
}

/** A feature that cannot be loaded. */
export interface BadFeature {
  /** Place in the source, counted from 1. */
  readonly number: number
  readonly reason: string
  /** Whether its coordinates cannot be those of the reference system. */
  readonly isMisplaced?: boolean
  /** Whether a text of it is in another encoding than it should be. */
  readonly isText?: boolean
}

/** What rows are: id, geometry, then the fields. */
export interface RowLayout {
  readonly geometryType: GeometryType
  /** Those that are loaded, as what they are loaded: without the one that became the id. */
  readonly fields: readonly SourceField[]
  /** Keynames of the fields. */
  readonly keynames: readonly string[]
  /** How many rows follow; undefined where the source is still looked at. */
  readonly rowCount?: number
}

/** A layout as it crosses the process boundary. */
export type WireLayout = Omit<RowLayout, 'geometryType'> & { readonly geometry: GeometryParts }

/** What is known of a source once all of it was looked at. */
export interface SourceSummary {
  readonly format: string
  readonly layer: string
  /** Whether ids come from a field of the source: the same feature has the same id when it comes again. */
  readonly hasIds: boolean
  /** Rows that were sent in the last layout. */
  readonly rowCount: number
  /** Features of other geometry families, left out on request. */
  readonly otherCount: number
  readonly badCount: number
  /** The first of them. */
  readonly bad: readonly BadFeature[]
  /** What was assumed, one sentence each. */
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

/** How many bad features are told apart; the others are counted. */
export const toldBadFeatures = 10
