import type { Bytes } from '../../core/bytes.ts'
import type { ColumnType } from './flat_reader.ts'

/** A property value that is not null, in the read buffer; valid until the next one is read. */
export interface Value extends Bytes {
  readonly column: number
  readonly type: ColumnType
  readonly at: number
  /** Size of the value in bytes. */
  readonly size: number
}

/** Reads a string whose non-ASCII characters do not matter. */
export function readAscii({ bytes, at, size }: Value): string {
  return bytes.toString('latin1', at, at + size)
}

/** Reads a string. */
export function readString({ bytes, at, size }: Value): string {
  return bytes.toString('utf8', at, at + size)
}

/** Reads a double. */
export function readReal({ view, at, type }: Value): number {
  return type === 'Float' ? view.getFloat32(at, true) : view.getFloat64(at, true)
}

const integerPattern = /^\s*[-+]?\d{1,18}\s*$/

/** Reads an integer from any column type; undefined if the value is not an integer. */
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
      const text = readString(value)
      return integerPattern.test(text) ? BigInt(text.trim()) : undefined
    }
  }
}
