import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'

/** A row that failed a check. */
export interface BadRow {
  /** Line number of the end of the row in the source, 1-based. */
  readonly line: number
  readonly reason: string
  readonly cells: readonly string[]
}

/** Collects bad rows. */
export interface Quarantine {
  readonly count: () => number
  /** First bad rows, for the report. */
  readonly first: () => readonly BadRow[]
  /** Absolute path of the file with the bad rows; undefined if none was written. */
  readonly file: () => string | undefined
  add(row: BadRow): Promise<void>
  /** Completes the file, or removes an earlier one if no row was bad. Idempotent. */
  close(): Promise<void>
}

const maxExamples = 10

/** Opens a quarantine file with one JSON object per line; without a file, bad rows are only counted. */
export function openQuarantine(file: string | undefined): Quarantine {
  const first: BadRow[] = []
  let count = 0
  let stream: WriteStream | undefined
  let closing: Promise<void> | undefined
  const partial = `${file}.partial`
  const closeFile = async (path: string) => {
    if (stream === undefined) return rm(path, { force: true })
    stream.end()
    await finished(stream)
    await rename(partial, path)
  }
  return {
    count: () => count,
    first: () => first,
    file: () => (stream === undefined ? undefined : file),
    async add(row) {
      count += 1
      if (first.length < maxExamples) first.push(row)
      if (file === undefined) return
      stream ??= await openStream(partial)
      if (!stream.write(`${JSON.stringify(row)}\n`)) await once(stream, 'drain')
    },
    async close() {
      if (file === undefined) return
      closing ??= closeFile(file)
      await closing
    },
  }
}

async function openStream(path: string): Promise<WriteStream> {
  await mkdir(dirname(path), { recursive: true })
  const stream = createWriteStream(path)
  await once(stream, 'open')
  // A disk that fills up between two rows is reported by `close`.
  stream.on('error', () => undefined)
  return stream
}
