import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

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
  add(row: BadRow): Promise<void>
  /** Puts the file in its place, or leaves none where no row was bad. */
  close(): Promise<void>
}

const firstFew = 10

/** Opens a quarantine; without a file, rows are only counted. The file holds one JSON object a line. */
export function openQuarantine(file: string | undefined): Quarantine {
  const first: BadRow[] = []
  let count = 0
  let stream: WriteStream | undefined
  const partial = `${file}.partial`
  return {
    count: () => count,
    first: () => first,
    async add(row) {
      count += 1
      if (first.length < firstFew) first.push(row)
      if (file === undefined) return
      stream ??= await openStream(partial)
      if (!stream.write(`${JSON.stringify(row)}\n`)) await once(stream, 'drain')
    },
    async close() {
      if (file === undefined) return
      await rm(file, { force: true })
      if (stream === undefined) return
      stream.end()
      await once(stream, 'close')
      await rename(partial, file)
    },
  }
}

async function openStream(path: string): Promise<WriteStream> {
  await mkdir(dirname(path), { recursive: true })
  const stream = createWriteStream(path)
  await once(stream, 'open')
  return stream
}

/** Tells whether so many bad rows are past the limit: a number, or a part of the rows such as `0.5%`. */
export function isOverLimit(bad: number, rows: number, limit: number | string): boolean {
  if (typeof limit === 'number') return bad > limit
  return bad > (rows * Number(limit.slice(0, -1))) / 100
}
