import type { Bytes } from '../../core/bytes.ts'
import type { ColumnType } from './flat_reader.ts'

/** A property that is not null, where its value stands; valid until the next one. */
export interface Value extends Bytes {
  readonly column: number
  readonly type: ColumnType
  readonly at: number
  /** Bytes of the value. */
  readonly size: number
}

/** Reads a text of which only ASCII is of interest. */
export function readAscii({ bytes, at, size }: Value): string {
  return bytes.toString('latin1', at, at + size)
}

/** Reads a text. */
export function readText({ bytes, at, size }: Value): string {
  return bytes.toString('utf8', at, at + size)
}

/** Reads a double. */
export function readReal({ view, at, type }: Value): number {
  return type === 'Float' ? view.getFloat32(at, true) : view.getFloat64(at, true)
}

const integerPattern = /^\s*[-+]?\d{1,18}\s*$/

/** Reads a whole number of any column type; undefined where the value is none. */
export function readInteger(value: Value): number | bigint | undefined {
  const { view, at, type } = value
  switch (type) {
    case 'Byte':
      return view.getInt8(at)
    case 'UByte':
    case 'Bool':
      return view.getUint8(at)
    case 'Short':
      return view.getInt16(at, true)
    case 'UShort':
      return view.getUint16(at, true)
    case 'Int':
      return view.getInt32(at, true)
    case 'UInt':
      return view.getUint32(at, true)
    case 'Long':
      return view.getBigInt64(at, true)
    case 'ULong':
      return view.getBigUint64(at, true)
    case 'Float':
    case 'Double': {
      const real = readReal(value)
      return Number.isInteger(real) ? real : undefined
    }
    default: {
      const text = readText(value)
      return integerPattern.test(text) ? BigInt(text.trim()) : undefined
    }
  }
}
