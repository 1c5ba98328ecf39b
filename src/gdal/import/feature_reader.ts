import type { AnyByteGeometry } from '../../geo/byte_geometry.ts'
import {
  type ColumnType,
  type FlatFeature,
  type FlatHeader,
  readFlatFeatures,
} from '../flatgeobuf/flat_reader.ts'
import { readFlatGeometry } from '../flatgeobuf/geometry_reader.ts'
import type { Value } from '../flatgeobuf/value.ts'
import type { FeatureFault } from './fit_geometry.ts'

/** A feature, with a fault of its geometry that was found while reading. */
export interface ReadFeature extends FlatFeature {
  readonly fault?: FeatureFault
}

/** Reads the features of an intermediate file. */
export interface FeatureReader {
  /** Yields all features in order; each is valid until the next. */
  all(): Iterable<ReadFeature>
  /** Reads the geometry of a feature without copying it if possible; undefined for a null geometry. */
  readGeometry(feature: FlatFeature): AnyByteGeometry | FeatureFault | undefined
  /** Calls `visit` for each property that is not null, in column order. */
  eachProperty(feature: FlatFeature, visit: (value: Value) => void): void
}

/** Creates the reader of a FlatGeobuf file. */
export function flatFeatureReader(path: string, header: FlatHeader): FeatureReader {
  return {
    all: () => readFlatFeatures(path, header),
    readGeometry: (feature) => readFlatGeometry(feature, header),
    eachProperty: (feature, visit) => eachFlatProperty(feature, header, visit),
  }
}

/** Sizes of values by type; values of other types start with their size. */
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
  // A single object is reused, since there are millions of values.
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
