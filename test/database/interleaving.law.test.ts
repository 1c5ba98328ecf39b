import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Database, Queryable } from '../../src/database/database.ts'
import { describeDrivers } from '../support/drivers.ts'

/**
 * Statements that share few connections, and that fail, are cancelled or broken off at any moment. None may get the answer of
 * another one, nor end the process: an exception outside of a promise fails the run.
 */
const run = { seed: 20_261_128, numRuns: process.env.LANDFORM_SOAK ? 2000 : 200 }

/** Waits for a number of turns of the event loop: a moment without a clock. */
async function wait(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate()
}

function abortAfter(turns: number): AbortSignal {
  const controller = new AbortController()
  void wait(turns).then(() => controller.abort())
  return controller.signal
}

/** Rows of one kilobyte that begin with a mark; the row after `good` of them divides by zero. */
const rowsSql = (mark: number, rows: number, good: number) =>
  `select '${mark} ' || g || ' ' || repeat('x', 1000 + 0 / (case when g > ${good} then 0 else 1 end)) as row
     from generate_series(1, ${rows}) g`

const never = 1e9

interface Step {
  readonly mark: number
  readonly database: Queryable
  /** Number of rows, chunks or turns after which something happens. */
  readonly after: number
  readonly rows: number
}

const thrown = new Error('the reader or the source has failed')

/** Waits for a failure, and throws it. */
async function fail(work: Promise<unknown>): Promise<number> {
  await work
  throw new Error('the statement has not failed')
}

const codes: readonly unknown[] = ['request/aborted', 'database/query']

/** Returns the result, or 0 if it fails as intended. */
async function settle(work: Promise<number>): Promise<number> {
  try {
    return await work
  } catch (error) {
    if (error !== thrown && !codes.includes((error as { code?: unknown }).code)) throw error
    return 0
  }
}

/** Reads rows, and checks that each has the mark and the next number. */
async function readRows(chunks: AsyncIterable<Uint8Array>, { mark, after, how }: Reading): Promise<number> {
  let rest = ''
  let count = 0
  let chunk = 0
  for await (const bytes of chunks) {
    const lines = (rest + Buffer.from(bytes).toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      count += 1
      expect(line.slice(0, 20)).toBe(`${mark} ${count} ${'x'.repeat(20)}`.slice(0, 20))
    }
    chunk += 1
    if (chunk <= after) continue
    if (how === 'return') return count
    if (how === 'throw') throw thrown
    if (how === 'slow') await wait(3)
  }
  expect(rest).toBe('')
  return count
}

interface Reading {
  readonly mark: number
  readonly after: number
  readonly how: 'read' | 'return' | 'throw' | 'slow'
}

async function* rowsOf(
  mark: number,
  { rows, bad = never, fault = never }: { rows: number; bad?: number; fault?: number },
) {
  for (let row = 1; row <= rows; row += 1) {
    if (row === fault) throw thrown
    yield Buffer.from(row === bad ? 'no number\n' : `${mark}\t${'y'.repeat(500)}\n`.repeat(20))
  }
}

const fill = 'copy filled (mark, filling) from stdin'

/** What a step does: returns how many rows it has added to the table. */
type Action = (step: Step) => Promise<number>

