import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { finished } from 'node:stream/promises'

/** One row that did not fit. */
export interface BadRow {
  /** Line of the source on which it ends, 1-based. */
  readonly line: number
  readonly reason: string
  readonly cells: readonly string[]
}

/** Where bad rows go. */
export interface Quarantine {
  readonly count: () => number
  /** The first few, for the report. */
  readonly first: () => readonly BadRow[]
  /** Absolute path of the file with the bad rows; undefined where there is none. */
  readonly file: () => string | undefined
  add(row: BadRow): Promise<void>
  /** Puts the file in its place, or removes an earlier one where no row was bad. May be called more than once. */
  close(): Promise<void>
}

const firstFew = 10

/** Opens a quarantine; without a file, rows are only counted. The file holds one JSON object a line. */
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
      if (first.length < firstFew) first.push(row)
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
  // A disk that fills up between two rows is reported when the file is closed.
  stream.on('error', () => undefined)
  return stream
}
