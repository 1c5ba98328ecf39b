import { type CopyRow, type CopyValue, readCopyRows, takeValue } from '../../core/copy_rows.ts'
import { GrowingBytes } from '../../core/growing_bytes.ts'
import type { Database } from '../../database/database.ts'
import type { ColumnForm, geojsonStatement } from '../../store/feature/export.ts'
import { type SpooledStreamOptions, streamSpooled } from '../spooled_stream.ts'

/** Features that are to be written, and what stands before them. */
export interface FeatureStream extends SpooledStreamOptions {
  readonly database: Database
  readonly rows: ReturnType<typeof geojsonStatement>
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
export function streamFeatures({ database, rows, names, start, ...options }: FeatureStream) {
  return streamSpooled(options, (spool, signal) =>
    database.transaction(
      async (tx) => {
        let sink = new GrowingBytes(2 * pieceBytes)
        // The spool keeps what it gets: the next piece has bytes of its own.
        const flush = async () => {
          const piece = sink.bytes.subarray(0, sink.at)
          sink = new GrowingBytes(2 * pieceBytes)
          await spool.write(piece)
        }
        // Whoever asks for the next piece is done with the one before.
        async function* flushed(pieces: AsyncIterable<Uint8Array>) {
          for await (const piece of pieces) {
            yield piece
            if (sink.at > pieceBytes) await flush()
          }
        }
        const write = featureWriter(names, rows.forms)
        let separator = Buffer.of()
        sink.take(Buffer.from(start))
        await readCopyRows(flushed(tx.copyOut(rows.text, rows.values, 'binary')), (row) => {
          sink.take(separator)
          separator = comma
          write(sink, row)
        })
        sink.take(Buffer.from(']}'))
        await flush()
      },
      { readOnly: true, signal },
    ),
  )
}

const comma = Buffer.from(',')
const nothing = Buffer.from('null')

/** Makes what writes a row as a feature. */
function featureWriter(names: readonly string[], forms: readonly ColumnForm[]) {
  const labels = names.map((name, at) => {
    const start = at === 0 ? ',"properties":{' : ','
    return { label: Buffer.from(`${start}${JSON.stringify(name)}:`), form: forms[at] ?? 'json' }
  })
  const columns = [
    { label: Buffer.from('{"type":"Feature","id":'), form: 'json' as const },
    { label: Buffer.from(',"geometry":'), form: 'json' as const },
    ...labels,
  ]
  const end = Buffer.from(names.length === 0 ? ',"properties":{}}' : '}}')
  return (sink: GrowingBytes, row: CopyRow): void => {
    for (const { label, form } of columns) {
      const { at, length } = takeValue(row)
      sink.take(label)
      if (length < 0) sink.take(nothing)
      else if (form === 'json') sink.take(row.bytes, at, at + length)
      else writeText(sink, { bytes: row.bytes, at, length })
    }
    sink.take(end)
  }
}

const quote = 0x22
const backslash = 0x5c
const firstPrintable = 0x20

/** Most bytes that a byte takes in a JSON text. */
const escapedBytes = 6

/** A text of UTF-8 where it stands. */
interface CopyText extends CopyValue {
  readonly bytes: Buffer
}

/** Writes a text of UTF-8 as a JSON text. */
function writeText(sink: GrowingBytes, { bytes: source, at: start, length }: CopyText): void {
  const end = start + length
  sink.reserve(2 + escapedBytes * length)
  const { bytes } = sink
  let { at } = sink
  bytes[at++] = quote
  for (let from = start; from < end; from += 1) {
    const byte = source[from] ?? 0
    if (byte >= firstPrintable && byte !== quote && byte !== backslash) bytes[at++] = byte
    else at += bytes.write(escapes[byte] ?? '', at, 'latin1')
  }
  bytes[at++] = quote
  sink.at = at
}

/** How the characters are written that may not stand in a JSON text. */
const escapes = Array.from({ length: backslash + 1 }, (_, byte) =>
  JSON.stringify(String.fromCharCode(byte)).slice(1, -1),
)
