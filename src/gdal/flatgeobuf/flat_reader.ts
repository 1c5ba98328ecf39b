import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { type Bytes, bytesOf } from '../../core/bytes.ts'
import { findField, findTarget, follow, readByte, readString, vectorLength } from './flatbuffer.ts'

/** Column types, by their number in the format. @see https://github.com/flatgeobuf/flatgeobuf header.fbs */
export const columnTypes = [
  'Byte',
  'UByte',
  'Bool',
  'Short',
  'UShort',
  'Int',
  'UInt',
  'Long',
  'ULong',
  'Float',
  'Double',
  'String',
  'Json',
  'DateTime',
  'Binary',
] as const

/** Type of a column. */
export type ColumnType = (typeof columnTypes)[number]

/** Header of a file. */
export interface FlatHeader {
  /** Number of the geometry type; 0 if each feature has its own. */
  readonly geometryType: number
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
  /** Offset of the first feature. */
  readonly offset: number
}

/** A feature in the read buffer; valid until the next one is read. */
export interface FlatFeature extends Bytes {
  /** Offset of the geometry table; 0 for a null geometry. */
  readonly geometry: number
  /** Offset of the vector of properties; 0 if there are none. */
  readonly properties: number
  /** Size of the feature in bytes. */
  readonly size: number
}

const windowBytes = 1 << 22

/** Reads the header of a FlatGeobuf file without a spatial index; undefined if it has not been written completely. */
export function findFlatHeader(path: string): FlatHeader | undefined {
  if (!existsSync(path)) return undefined
  const file = openSync(path, 'r')
  try {
    const start = readAt(file, 0, 12)
    if (start.bytes.length < 12) return undefined
    const size = start.view.getUint32(8, true)
    const header = readAt(file, 8, 4 + size)
    return header.bytes.length < 4 + size ? undefined : parseHeader(header, 12 + size)
  } finally {
    closeSync(file)
  }
}

function parseHeader(data: Bytes, offset: number): FlatHeader {
  const table = follow(data, 4)
  const vector = findTarget(data, table, 7)
  const columns = Array.from({ length: vectorLength(data, vector) }, (_, index) => {
    const column = follow(data, vector + 4 + 4 * index)
    return { name: readString(data, column, 0), type: columnTypes[readByte(data, column, 1)] ?? 'String' }
  })
  return { geometryType: readByte(data, table, 2), columns, offset }
}

function readAt(file: number, position: number, length: number): Bytes {
  const bytes = Buffer.alloc(length)
  return bytesOf(bytes.subarray(0, readSync(file, bytes, 0, length, position)))
}

/** Reads features one by one. Buffers at most a window of the file, or the largest feature. */
export interface FlatReader {
  /** Returns the next feature; undefined if it has not been written yet, or at the end of the file. */
  next(): FlatFeature | undefined
  close(): void
}

/** Opens a file, which may still be growing, at its first feature. */
export function openFlatReader(path: string, header: FlatHeader): FlatReader {
  const file = openSync(path, 'r')
  let data = bytesOf(Buffer.allocUnsafe(windowBytes))
  let position = header.offset
  let end = 0
  let at = 0
  return {
    next() {
      for (;;) {
        const size = end - at < 4 ? 4 : 4 + data.view.getUint32(at, true)
        if (end - at >= size && size > 4) {
          at += size
          return featureAt(data, at - size, size)
        }
        data = makeRoom(data, { at, end, size })
        end -= at
        at = 0
        const read = readSync(file, data.bytes, end, data.bytes.length - end, position)
        if (read === 0) return undefined
        position += read
        end += read
      }
    },
    close: () => closeSync(file),
  }
}

/** Reads all features of a complete file. */
export function* readFlatFeatures(path: string, header: FlatHeader): Generator<FlatFeature> {
  const reader = openFlatReader(path, header)
  try {
    for (let feature = reader.next(); feature !== undefined; feature = reader.next()) yield feature
  } finally {
    reader.close()
  }
}

function featureAt({ bytes, view }: Bytes, at: number, size: number): FlatFeature {
  const data = { bytes, view }
  const table = follow(data, at + 4)
  return { bytes, view, geometry: findTarget(data, table, 0), properties: findTarget(data, table, 1), size }
}

/** Moves the unread bytes to the start, in a larger buffer if the next feature needs one. */
function makeRoom(data: Bytes, { at, end, size }: { at: number; end: number; size: number }): Bytes {
  const target = size > data.bytes.length ? bytesOf(Buffer.allocUnsafe(2 * size)) : data
  data.bytes.copy(target.bytes, 0, at, end)
  return target
}

/** Returns the type of a geometry table, which is in the header if it is the same for all features. */
export function geometryTypeAt(data: Bytes, geometry: number, header: FlatHeader): number {
  return header.geometryType === 0 || findField(data, geometry, 6) !== 0
    ? readByte(data, geometry, 6)
    : header.geometryType
}
