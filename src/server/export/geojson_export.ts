import { type Bytes, bytesOf } from '../../core/bytes.ts'
import { type CopyRow, type CopyValue, readCopyRows, takeValue } from '../../core/copy_rows.ts'
import { GrowingBytes } from '../../core/growing_bytes.ts'
import type { ColumnEncoding } from '../../store/feature/export_rows.ts'
import { type Reading, readEach } from '../features/read_parts.ts'
import { type SpooledStreamOptions, streamSpooled } from '../stream/spool.ts'

/** Features that are to be written, and what stands before them. */
export interface FeatureStream extends SpooledStreamOptions, Omit<Reading, 'signal'> {
  /** What the columns of the statements hold, the id and the geometry left out. */
  readonly encodings: readonly ColumnEncoding[]
  /** Names of the properties. */
  readonly names: readonly string[]
  /** The collection, up to its first feature. */
  readonly start: string
}

/** Bytes that leave together. */
const pieceBytes = 1 << 16

/**
 * Streams features as a GeoJSON collection, at the speed of the database, whatever the client does.
 *
 * @throws {Problem} database/*, and what the statement runs into before its first row
 */
export function streamFeatures({ database, statements, encodings, names, start, ...options }: FeatureStream) {
  return streamSpooled(options, async (spool, signal) => {
    let sink = new GrowingBytes(2 * pieceBytes)
    // The spool keeps what it gets: the next piece has bytes of its own.
    const flush = async () => {
      const written = sink.bytes.subarray(0, sink.at)
      sink = new GrowingBytes(2 * pieceBytes)
      await spool.write(written)
    }
    // Whoever asks for the next piece is done with the one before.
    async function* flushed(pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        yield piece
        if (sink.at > pieceBytes) await flush()
      }
    }
    const write = featureWriter(names, encodings)
    let separator = piece('')
    sink.take(piece(start))
    await readEach({ database, statements, signal }, (tx, { text, values }) =>
      readCopyRows(flushed(tx.copyOut(text, values, 'binary')), (row) => {
        sink.take(separator)
        separator = comma
        write(sink, row)
      }),
    )
    sink.take(piece(']}'))
    await flush()
  })
}

/** Bytes of a text that is written again and again. */
const piece = (text: string): Bytes => bytesOf(Buffer.from(text))

const comma = piece(',')
const nothing = piece('null')

/** Makes what writes a row as a feature. */
function featureWriter(names: readonly string[], encodings: readonly ColumnEncoding[]) {
  const labels = names.map((name, at) => {
    const start = at === 0 ? ',"properties":{' : ','
    return { label: piece(`${start}${JSON.stringify(name)}:`), encoding: encodings[at] ?? 'json' }
  })
  const columns = [
    { label: piece('{"type":"Feature","id":'), encoding: 'json' as const },
    { label: piece(',"geometry":'), encoding: 'json' as const },
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

/** Most bytes that a byte takes in a JSON text. */
const escapedBytes = 6

/**
 * Writes a text of UTF-8 as a JSON text.
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
    // Hardly a text has characters that are escaped: four at once, until there may be one.
    for (const last = end - 4; from <= last; from += 4, at += 4) {
      const four = source.view.getInt32(from)
      if (needsCare(four)) break
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
 * Tells whether one of four bytes is escaped.
 *
 * @see https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
 */
function needsCare(four: number): boolean {
  const quotes = four ^ (quote * each)
  const backslashes = four ^ (backslash * each)
  const controls = (four - firstPrintable * each) & ~four
  return ((controls | ((quotes - each) & ~quotes) | ((backslashes - each) & ~backslashes)) & highest) !== 0
}

/** How the characters are written that may not stand in a JSON text. */
const escapes = Array.from({ length: backslash + 1 }, (_, byte) =>
  JSON.stringify(String.fromCharCode(byte)).slice(1, -1),
)