const actions = {
  async query({ database, mark, rows }) {
    const found = await database.query<{ row: string }>(rowsSql(mark, rows, never))
    expect(found.map(({ row }) => row.split(' ', 2).join(' '))).toEqual(
      Array.from({ length: rows }, (_, at) => `${mark} ${at + 1}`),
    )
    return 0
  },
  async bound({ database, mark }) {
    const [row] = await database.query<{ mark: number }>('select $1::int as mark', [mark])
    expect(row?.mark).toBe(mark)
    return 0
  },
  failing({ database, mark, rows, after }) {
    return fail(database.query(`${rowsSql(mark, rows + after, after)} where $1::int > 0`, [1]))
  },
  invalid: ({ database }) => fail(database.query('select from nowhere where')),
  invalidGeometry: ({ database, after }) =>
    fail(
      after % 2 === 0
        ? database.query('select ST_GeomFromText($1)', ['POLYGON((0 0, 1 1))'])
        : database.query('select ST_Transform(ST_SetSRID(ST_MakePoint($1, 200), 4326), 32633)', [after]),
    ),
  async cancelled({ database, mark, rows, after }) {
    await database.query(rowsSql(mark, 20 * rows, never), [], { signal: abortAfter(after) })
    return 0
  },
  async cancelledFailure({ database, mark, rows, after }) {
    const signal = abortAfter(after)
    return fail(database.query(`${rowsSql(mark, rows + after, after)} where $1::int > 0`, [1], { signal }))
  },
  async copyOut({ database, mark, rows }) {
    const copy = database.copyOut(rowsSql(mark, rows, never))
    expect(await readRows(copy, { mark, after: 0, how: 'read' })).toBe(rows)
    return 0
  },
  async slowCopy({ database, mark, rows, after }) {
    const copy = database.copyOut(rowsSql(mark, rows, never))
    expect(await readRows(copy, { mark, after, how: 'slow' })).toBe(rows)
    return 0
  },
  async brokenOff({ database, mark, rows, after }) {
    await readRows(database.copyOut(rowsSql(mark, 20 * rows, never)), { mark, after, how: 'return' })
    return 0
  },
  async failingReader({ database, mark, rows, after }) {
    await readRows(database.copyOut(rowsSql(mark, 20 * rows, never)), { mark, after, how: 'throw' })
    return 0
  },
  failingCopy({ database, mark, rows, after }) {
    const copy = database.copyOut(rowsSql(mark, 10 * rows + 3 * after, 3 * after))
    return fail(readRows(copy, { mark, after: 0, how: after % 2 === 0 ? 'read' : 'slow' }))
  },
  async failingCopyBrokenOff({ database, mark, rows, after }) {
    const copy = database.copyOut(rowsSql(mark, 10 * rows + 30 * after, 30 * after))
    await readRows(copy, { mark, after: 0, how: 'return' })
    return 0
  },
  async cancelledCopy({ database, mark, rows, after }) {
    const copy = database.copyOut(rowsSql(mark, 20 * rows, never), [], { signal: abortAfter(after) })
    await readRows(copy, { mark, after: 0, how: after % 2 === 0 ? 'read' : 'slow' })
    return 0
  },
  async copyIn({ database, mark, rows }) {
    const added = await database.copyIn(fill, rowsOf(mark, { rows }))
    expect(added).toBe(20 * rows)
    return added
  },
  badCopyIn({ database, mark, rows, after }) {
    return fail(database.copyIn(fill, rowsOf(mark, { rows: rows + after + 1, bad: after + 1 })))
  },
  failingSource({ database, mark, rows, after }) {
    return fail(database.copyIn(fill, rowsOf(mark, { rows: rows + after, fault: after + 1 })))
  },
  invalidCopyIn({ database, mark, rows }) {
    return fail(database.copyIn('copy nowhere from stdin', rowsOf(mark, { rows })))
  },
  invalidCopyOut({ database, mark }) {
    return fail(readRows(database.copyOut('select x from nowhere'), { mark, after: 0, how: 'read' }))
  },
  async notify({ database, mark }) {
    await database.query(`notify steps, '${mark}'`)
    return 0
  },
} satisfies Record<string, Action>

const names = Object.keys(actions) as (keyof typeof actions)[]
const plan = fc.record({
  action: fc.constantFrom(...names),
  start: fc.nat(6),
  after: fc.nat(12),
  rows: fc.integer({ min: 1, max: 60 }),
})

/** A statement on its own, or several in a transaction that ends in some way. */
const plans = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: plan.map((only) => ({ steps: [only], end: 'none' as const, turns: 0 })) },
    {
      weight: 2,
      arbitrary: fc.record({
        steps: fc.array(plan, { minLength: 1, maxLength: 4 }),
        end: fc.constantFrom('commit', 'throw', 'abort'),
        turns: fc.nat(12),
      }),
    },
  ),
  { minLength: 2, maxLength: 10 },
)

type Plan = (typeof plans extends fc.Arbitrary<infer T> ? T : never)[number]

/** Runs a plan; returns the number of rows that it has added. */
async function carryOut(
  database: Database,
  { steps, end, turns }: Plan,
  nextMark: () => number,
): Promise<number> {
  const [first] = steps
  await wait(first?.start ?? 0)
  const take: (queryable: Queryable, step: (typeof steps)[number]) => Promise<number> = (queryable, step) =>
    actions[step.action]({ ...step, mark: nextMark(), database: queryable })
  if (end === 'none' && first !== undefined) return settle(take(database, first))
  const signal = end === 'abort' ? { signal: abortAfter(turns) } : {}
  const work = database.transaction(async (tx) => {
    let added = 0
    for (const step of steps) added += await take(tx, step)
    if (end === 'throw') throw thrown
    return added
  }, signal)
  return settle(work)
}

describeDrivers('statements that fail, are cancelled and broken off', (open) => {
  let database: Database
  let count = 0

  beforeAll(async () => {
    database = await open()
    await database.query('create table filled (mark int not null, filling text)')
  })

  test('get their own answers, and leave the connections as they were', { timeout: 1_200_000 }, async () => {
    const nextMark = () => {
      count += 1
      return count
    }
    await fc.assert(
      fc.asyncProperty(plans, async (all) => {
        await database.query('truncate filled')
        const added = await Promise.all(all.map((one) => carryOut(database, one, nextMark)))
        const [found] = await database.query<{ count: number }>('select count(*)::int as count from filled')
        expect(found?.count).toBe(added.reduce((sum, one) => sum + one, 0))
      }),
      run,
    )
  })
})
