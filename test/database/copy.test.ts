import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { problem } from '../../src/contract/problems.ts'
import type { Database } from '../../src/database/database.ts'
import { describeDrivers } from '../support/drivers.ts'
import { lines, text } from './byte_streams.ts'

/** A billion rows, computed while they are read: a set-returning function in the select list is not materialized. */
const endlessRows = "select repeat('x', 100) || i from (select generate_series(1, 1000000000) i) rows"

describeDrivers('COPY', (open) => {
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

  describe('copyIn', () => {
    test('accepts chunks that end within a row, and returns the number of rows', async () => {
      const rows = Array.from({ length: 5000 }, (_, i) => `${i}\tname ${i}\t1\n`).join('')
      async function* chunks() {
        for (let at = 0; at < rows.length; at += 777) yield Buffer.from(rows.slice(at, at + 777))
      }
      expect(await database.copyIn('copy place from stdin', chunks())).toBe(5000)
      expect(await countPlaces()).toBe(5000)
    })

    test('accepts the binary format', async () => {
      const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)])
      const row = Buffer.from([0, 1, 0, 0, 0, 4, 0, 0, 0, 7])
      const statement = 'copy place (id) from stdin (format binary)'
      expect(await database.copyIn(statement, text(header, row, Buffer.from([0xff, 0xff])))).toBe(1)
      expect(await database.query('select id from place')).toEqual([{ id: 7 }])
    })

    test('accepts empty input', async () => {
      expect(await database.copyIn('copy place from stdin', text())).toBe(0)
    })

    test('saves nothing if a row is invalid, and the connection stays usable', async () => {
      const rows = text('1\ta\t1\n', '2\tb\tmany\n')
      await expect(database.copyIn('copy place from stdin', rows)).rejects.toMatchObject({
        code: 'database/query',
        data: { sqlstate: '22P02' },
      })
      expect(await countPlaces()).toBe(0)
      expect(await database.copyIn('copy place from stdin', text('1\ta\t1\n'))).toBe(1)
    })

    test('aborts endless input at its first invalid row', async () => {
      let count = 0
      async function* endless() {
        for (;;) {
          count += 1
          yield Buffer.from(count === 2 ? 'wrong\n' : `${count}\t\\N\t1\n`.repeat(1))
        }
      }
      await expect(database.copyIn('copy place from stdin', endless())).rejects.toMatchObject({
        data: { sqlstate: expect.stringMatching(/^22P0[24]$/) },
      })
      expect(await countPlaces()).toBe(0)
    })

    test('saves nothing if its source fails, and throws the error of the source', async () => {
      const fault = new Error('the file ends early')
      async function* source() {
        yield Buffer.from('1\ta\t1\n')
        throw fault
      }
      await expect(database.copyIn('copy place from stdin', source())).rejects.toBe(fault)
      expect(await countPlaces()).toBe(0)
    })

    test('is part of its transaction', async () => {
      const work = database.transaction(async (tx) => {
        await tx.copyIn('copy place from stdin', text('1\ta\t1\n'))
        expect(await tx.query('select name from place')).toEqual([{ name: 'a' }])
        throw problem('request/invalid', 'no')
      })
      await expect(work).rejects.toMatchObject({ code: 'request/invalid' })
      expect(await countPlaces()).toBe(0)
    })

    test('stops when its signal aborts while its source stalls', async () => {
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

  describe('copyOut', () => {
    test('returns one line a row, with the text unchanged', async () => {
      const values = [
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
      const expected = values.map((value) => `${JSON.stringify(value)}\n`).join('')
      expect(await lines(database.copyOut(select, [values]))).toBe(expected)
    })

    test('returns nothing for an empty result', async () => {
      expect(await lines(database.copyOut('select id::text from place'))).toBe('')
    })

    test('returns a large result completely to a reader slower than the database', async () => {
      const chunks = database.copyOut("select repeat('x', 999) from generate_series(1, 20000)")
      let sizeBytes = 0
      for await (const chunk of chunks) {
        sizeBytes += chunk.length
        await new Promise(setImmediate)
      }
      expect(sizeBytes).toBe(20_000_000)
    })

    test('reports an invalid query, and the connection stays usable', async () => {
      await expect(lines(database.copyOut('select nothing'))).rejects.toMatchObject({
        data: { sqlstate: '42703' },
      })
      expect(await lines(database.copyOut("select 'a'"))).toBe('a\n')
    })

    test('reports an error after the first rows', async () => {
      const select = 'select (1 / (5000 - i))::text || repeat($1, 100) from generate_series(1, 10000) i'
      await expect(lines(database.copyOut(select, ['x']))).rejects.toMatchObject({
        data: { sqlstate: '22012' },
      })
      expect(await lines(database.copyOut("select 'a'"))).toBe('a\n')
    })

    test('is cancelled when its iteration ends early, and the connection stays usable', async () => {
      for await (const chunk of database.copyOut(endlessRows)) {
        expect(chunk.length).toBeGreaterThan(0)
        break
      }
      expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
    })

    test('is cancelled by its signal, and the connection stays usable', async () => {
      const aborter = new AbortController()
      const reading = async () => {
        for await (const _ of database.copyOut(endlessRows, [], { signal: aborter.signal })) aborter.abort()
      }
      await expect(reading()).rejects.toMatchObject({ code: 'request/aborted' })
      expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
    })

    test('does not abort its transaction when its iteration ends early', async () => {
      await database.transaction(async (tx) => {
        await tx.query("insert into place values (1, 'a')")
        for await (const _ of tx.copyOut(endlessRows)) break
        await tx.query("insert into place values (2, 'b')")
      })
      expect(await countPlaces()).toBe(2)
    })

    test('sees the changes of its transaction', async () => {
      const output = await database.transaction(async (tx) => {
        await tx.query("insert into place values (1, 'a')")
        return lines(tx.copyOut('select name from place'))
      })
      expect(output).toBe('a\n')
    })

    test('refuses concurrent queries in the same transaction, which would deadlock', async () => {
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
