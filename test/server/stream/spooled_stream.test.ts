import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { streamRows } from '../../../src/server/stream/spool.ts'
import { describeDrivers } from '../../support/drivers.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-rows-'))
})
afterAll(() => rm(folder, { recursive: true }))

const numbers = (count: number, text = '{"n":\' || n || \'}') => ({
  text: `select '${text}' from generate_series(1, $1::int) n`,
  values: [count],
})

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString())
}

/** Spool files that this process has open. */
async function openSpools(): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  return (await Promise.all(links)).filter((link) => link.startsWith(folder)).length
}

/** How many lists the database is still asked for. */
async function runningLists(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where query ilike 'copy%' and state = 'active' and datname = current_database()`,
  )
  return row?.count ?? 0
}

describeDrivers('streamRows', (open) => {
  const signal = new AbortController().signal

  test.each([0, 1, 2, 10_000])('streams %i rows as one JSON list', async (count) => {
    const stream = await streamRows({ database: await open(), statements: [numbers(count)], folder, signal })
    expect(await readAll(stream)).toEqual(Array.from({ length: count }, (_, at) => ({ n: at + 1 })))
  })

  test('a statement that fails immediately throws its error before the stream starts', async () => {
    const statement = { text: "select '1' from nowhere", values: [] }
    const started = streamRows({ database: await open(), statements: [statement], folder, signal })
    await expect(started).rejects.toMatchObject({ data: { sqlstate: '42P01' } })
  })

  test('a statement that fails later streams the rows before, then its error', async () => {
    const statement = {
      text: `select concat('"', repeat('x', 1000), 1 / (20000 - n), '"') from generate_series(1, 30000) n`,
      values: [],
    }
    const stream = await streamRows({ database: await open(), statements: [statement], folder, signal })
    let bytes = 0
    const read = async () => {
      for await (const chunk of stream) bytes += chunk.length
    }
    await expect(read()).rejects.toMatchObject({ data: { sqlstate: '22012' } })
    expect(bytes).toBeGreaterThan(0)
    expect(await openSpools()).toBe(0)
  })

  // 100 MB: more than the memory of a spool.
  const great = numbers(100_000, `"' || repeat('x', 1000) || '"`)

  test('a reader that stops early cancels the statement and closes the file', async () => {
    const database = await open()
    const stream = await streamRows({ database, statements: [great], folder, signal })
    await stream.next()
    await stream.return(undefined)
    expect(await openSpools()).toBe(0)
    expect(await runningLists(database)).toBe(0)
  })

  test('a client that disconnects cancels the statement, whether it has read or not', async () => {
    const database = await open()
    for (const reads of [0, 1]) {
      const client = new AbortController()
      const stream = await streamRows({ database, statements: [great], folder, signal: client.signal })
      for (let left = reads; left > 0; left -= 1) await stream.next()
      client.abort()
      await stream.return(undefined)
      expect(await openSpools()).toBe(0)
      expect(await runningLists(database)).toBe(0)
    }
  })
})
