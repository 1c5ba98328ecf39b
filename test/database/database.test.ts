import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { problem } from '../../src/contract/problems.ts'
import type { Database } from '../../src/database/database.ts'
import { workFor, workWithin } from '../../src/database/turns.ts'
import { describeDrivers } from '../support/drivers.ts'

/** Runs for seconds, reading and writing temporary files. */
const longQuery = 'select count(*) from generate_series(1, 20000000)'

describeDrivers('database', (open) => {
  let database: Database

  beforeAll(async () => {
    database = await open()
    await database.query(
      'create table place (id int primary key, name text unique, area int check (area > 0))',
    )
    await database.query('create table visit (place_id int references place)')
  })

  beforeEach(async () => {
    await database.query('truncate place, visit')
  })

  const countPlaces = async () =>
    (await database.query<{ n: number }>('select count(*)::int as n from place'))[0]?.n

  describe('a value', () => {
    test.each([
      ['1::int2', 1],
      ['1::int4', 1],
      ['9007199254740993::int8', '9007199254740993'],
      ['1.50::numeric', '1.50'],
      ['1.5::float4', 1.5],
      ['0.1::float8', 0.1],
      ["'NaN'::float8", Number.NaN],
      ['true', true],
      ["'Zürich \u{1f5fa}'::text", 'Zürich \u{1f5fa}'],
      ["'ab'::char(3)", 'ab '],
      ["'2024-02-29'::date", '2024-02-29'],
      ["'12:34:56'::time", '12:34:56'],
      ["'2024-02-29 12:34:56.789'::timestamp", '2024-02-29 12:34:56.789'],
      ["'2024-02-29 12:00+02'::timestamptz", '2024-02-29 10:00:00+00'],
      ["'0044-03-15 BC'::date", '0044-03-15 BC'],
      ["'1 day 2 hours'::interval", '1 day 02:00:00'],
      [`'{"a":[1,null]}'::jsonb`, { a: [1, null] }],
      ["'null'::json", null],
      [String.raw`'\x00ff'::bytea`, Buffer.from([0, 255])],
      ["'6f9619ff-8b86-d011-b42d-00c04fc964ff'::uuid", '6f9619ff-8b86-d011-b42d-00c04fc964ff'],
      ['null::int', null],
      ["'point(1 2)'::geometry", '0101000000000000000000F03F0000000000000040'],
      ["'(1,2)'::point", '(1,2)'],
      ['array[1,null,3]::int4[]', [1, null, 3]],
      ["array['9007199254740993']::int8[]", ['9007199254740993']],
      ['array[1.50]::numeric[]', ['1.50']],
      ["array['a,b','c\"d','NULL',null]::text[]", ['a,b', 'c"d', 'NULL', null]],
      ["array['2024-02-29']::date[]", ['2024-02-29']],
      ["array['2024-02-29 12:00']::timestamp[]", ['2024-02-29 12:00:00']],
      ['array[\'{"a":1}\']::jsonb[]', [{ a: 1 }]],
      ['array[true,false]', [true, false]],
      [
        'array[[1,2],[3,4]]',
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ])('%s is parsed (%#)', async (expression, expected) => {
      expect(await database.query(`select ${expression} as value`)).toEqual([{ value: expected }])
    })

    test.each([
      ['int4', '12', 12],
      ['text', undefined, null],
      ['jsonb', { a: ["'", '"', '\\'] }, { a: ["'", '"', '\\'] }],
      ['text[]', ['a,b', '"', '\\', '{}', null, ''], ['a,b', '"', '\\', '{}', null, '']],
      ['int[]', [], []],
      ['jsonb[]', [{ a: '"' }, { b: [1] }], [{ a: '"' }, { b: [1] }]],
      ['bytea', new Uint8Array([0, 1, 255]), Buffer.from([0, 1, 255])],
      ['bytea[]', [new Uint8Array([0, 255])], [Buffer.from([0, 255])]],
      ['timestamptz', new Date('2024-02-29T12:00:00.5Z'), '2024-02-29 12:00:00.5+00'],
      ['float8', Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
      ['bool', false, false],
    ])('bound as %s reads back equal (%#)', async (type, value, expected) => {
      expect(await database.query(`select $1::${type} as value`, [value])).toEqual([{ value: expected }])
    })
  })

  test('a bigint is bound exactly', async () => {
    expect(await database.query('select $1::int8 as value', [9007199254740993n])).toEqual([
      { value: '9007199254740993' },
    ])
  })

  describe('a query', () => {
    test('accepts several statements without values, and returns the rows of the last', async () => {
      expect(await database.query('select 1 as a; select 2 as b')).toEqual([{ b: 2 }])
    })

    test('returns all rows of a large result', async () => {
      const rows = await database.query<{ i: number }>(
        'select i, repeat($1, 100) as t from generate_series(1, 20000) i',
        ['x'],
      )
      expect(rows.length).toBe(20000)
      expect(rows.at(-1)).toEqual({ i: 20000, t: 'x'.repeat(100) })
    })

    test('accepts a value of many megabytes', async () => {
      const long = 'ä'.repeat(5_000_000)
      expect(await database.query('select $1 = repeat($2, 5000000) as same', [long, 'ä'])).toEqual([
        { same: true },
      ])
    })

    test.each([
      ['a duplicate key', "insert into place values (1, 'a'), (1, 'b')", '23505', 'place_pkey'],
      ['a missing reference', 'insert into visit values (9)', '23503', 'visit_place_id_fkey'],
      ['a violated check', 'insert into place values (1, null, 0)', '23514', 'place_area_check'],
    ])('reports %s', async (_title, sql, sqlstate, constraint) => {
      await expect(database.query(sql)).rejects.toMatchObject({
        code: 'database/constraint',
        data: { sqlstate, constraint },
      })
    })

    test.each([
      ['selekt', '42601'],
      ['select * from nowhere', '42P01'],
      ['select 1/0', '22012'],
      ["select 'x'::int", '22P02'],
    ])('reports the error of %s', async (sql, sqlstate) => {
      await expect(database.query(sql)).rejects.toMatchObject({ code: 'database/query', data: { sqlstate } })
    })

    test.each([
      ['select 1 / $1::int', ['0'], '22012'],
      ['select $1::int', ['x'], '22P02'],
      ['select $1', ['a\0b'], '22021'],
      ['selekt $1', ['1'], '42601'],
      ['select $2::int', ['1'], '42P18'],
    ])(
      'with bound values reports the error of %s, and the connection stays usable',
      async (sql, values, sqlstate) => {
        await expect(database.query(sql, values)).rejects.toMatchObject({ data: { sqlstate } })
        expect(await database.query('select $1::int as a', [1])).toEqual([{ a: 1 }])
        expect(await database.query('select 2 as a')).toEqual([{ a: 2 }])
      },
    )

    test('returns its own rows to each of many concurrent queries', async () => {
      const queries = Array.from({ length: 50 }, (_, i) => database.query('select $1::int as i', [i]))
      expect(await Promise.all(queries)).toEqual(Array.from({ length: 50 }, (_, i) => [{ i }]))
    })
  })

  describe('a transaction', () => {
    test('commits and returns the result of the work', async () => {
      const result = await database.transaction(async (tx) => {
        await tx.query("insert into place values (1, 'a')")
        return 'done'
      })
      expect(result).toBe('done')
      expect(await countPlaces()).toBe(1)
    })

    test('rolls back if the work throws, and rethrows the error', async () => {
      const fault = problem('request/invalid', 'no')
      const work = database.transaction(async (tx) => {
        await tx.query("insert into place values (1, 'a')")
        throw fault
      })
      await expect(work).rejects.toBe(fault)
      expect(await countPlaces()).toBe(0)
    })

    test('rethrows a programming error unchanged', async () => {
      const fault = new TypeError('x is not a function')
      await expect(database.transaction(() => Promise.reject(fault))).rejects.toBe(fault)
    })

    test('does not report success if the error of a statement was ignored', async () => {
      const work = database.transaction(async (tx) => {
        await tx.query("insert into place values (1, 'a')")
        await tx.query('select 1/0').catch(() => undefined)
      })
      await expect(work).rejects.toMatchObject({ code: 'database/query' })
      expect(await countPlaces()).toBe(0)
    })

    test('reports a violated deferred constraint', async () => {
      await database.query('create table later (id int unique deferrable initially deferred)')
      await expect(
        database.transaction((tx) => tx.query('insert into later values (1), (1)')),
      ).rejects.toMatchObject({ code: 'database/constraint', data: { constraint: 'later_id_key' } })
      expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
    })

    test('runs statements in the order they were requested', async () => {
      const rows = await database.transaction(async (tx) => {
        await tx.query('create temp table step (at serial, i int) on commit drop')
        await Promise.all([3, 1, 2].map((i) => tx.query('insert into step (i) values ($1)', [i])))
        return tx.query<{ i: number }>('select i from step order by at')
      })
      expect(rows.map(({ i }) => i)).toEqual([3, 1, 2])
    })

    test('refuses statements after its end', async () => {
      const tx = await database.transaction(async (inner) => inner)
      await expect(tx.query('select 1')).rejects.toMatchObject({ code: 'database/query' })
    })

    test('waits for statements requested before its end', async () => {
      await database.transaction(async (tx) => {
        void tx.query("insert into place values (1, 'a')")
      })
      expect(await countPlaces()).toBe(1)
    })

    test('refuses to write if it is read-only', async () => {
      const write = database.transaction((tx) => tx.query("insert into place values (1, 'a')"), {
        readOnly: true,
      })
      await expect(write).rejects.toMatchObject({ data: { sqlstate: '25006' } })
    })

    test.each(['read committed', 'repeatable read', 'serializable'] as const)(
      'runs as %s',
      async (isolation) => {
        const rows = await database.transaction((tx) => tx.query('show transaction_isolation'), { isolation })
        expect(rows).toEqual([{ transaction_isolation: isolation }])
      },
    )

    test('cancels a statement that exceeds the time limit, and the connection stays usable', async () => {
      const slow = database.transaction((tx) => tx.query(longQuery), { statementTimeoutMs: 100 })
      await expect(slow).rejects.toMatchObject({ code: 'database/timeout' })
      expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
    })

    test('keeps to the time of the party that it is for, unless it has its own', async () => {
      const party = { name: 'a', statementMs: { pglite: 100, postgres: 100 } }
      const slow = [
        () => database.query(longQuery),
        () => database.transaction((tx) => tx.query(longQuery)),
        () => database.transaction((tx) => tx.query(longQuery), { statementTimeoutMs: 50 }),
      ]
      for (const work of slow)
        await expect(workFor(party, work)).rejects.toMatchObject({ code: 'database/timeout' })
      const patient = { name: 'a', statementMs: { pglite: 60_000, postgres: 60_000 } }
      const bounded = workFor(patient, () => workWithin(party.statementMs, () => database.query(longQuery)))
      await expect(bounded).rejects.toMatchObject({ code: 'database/timeout' })
      const short = database.query('select 1 as a')
      expect(await workFor(party, () => short)).toEqual([{ a: 1 }])
    })

    test('limits the time of each statement, not of the transaction', async () => {
      await database.transaction(
        async (tx) => {
          for (let i = 0; i < 20; i += 1) await tx.query('select 1')
        },
        { statementTimeoutMs: 10_000 },
      )
    })

    test('stops and rolls back when its signal aborts', async () => {
      const aborter = new AbortController()
      const work = database.transaction(
        async (tx) => {
          await tx.query("insert into place values (1, 'a')")
          setImmediate(() => aborter.abort())
          await tx.query(longQuery)
        },
        { signal: aborter.signal },
      )
      await expect(work).rejects.toMatchObject({ code: 'request/aborted' })
      expect(await countPlaces()).toBe(0)
    })

    test('throws the Problem that is the reason of its signal', async () => {
      const reason = problem('request/too-slow', 'going away')
      const aborter = new AbortController()
      const work = database.transaction(
        (tx) => {
          setImmediate(() => aborter.abort(reason))
          return tx.query(longQuery)
        },
        { signal: aborter.signal },
      )
      await expect(work).rejects.toBe(reason)
    })

    test('does not begin if its signal has aborted', async () => {
      const work = database.transaction(() => Promise.reject(new Error('ran')), {
        signal: AbortSignal.abort(),
      })
      await expect(work).rejects.toMatchObject({ code: 'request/aborted' })
    })

    test('rolls back when its signal aborts between statements', async () => {
      const aborter = new AbortController()
      const work = database.transaction(
        async (tx) => {
          await tx.query("insert into place values (1, 'a')")
          aborter.abort()
        },
        { signal: aborter.signal },
      )
      await expect(work).rejects.toMatchObject({ code: 'request/aborted' })
      expect(await countPlaces()).toBe(0)
    })
  })

  describe('listen', () => {
    test('receives notifications until it ends', async () => {
      const received: string[] = []
      const first = Promise.withResolvers<void>()
      const unlisten = await database.listen('Some channel', (payload) => {
        received.push(payload)
        first.resolve()
      })
      await database.query('select pg_notify($1, $2)', ['Some channel', 'hello'])
      await first.promise
      await unlisten()
      await database.query('select pg_notify($1, $2)', ['Some channel', 'late'])
      await awaitNotification(database)
      expect(received).toEqual(['hello'])
    })

    test('receives nothing from a transaction that was rolled back', async () => {
      const received: string[] = []
      const unlisten = await database.listen('rolled_back', (payload) => received.push(payload))
      await database
        .transaction(async (tx) => {
          await tx.query("notify rolled_back, 'no'")
          throw problem('request/invalid', 'no')
        })
        .catch(() => undefined)
      const yes = Promise.withResolvers<void>()
      const unlistenToo = await database.listen('rolled_back', () => yes.resolve())
      await database.query("notify rolled_back, 'yes'")
      await yes.promise
      expect(received).toEqual(['yes'])
      await unlisten()
      await unlistenToo()
    })
  })
})

/** Resolves when a notification sent now has been received. */
async function awaitNotification(database: Database): Promise<void> {
  const received = Promise.withResolvers<void>()
  const unlisten = await database.listen('marker', () => received.resolve())
  await database.query('notify marker')
  await received.promise
  await unlisten()
}
