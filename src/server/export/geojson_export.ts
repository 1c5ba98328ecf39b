import { type Bytes, bytesOf } from '../../core/bytes.ts'
import { type CopyRow, readCopyRows, takeValue } from '../../core/copy_rows.ts'
import { GrowingBytes } from '../../core/growing_bytes.ts'
import type { ColumnForm } from '../../store/feature/export_rows.ts'
import { type Reading, readEach } from '../features/read_parts.ts'
import { type SpooledStreamOptions, streamSpooled } from '../stream/spooled_stream.ts'
import { writeJsonText } from './json_text.ts'

/** Features that are to be written, and what stands before them. */
export interface FeatureStream extends SpooledStreamOptions, Omit<Reading, 'signal'> {
  /** What the columns of the statements hold, the id and the geometry left out. */
  readonly forms: readonly ColumnForm[]
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
export function streamFeatures({ database, statements, forms, names, start, ...options }: FeatureStream) {
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
    const write = featureWriter(names, forms)
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
function featureWriter(names: readonly string[], forms: readonly ColumnForm[]) {
  const labels = names.map((name, at) => {
    const start = at === 0 ? ',"properties":{' : ','
    return { label: piece(`${start}${JSON.stringify(name)}:`), form: forms[at] ?? 'json' }
  })
  const columns = [
    { label: piece('{"type":"Feature","id":'), form: 'json' as const },
    { label: piece(',"geometry":'), form: 'json' as const },
    ...labels,
  ]
  const end = piece(names.length === 0 ? ',"properties":{}}' : '}}')
  return (sink: GrowingBytes, row: CopyRow): void => {
    for (const { label, form } of columns) {
      const { at, length } = takeValue(row)
      sink.take(label)
      if (length < 0) sink.take(nothing)
      else if (form === 'json') sink.take(row, at, at + length)
      else writeJsonText(sink, row, { at, length })
    }
    sink.take(end)
  }
}
