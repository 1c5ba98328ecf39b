import type { Dataset, Layer } from 'gdal-async'
import type { Datatype, GeometryParts } from '../../contract/geometry.ts'
import type { WktCheck } from '../../geo/wkt_check.ts'
import type { ColumnType } from '../flatgeobuf/flat_reader.ts'
import type { Value } from '../flatgeobuf/value.ts'
import type { ColumnUse } from '../import/copy_row.ts'
import type { FeatureReader } from '../import/feature_reader.ts'
import type { SourceField } from '../runner/vector_job.ts'

/** A file to open, with the extension of its format. */
export interface SourceFile {
  readonly path: string
  /** Original file name. */
  readonly name: string
}

/** A layer of a source, however it is read. */
interface LayerFacts {
  readonly name: string
  /** Name of the GDAL driver. */
  readonly format: string
  /**
   * Why a layer without a reference system has longitude and latitude: its format defines it, or it is assumed. If absent,
   * such a layer is rejected.
   */
  readonly degrees?: 'declared' | 'guessed'
  /** Whether the declared geometry type of the layer is meaningless. */
  readonly isUntyped?: boolean
  readonly columns?: SourceColumns
  readonly check?: SourceCheck
}

/** A layer of an open data set of GDAL. */
export interface SourceLayer extends LayerFacts {
  readonly dataset: Dataset
  readonly layer: Layer
}

/** A layer that is read without GDAL. */
export interface NativeLayer extends LayerFacts {
  readonly native: NativeFeatures
}

/** A layer of either kind. */
export type AnySourceLayer = SourceLayer | NativeLayer

/** Features that are read without GDAL, all of which were scanned when their layer was opened. */
export interface NativeFeatures {
  readonly fields: readonly SourceField[]
  /** How the values of the fields are stored. */
  readonly types: readonly ColumnType[]
  /** Geometry type; undefined if there are several families. */
  readonly geometry: GeometryParts | undefined
  readonly count: number
  /**
   * Opens the features, which are reprojected.
   *
   * @param srs EPSG code
   */
  openReader(srs: number): FeatureReader
}

/** How to read columns that are not plain fields in UTF-8. */
export interface SourceColumns {
  /** Columns that do not become fields. */
  readonly uses?: ReadonlyMap<string, ColumnUse>
  /** Whether all values are strings whose datatypes are guessed. */
  readonly infersDatatypes?: boolean
  /** Datatypes of the fields, in order, if all of them are read as strings. */
  readonly declared?: readonly Datatype[]
  /** Reader of strings that are not UTF-8. */
  readonly strings?: StringReader
  /** Checks the strings that geometries are parsed from. */
  readonly wkt?: WktCheck
  /** Whether timestamps are stored as floating-point numbers, so that they are rounded to seconds. */
  readonly roundsTimes?: boolean
  /** Tells whether the file has integers beyond 64 bits, which GDAL clamps. */
  readonly isClamped?: () => boolean
}

/** Checks of a layer by its format, in addition to those of GDAL. */
export interface SourceCheck {
  /** Number of features, if GDAL counts only readable ones. */
  readonly total?: number
  /** Counts the features while the layer is read, if counting requires reading. */
  count?(): Promise<number>
  /** Creates a function that explains why features have no geometry. */
  startReasons?(): GeometryReason
  /** Finds why the file is truncated; undefined if unknown. */
  findFault?(): Promise<string | undefined>
  /** Lists assumptions and omissions, one sentence each; called after all features were read. */
  findNotes?(): string[]
  /** Compares the content of the file with what GDAL reads. */
  compare?(): Promise<Comparison>
  /** Opens a copy of the layer that GDAL reads exactly. */
  openExactly?(): SourceLayer
}

/** Explains why a feature has no geometry, by its number; called in ascending order. */
export type GeometryReason = (number: number) => string | undefined

/** Result of comparing a file with what GDAL reads from it. */
export interface Comparison {
  /** Counted number of features; undefined if they could not be counted. */
  readonly total?: number
  /** Whether GDAL may change some of its values. */
  readonly isDoubtful: boolean
}

/** Reads strings that are not UTF-8. */
export interface StringReader {
  readonly encoding: string
  /** Decodes a string; undefined if it is invalid in the encoding. If absent, strings are UTF-8 with U+FFFD for errors. */
  read?(value: Value): string | undefined
  /**
   * Reads the name of a field.
   *
   * @throws {Problem} source/unreadable if it cannot be decoded
   */
  readName(name: string): string
  /** Returns a note on assumptions. */
  findNote?(): string | undefined
  /**
   * Called after all strings were read, and before they are read again.
   *
   * @throws {Problem} source/unreadable if they are UTF-8 although another encoding is declared
   */
  settle?(): void
}
