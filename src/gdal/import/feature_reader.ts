import type { AnyByteGeometry } from '../../geo/byte_geometry.ts'
import {
  type ColumnType,
  type FlatFeature,
  type FlatHeader,
  readFlatFeatures,
} from '../flatgeobuf/flat_reader.ts'
import { readFlatGeometry } from '../flatgeobuf/geometry_reader.ts'
import type { Value } from '../flatgeobuf/value.ts'
import type { Misfit } from './fit_geometry.ts'

/** A feature, and what is already known to be wrong with its geometry. */
export interface ReadFeature extends FlatFeature {
  readonly fault?: Misfit
}

/** Reads the features of an intermediate file. */
export interface FeatureReader {
  /** Gives all features in order, each one valid until the next. */
  all(): Iterable<ReadFeature>
  /** Reads the geometry of a feature, in place; undefined where it has none. */
  readGeometry(feature: FlatFeature): AnyByteGeometry | undefined
  /** Calls back on each property that is not null, in the order of the columns. */
  eachProperty(feature: FlatFeature, visit: (value: Value) => void): void
}

/** Makes the reader of a FlatGeobuf file. */
export function flatFeatureReader(path: string, header: FlatHeader): FeatureReader {
  return {
    all: () => readFlatFeatures(path, header),
    readGeometry: (feature) => readFlatGeometry(feature, header),
    eachProperty: (feature, visit) => eachFlatProperty(feature, header, visit),
  }
}

/** Bytes of a value of each type; those of the others stand before them. */
const valueSizes: Readonly<Partial<Record<ColumnType, number>>> = {
  Byte: 1,
  UByte: 1,
  Bool: 1,
  Short: 2,
  UShort: 2,
  Int: 4,
  UInt: 4,
  Long: 8,
  ULong: 8,
  Float: 4,
  Double: 8,
}

function eachFlatProperty(
  feature: FlatFeature,
  { columns }: FlatHeader,
  visit: (value: Value) => void,
): void {
  if (feature.properties === 0) return
  const { bytes, view } = feature
  // One object for all: there are millions of values.
  const value = { bytes, view, column: 0, type: 'String' as ColumnType, at: 0, size: 0 }
  let at = feature.properties + 4
  const end = at + view.getUint32(feature.properties, true)
  while (at + 2 <= end) {
    value.column = view.getUint16(at, true)
    const column = columns[value.column]
    if (column === undefined) return
    value.type = column.type
    const size = valueSizes[column.type]
    value.at = size === undefined ? at + 6 : at + 2
    value.size = size ?? view.getUint32(at + 2, true)
    visit(value)
    at = value.at + value.size
  }
}
