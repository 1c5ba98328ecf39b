import { type Bytes, bytesOf } from './bytes.ts'

/** Start of a binary COPY: signature, flags, no extension. */
export const copyHeader = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')

/** End of a binary COPY. */
export const copyTrailer = Buffer.from([0xff, 0xff])

/** A row in place in a buffer: values with their lengths. Valid until the next row is read. */
export interface CopyRow extends Bytes {
  /** Offset of the next value. */
  at: number
  /** Number of remaining values. */
  left: number
  /** Offset of the end of the row. */
  readonly end: number
}

/** A value in place in a buffer: offset and length; the length of null is -1. */
export interface CopyValue {
  readonly at: number
  readonly length: number
}

/** Number of values that marks the end of a COPY. */
const trailerCount = -1

/**
 * Reads the rows of a binary COPY, split into arbitrary chunks. A row is valid only during the call of `use`. Holds at
 * most a row and a chunk in memory.
 *
 * @see https://www.postgresql.org/docs/current/sql-copy.html Binary Format
 */
export async function readCopyRows(
  chunks: AsyncIterable<Uint8Array>,
  use: (row: CopyRow) => void,
): Promise<void> {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let neededBytes = copyHeader.length
  let hasHeader = false
  for await (const chunk of chunks) {
    pending.push(chunk)
    pendingBytes += chunk.length
    if (pendingBytes < neededBytes) continue
    const data = bytesOf(concatenate(pending, pendingBytes))
    let at = 0
    if (!hasHeader) at = skipHeader(data.bytes)
    hasHeader = true
    for (;;) {
      const end = endOfRow(data, at)
      if (end > data.bytes.length) {
        neededBytes = end - at
        break
      }
      const left = data.view.getInt16(at)
      if (left === trailerCount) return
      use({ bytes: data.bytes, view: data.view, at: at + 2, left, end })
      at = end
    }
    pending = [data.bytes.subarray(at)]
    pendingBytes = data.bytes.length - at
  }
  throw new Error('the COPY data have no trailer')
}

/** Returns the rows of a binary COPY, split into arbitrary chunks, without header and trailer. */
export async function* readCopyBody(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let toSkip = copyHeader.length
  let pending: Uint8Array = Buffer.of()
  for await (const chunk of chunks) {
    const skipped = Math.min(toSkip, chunk.length)
    toSkip -= skipped
    const body = Buffer.concat([pending, chunk.subarray(skipped)])
    // Holds back what may be the trailer until more bytes follow.
    const end = Math.max(0, body.length - copyTrailer.length)
    pending = body.subarray(end)
    if (end > 0) yield body.subarray(0, end)
  }
  if (!copyTrailer.equals(pending)) throw new Error('the COPY data have no trailer')
}

/** Returns the next value of a row. */
export function takeValue(row: CopyRow): CopyValue {
  if (row.left <= 0) throw new Error('a row has too few values')
  const length = row.view.getInt32(row.at)
  const at = row.at + 4
  row.at = at + Math.max(length, 0)
  row.left -= 1
  return { at, length }
}

function concatenate(chunks: readonly Uint8Array[], sizeBytes: number): Buffer {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined)
    return Buffer.from(only.buffer, only.byteOffset, only.byteLength)
  return Buffer.concat(chunks, sizeBytes)
}

function skipHeader(bytes: Buffer): number {
  if (!bytes.subarray(0, copyHeader.length).equals(copyHeader))
    throw new Error('the data are not a binary COPY')
  return copyHeader.length
}

/** Returns the end of a row; beyond the buffer for an incomplete row, as far as its length is known. */
function endOfRow({ bytes, view }: Bytes, at: number): number {
  let end = at + 2
  if (end > bytes.length) return end
  for (let left = view.getInt16(at); left > 0; left -= 1) {
    if (end + 4 > bytes.length) return end + 4
    end += 4 + Math.max(view.getInt32(end), 0)
  }
  return end
}
