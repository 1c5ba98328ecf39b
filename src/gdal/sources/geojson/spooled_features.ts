import type { Datatype } from '../../../contract/geometry.ts'
import type { ColumnType, FlatFeature } from '../../flatgeobuf/flat_reader.ts'
import type { Value } from '../../flatgeobuf/value.ts'
import type { FeatureReader } from '../../import/feature_reader.ts'
import { misplaced } from '../missing.ts'
import { valueFormats, valueHeaderBytes } from './property_parser.ts'
import type { Reproject } from './reproject.ts'
import { featureAt, isUnsorted, readSpool, readSpooledGeometry } from './spool_reader.ts'

/** A spool file, and how to read it. */
export interface SpoolColumns {
  readonly path: string
  /** Columns that become fields, in order, with their datatypes. */
  readonly fields: readonly { readonly column: number; readonly datatype: Datatype }[]
  readonly reproject: Reproject
}

const numbers: ReadonlySet<Datatype> = new Set(['INTEGER', 'BIGINT', 'REAL'])

/** Creates the reader of the features of a spool file. */
export function spooledFeatureReader({ path, fields, reproject }: SpoolColumns): FeatureReader {
  const ranks = new Int32Array(1 << 16).fill(-1)
  for (const [rank, { column }] of fields.entries()) ranks[column] = rank
  const isInOrder = fields.every(({ column }, rank) => column === rank + 1)
  const areNumbers = fields.map(({ datatype }) => numbers.has(datatype))
  const places = new Int32Array(fields.length)
  const visitAt = (value: MutableValue, at: number, visit: (value: Value) => void) => {
    const form = value.bytes[at + 2]
    value.column = ranks[value.view.getUint16(at, true)] as number
    if (form === valueFormats.none || value.column < 0) return
    pointValue(value, { at: at + valueHeaderBytes, form, isNumber: areNumbers[value.column] as boolean })
    visit(value)
  }
  return {
    *all() {
      for (const piece of readSpool(path)) {
        const failed = reproject(piece)
        for (const start of piece.starts) {
          const feature = featureAt(piece, start)
          yield failed.has(start) ? { fault: misplaced, ...feature } : feature
        }
      }
    },
    readGeometry: readSpooledGeometry,
    eachProperty(feature, visit) {
      const { bytes, view } = feature
      // A single object is reused, since there are millions of values.
      const value: MutableValue = { bytes, view, column: 0, type: 'String', at: 0, size: 0 }
      if (isInOrder && !isUnsorted(feature)) {
        eachValueAt(feature, (at) => visitAt(value, at, visit))
        return
      }
      // The last value of a repeated property counts.
      places.fill(-1)
      eachValueAt(feature, (at) => {
        places[ranks[view.getUint16(at, true)] as number] = at
      })
      for (const at of places) if (at >= 0) visitAt(value, at, visit)
    },
  }
}

type MutableValue = { -readonly [K in keyof Value]: Value[K] }

interface StoredValue {
  readonly at: number
  readonly form: number | undefined
  readonly isNumber: boolean
}

/** Points a value to the stored number, or to the number as it is written. */
function pointValue(value: MutableValue, { at, form, isNumber }: StoredValue): void {
  const isString = form === valueFormats.string
  if (isNumber && !isString) {
    value.type = numberTypes[form as 0 | 1]
    value.at = at
    value.size = 8
  } else {
    value.type = 'String'
    value.at = isString ? at + 4 : at + 12
    value.size = value.view.getUint32(value.at - 4, true)
  }
}

const numberTypes: Readonly<Record<0 | 1, ColumnType>> = { 0: 'Double', 1: 'Long' }

/** Calls `visit` with the position of each value of a feature. */
function eachValueAt({ bytes, view, properties }: FlatFeature, visit: (at: number) => void): void {
  let at = properties + 4
  const end = at + view.getUint32(properties, true)
  while (at < end) {
    visit(at)
    const form = bytes[at + 2]
    at += valueHeaderBytes
    if (form === valueFormats.none) continue
    if (form !== valueFormats.string) at += 8
    at += 4 + view.getUint32(at, true)
  }
}
