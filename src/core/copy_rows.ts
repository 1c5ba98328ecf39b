import { type Bytes, bytesOf } from './bytes.ts'

/** Start of a binary COPY: signature, flags, no extension. */
export const copyHeader = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')

/** End of a binary COPY. */
export const copyTrailer = Buffer.from([0xff, 0xff])

/** A row where it stands: its values follow each other, each behind its length. Valid until the next one is read. */
export interface CopyRow extends Bytes {
  /** Where the next value stands. */
  at: number
  /** How many values are left. */
  left: number
  /** Where the row ends. */
  readonly end: number
}

/** A value where it stands: its first byte and its length; the length of null is -1. */
export interface CopyValue {
  readonly at: number
  readonly length: number
}

/** Number of values of what ends a copy. */
const trailerCount = -1

/**
 * Reads the rows of a binary copy that comes in pieces cut anywhere. What `use` gets is valid while it runs. No more
 * than a row and a piece are in memory.
 *
 * @see https://www.postgresql.org/docs/current/sql-copy.html Binary Format
 */
export async function readCopyRows(
  pieces: AsyncIterable<Uint8Array>,
  use: (row: CopyRow) => void,
): Promise<void> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  let neededBytes = copyHeader.length
  let hasBegun = false
  for await (const piece of pieces) {
    held.push(piece)
    heldBytes += piece.length
    if (heldBytes < neededBytes) continue
    const data = bytesOf(asOne(held, heldBytes))
    let at = 0
    if (!hasBegun) at = skipHeader(data.bytes)
    hasBegun = true
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
    held = [data.bytes.subarray(at)]
    heldBytes = data.bytes.length - at
  }
  throw new Error('the rows have no end')
}

/** Returns the rows of a binary copy that comes in pieces cut anywhere, without its start and its end. */
export async function* readCopyBody(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let toSkip = copyHeader.length
  let held: Uint8Array = Buffer.of()
  for await (const piece of pieces) {
    const skipped = Math.min(toSkip, piece.length)
    toSkip -= skipped
    const body = Buffer.concat([held, piece.subarray(skipped)])
    // What may be the end stays back until it is known that more comes.
    const end = Math.max(0, body.length - copyTrailer.length)
    held = body.subarray(end)
    if (end > 0) yield body.subarray(0, end)
  }
  if (!copyTrailer.equals(held)) throw new Error('the rows have no end')
}

/** Takes the next value of a row. */
export function takeValue(row: CopyRow): CopyValue {
  if (row.left <= 0) throw new Error('a row has too few values')
  const length = row.view.getInt32(row.at)
  const at = row.at + 4
  row.at = at + Math.max(length, 0)
  row.left -= 1
  return { at, length }
}

function asOne(pieces: readonly Uint8Array[], sizeBytes: number): Buffer {
  const [only] = pieces
  if (pieces.length === 1 && only !== undefined)
    return Buffer.from(only.buffer, only.byteOffset, only.byteLength)
  return Buffer.concat(pieces, sizeBytes)
}

function skipHeader(bytes: Buffer): number {
  if (!bytes.subarray(0, copyHeader.length).equals(copyHeader)) throw new Error('the rows are no binary copy')
  return copyHeader.length
}

/** Where a row ends; beyond the bytes where it is not whole, and then no further than is known. */
function endOfRow({ bytes, view }: Bytes, at: number): number {
  let end = at + 2
  if (end > bytes.length) return end
  for (let left = view.getInt16(at); left > 0; left -= 1) {
    if (end + 4 > bytes.length) return end + 4
    end += 4 + Math.max(view.getInt32(end), 0)
  }
  return end
}
