import type { Dataset, Layer } from 'gdal-async'
import type { Datatype, GeometryParts } from '../../contract/geometry.ts'
import type { WktCheck } from '../../geo/wkt_check.ts'
import type { ColumnType } from '../flatgeobuf/flat_reader.ts'
import type { Value } from '../flatgeobuf/value.ts'
import type { ColumnUse } from '../import/copy_row.ts'
import type { FeatureReader } from '../import/feature_reader.ts'
import type { SourceField } from '../runner/vector_job.ts'

/** A file to open, under a name that tells its format. */
export interface SourceFile {
  readonly path: string
  /** Name of the file as its owner called it. */
  readonly name: string
}

/** A layer of a source, however it is read. */
interface LayerFacts {
  readonly name: string
  /** Name of the format, as GDAL's drivers are called. */
  readonly format: string
  /**
   * Why coordinates of a layer without a reference system are longitude and latitude: its format says so, or it is
   * worth a try. Where absent, such a layer is refused.
   */
  readonly degrees?: 'declared' | 'guessed'
  /** Whether the geometry type that the layer declares says nothing about its features. */
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

/** Features that are read without GDAL, all of which were looked at when their layer was opened. */
export interface NativeFeatures {
  readonly fields: readonly SourceField[]
  /** How the values of the fields are stored. */
  readonly types: readonly ColumnType[]
  /** What the geometries are; undefined where they differ. */
  readonly geometry: GeometryParts | undefined
  readonly count: number
  /**
   * Opens the features, which come in a reference system.
   *
   * @param srs EPSG code
   */
  openReader(srs: number): FeatureReader
}

/** How the columns of a layer are read, where they are not plain fields of UTF-8. */
export interface SourceColumns {
  /** Columns that are read for something else than to become fields. */
  readonly uses?: ReadonlyMap<string, ColumnUse>
  /** Whether all values are texts, of which the meaning is to be found out. */
  readonly areTexts?: boolean
  /** Datatypes of the fields, in order, where all of them are read as texts. */
  readonly declared?: readonly Datatype[]
  /** How texts are read that are not UTF-8. */
  readonly texts?: TextReader
  /** Checks the texts that the geometries are made of. */
  readonly wkt?: WktCheck
  /** Tells whether whole numbers occur that 64 bits cannot hold: GDAL clamps them. */
  readonly isClamped?: () => boolean
}

/** What a format knows of a layer beyond what GDAL tells. */
export interface SourceCheck {
  /** Number of features, where GDAL counts those only that it can read. */
  readonly total?: number
  /** Counts the features while the layer is read, where counting takes reading. */
  count?(): Promise<number>
  /** Starts to explain why features have no geometry. */
  startReasons?(): GeometryReason
  /** Finds why the file breaks off; undefined where that is not known. */
  findFault?(): Promise<string | undefined>
  /** Tells what was assumed or left out, one sentence each; called once all features were read. */
  findNotes?(): string[]
  /** Compares what the file holds with what GDAL gives. */
  compare?(): Promise<Comparison>
  /** Opens a copy of the layer that GDAL gives exactly. */
  openExactly?(): SourceLayer
}

/** Explains why a feature has no geometry, by its number; called with rising numbers. */
export type GeometryReason = (number: number) => string | undefined

/** What was found by comparing a file with what GDAL gives of it. */
export interface Comparison {
  /** Number of features, whatever the file says elsewhere; undefined where they could not be counted. */
  readonly total?: number
  /** Whether GDAL may give something of it as something else. */
  readonly isDoubtful: boolean
}

/** Reads texts that are not UTF-8. */
export interface TextReader {
  readonly encoding: string
  /** Reads a text; undefined where it is not of the encoding. Where absent, texts are UTF-8 with U+FFFD in such places. */
  read?(value: Value): string | undefined
  /**
   * Reads the name of a field.
   *
   * @throws {Problem} source/unreadable where it cannot be read
   */
  readName(name: string): string
  /** Tells what was assumed. */
  findNote?(): string | undefined
  /**
   * To be called when all texts were read, and before they are read again.
   *
   * @throws {Problem} source/unreadable where they are UTF-8, and nobody says so
   */
  settle?(): void
}
