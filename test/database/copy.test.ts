import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { problem } from '../../src/contract/problems.ts'
import type { Database } from '../../src/database/database.ts'
import { describeDrivers } from '../support/drivers.ts'
import { lines, text } from './streams.ts'

/** Rows as long as somebody reads: a function in the list of a select is not gathered first. */
const endlessRows = "select repeat('x', 100) || i from (select generate_series(1, 1000000000) i) rows"

describeDrivers('copying', (open) => {
  let database: Database

  beforeAll(async () => {
    database = await open()
    await database.query(
      'create table place (id int primary key, name text unique, area int check (area > 0))',
    )
  })

  beforeEach(async () => {
    await database.query('truncate place')
  })

  const countPlaces = async () =>
    (await database.query<{ n: number }>('select count(*)::int as n from place'))[0]?.n

  describe('a copy in', () => {
    test('takes rows cut anywhere and counts them', async () => {
      const rows = Array.from({ length: 5000 }, (_, i) => `${i}\tname ${i}\t1\n`).join('')
      async function* cut() {
        for (let at = 0; at < rows.length; at += 777) yield Buffer.from(rows.slice(at, at + 777))
      }
      expect(await database.copyIn('copy place from stdin', cut())).toBe(5000)
      expect(await countPlaces()).toBe(5000)
    })

    test('takes the binary format', async () => {
      const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
      const row = Buffer.from([0, 1, 0, 0, 0, 4, 0, 0, 0, 7])
      const statement = 'copy place (id) from stdin (format binary)'
      expect(await database.copyIn(statement, text(header, row, Buffer.from([0xff, 0xff])))).toBe(1)
      expect(await database.query('select id from place')).toEqual([{ id: 7 }])
    })

    test('takes nothing', async () => {
      expect(await database.copyIn('copy place from stdin', text())).toBe(0)
    })

    test('saves nothing when a row is wrong, says which, and the next one works', async () => {
      const rows = text('1\ta\t1\n', '2\tb\tmany\n')
      await expect(database.copyIn('copy place from stdin', rows)).rejects.toMatchObject({
        code: 'database/query',
        data: { sqlstate: '22P02' },
      })
      expect(await countPlaces()).toBe(0)
      expect(await database.copyIn('copy place from stdin', text('1\ta\t1\n'))).toBe(1)
    })

    test('breaks off long input at its first wrong row', async () => {
      let given = 0
      async function* endless() {
        for (;;) {
          given += 1
          yield Buffer.from(given === 2 ? 'wrong\n' : `${given}\t\\N\t1\n`.repeat(1))
        }
      }
      await expect(database.copyIn('copy place from stdin', endless())).rejects.toMatchObject({
        data: { sqlstate: expect.stringMatching(/^22P0[24]$/) },
      })
      expect(await countPlaces()).toBe(0)
    })

    test('saves nothing when its source fails, and throws what the source threw', async () => {
      const fault = new Error('the file ends early')
      async function* source() {
        yield Buffer.from('1\ta\t1\n')
        throw fault
      }
      await expect(database.copyIn('copy place from stdin', source())).rejects.toBe(fault)
      expect(await countPlaces()).toBe(0)
    })

    test('belongs to its transaction', async () => {
      const work = database.transaction(async (tx) => {
        await tx.copyIn('copy place from stdin', text('1\ta\t1\n'))
        expect(await tx.query('select name from place')).toEqual([{ name: 'a' }])
        throw problem('request/invalid', 'no')
      })
      await expect(work).rejects.toMatchObject({ code: 'request/invalid' })
      expect(await countPlaces()).toBe(0)
    })

    test('stops when its signal aborts while its source gives nothing', async () => {
      const aborter = new AbortController()
      async function* stuck() {
        yield Buffer.from('1\ta\t1\n')
        setImmediate(() => aborter.abort())
        await new Promise(() => undefined)
      }
      const work = database.transaction((tx) => tx.copyIn('copy place from stdin', stuck()), {
        signal: aborter.signal,
      })
      await expect(work).rejects.toMatchObject({ code: 'request/aborted' })
      expect(await countPlaces()).toBe(0)
    })
  })

  describe('a copy out', () => {
    test('gives one line a row, just as the query gives it', async () => {
      const nasty = [
        'plain',
        '',
        '\\.',
        '\\N',
        '"quoted"',
        "it's",
        'a,b',
        'tab\there',
        ' ',
        'é\u{1f5fa}',
        '\\x01',
      ]
      const select = 'select to_json(t)::text from unnest($1::text[]) with ordinality u(t, n) order by n'
      const expected = nasty.map((value) => `${JSON.stringify(value)}\n`).join('')
      expect(await lines(database.copyOut(select, [nasty]))).toBe(expected)
    })

    test('gives nothing for no rows', async () => {
      expect(await lines(database.copyOut('select id::text from place'))).toBe('')
    })

    test('gives a large result whole to a reader that is slower than the database', async () => {
      const chunks = database.copyOut("select repeat('x', 999) from generate_series(1, 20000)")
      let sizeBytes = 0
      for await (const chunk of chunks) {
        sizeBytes += chunk.length
        await new Promise(setImmediate)
      }
      expect(sizeBytes).toBe(20_000_000)
    })

    test('tells of a wrong query, and the next one works', async () => {
      await expect(lines(database.copyOut('select nothing'))).rejects.toMatchObject({
        data: { sqlstate: '42703' },
      })
      expect(await lines(database.copyOut("select 'a'"))).toBe('a\n')
    })

    test('tells of a fault after the first rows', async () => {
      const select = 'select (1 / (5000 - i))::text || repeat($1, 100) from generate_series(1, 10000) i'
      await expect(lines(database.copyOut(select, ['x']))).rejects.toMatchObject({
        data: { sqlstate: '22012' },
      })
      expect(await lines(database.copyOut("select 'a'"))).toBe('a\n')
    })

    test('that is left early is cancelled, and the next query works', async () => {
      for await (const chunk of database.copyOut(endlessRows)) {
        expect(chunk.length).toBeGreaterThan(0)
        break
      }
      expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
    })

    test('that is left early leaves its transaction whole', async () => {
      await database.transaction(async (tx) => {
        await tx.query("insert into place values (1, 'a')")
        for await (const _ of tx.copyOut(endlessRows)) break
        await tx.query("insert into place values (2, 'b')")
      })
      expect(await countPlaces()).toBe(2)
    })

    test('sees what its transaction has done', async () => {
      const seen = await database.transaction(async (tx) => {
        await tx.query("insert into place values (1, 'a')")
        return lines(tx.copyOut('select name from place'))
      })
      expect(seen).toBe('a\n')
    })

    test('refuses a query on the same transaction meanwhile, which would wait for ever', async () => {
      const work = database.transaction(async (tx) => {
        for await (const _ of tx.copyOut('select 1::text')) await tx.query('select 1')
      })
      await expect(work).rejects.toMatchObject({ code: 'database/query' })
    })

    test('stops when its signal aborts', async () => {
      const aborter = new AbortController()
      const work = database.transaction(
        async (tx) => {
          for await (const _ of tx.copyOut(endlessRows)) {
            aborter.abort()
          }
        },
        { signal: aborter.signal },
      )
      await expect(work).rejects.toMatchObject({ code: 'request/aborted' })
      expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
    })
  })
})
