import { type Bytes, bytesOf } from '../../core/bytes.ts'
import { type CopyRow, type CopyValue, readCopyRows, takeValue } from '../../core/copy_rows.ts'
import { GrowingBytes } from '../../core/growing_bytes.ts'
import type { ColumnEncoding } from '../../store/feature/export_rows.ts'
import { type Reading, readEach } from '../features/read_parts.ts'
import { type SpooledStreamOptions, streamSpooled } from '../stream/spool.ts'

/** Features to write as GeoJSON, and the start of the collection. */
export interface FeatureStream extends SpooledStreamOptions, Omit<Reading, 'signal'> {
  /** Encodings of the columns, without id and geometry. */
  readonly encodings: readonly ColumnEncoding[]
  /** Names of the properties. */
  readonly names: readonly string[]
  /** Text of the collection before the first feature. */
  readonly start: string
  /** Start of the ids, which are strings then. */
  readonly idPrefix?: string | undefined
}

/** Size of a chunk in bytes. */
const pieceBytes = 1 << 16

/**
 * Streams features as a GeoJSON collection. A slow client does not slow down the database.
 *
 * @throws {Problem} database/*, for errors before the first row
 */
export function streamFeatures(stream: FeatureStream) {
  const { database, statements, most, start, ...options } = stream
  return streamSpooled(options, async (spool, signal) => {
    let sink = new GrowingBytes(2 * pieceBytes)
    // The spool keeps the bytes it gets, so the next chunk needs new ones.
    const flush = async () => {
      const written = sink.bytes.subarray(0, sink.at)
      sink = new GrowingBytes(2 * pieceBytes)
      await spool.write(written)
    }
    // When the consumer requests the next piece, it has processed the one before.
    async function* flushed(pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        yield piece
        if (sink.at > pieceBytes) await flush()
      }
    }
    const write = featureWriter(stream)
    let separator = piece('')
    sink.take(piece(start))
    await readEach({ database, statements, most, signal }, (tx, { text, values }) =>
      readCopyRows(flushed(tx.copyOut(text, values, { format: 'binary' })), (row) => {
        sink.take(separator)
        separator = comma
        write(sink, row)
      }),
    )
    sink.take(piece(']}'))
    await flush()
  })
}

/** Encodes a string that is written for every feature. */
const piece = (text: string): Bytes => bytesOf(Buffer.from(text))

const comma = piece(',')
const nothing = piece('null')

/** Creates a function that writes a row as a feature. */
function featureWriter({
  names,
  encodings,
  idPrefix,
}: Pick<FeatureStream, 'names' | 'encodings' | 'idPrefix'>) {
  const labels = names.map((name, at) => {
    const start = at === 0 ? ',"properties":{' : ','
    return { label: piece(`${start}${JSON.stringify(name)}:`), encoding: encodings[at] ?? 'json' }
  })
  const [idStart, idEnd] = idPrefix === undefined ? ['', ''] : [JSON.stringify(idPrefix).slice(0, -1), '"']
  const columns = [
    { label: piece(`{"type":"Feature","id":${idStart}`), encoding: 'json' as const },
    { label: piece(`${idEnd},"geometry":`), encoding: 'json' as const },
    ...labels,
  ]
  const end = piece(names.length === 0 ? ',"properties":{}}' : '}}')
  return (sink: GrowingBytes, row: CopyRow): void => {
    for (const { label, encoding } of columns) {
      const { at, length } = takeValue(row)
      sink.take(label)
      if (length < 0) sink.take(nothing)
      else if (encoding === 'json') sink.take(row, at, at + length)
      else writeJsonText(sink, row, { at, length })
    }
    sink.take(end)
  }
}

const quote = 0x22
const backslash = 0x5c
const firstPrintable = 0x20

/** Maximum size of a byte in a JSON string: `\\u001f`. */
const escapedBytes = 6

/**
 * Writes UTF-8 as a JSON string.
 *
 * @see RFC 8259 clause 7
 */
export function writeJsonText(sink: GrowingBytes, source: Bytes, { at: start, length }: CopyValue): void {
  const end = start + length
  sink.reserve(2 + escapedBytes * length)
  const { bytes, view } = sink
  let { at } = sink
  let from = start
  bytes[at++] = quote
  while (from < end) {
    // Most strings need no escapes: copy four bytes at once until one may need it.
    for (const last = end - 4; from <= last; from += 4, at += 4) {
      const four = source.view.getInt32(from)
      if (needsEscape(four)) break
      view.setInt32(at, four)
    }
    for (const stop = Math.min(from + 4, end); from < stop; from += 1) {
      const byte = source.bytes[from] ?? 0
      if (byte >= firstPrintable && byte !== quote && byte !== backslash) bytes[at++] = byte
      else at += bytes.write(escapes[byte] ?? '', at, 'latin1')
    }
  }
  bytes[at++] = quote
  sink.at = at
}

const each = 0x0101_0101
const highest = 0x8080_8080

/**
 * Tells whether one of four bytes needs an escape.
 *
 * @see https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
 */
function needsEscape(four: number): boolean {
  const quotes = four ^ (quote * each)
  const backslashes = four ^ (backslash * each)
  const controls = (four - firstPrintable * each) & ~four
  return ((controls | ((quotes - each) & ~quotes) | ((backslashes - each) & ~backslashes)) & highest) !== 0
}

/** Escape sequences by character code. */
const escapes = Array.from({ length: backslash + 1 }, (_, byte) =>
  JSON.stringify(String.fromCharCode(byte)).slice(1, -1),
)
