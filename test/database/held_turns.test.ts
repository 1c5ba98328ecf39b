import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, test } from 'vitest'
import { slowLimits } from '../../src/contract/limits.ts'
import { silentLog } from '../../src/core/log.ts'
import { type Database, readsTable } from '../../src/database/database.ts'
import type { TurnEnd } from '../../src/database/held_turns.ts'
import { openEmbedded } from '../../src/database/pglite.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { Turns, workFor } from '../../src/database/turns.ts'
import type { ServerContext } from '../../src/server/context.ts'
import { findDatabase } from '../../src/server/geodb/geodb_session.ts'
import type { Layer } from '../../src/store/layer/stored_layer.ts'
import { uninterruptibleQuery } from '../support/embedded.ts'
import { usePostgres } from '../support/postgres.ts'

let time = 0
const clock = () => time
const { least } = slowLimits.quickStatements

async function spend(turns: Turns, [party, table]: readonly [string, string], end: TurnEnd): Promise<void> {
  const endTurn = await turns.take(party, undefined, { table, isMap: true })
  time += end === 'overdue' ? 60_000 : 10
  endTurn(end)
}

/** Asks for turns, and tells which are granted at once. */
async function findGranted(turns: Turns, asking: readonly (readonly [string, string | undefined])[]) {
  const granted: (readonly [string, string | undefined])[] = []
  const leaving = new AbortController()
  const taking = asking.map(async (one) => {
    const end = await turns.take(one[0], leaving.signal, { table: one[1] })
    granted.push(one)
    return end
  })
  await new Promise((next) => setImmediate(next))
  const found = [...granted]
  leaving.abort()
  for (const one of await Promise.allSettled(taking)) if (one.status === 'fulfilled') one.value()
  return found
}

/** Names ten requests. */
const ten = (name: (at: number) => readonly [string, string | undefined]) =>
  Array.from({ length: 10 }, (_, at) => name(at))

describe('turns after a time-out', () => {
  it('are two at once for the layer, whoever reads it, until its statements are quick', async () => {
    const turns = new Turns({ atOnce: 10, perParty: 8, clock })
    const readSlow = ten((at) => [`guest ${at}`, 'slow'])
    expect(await findGranted(turns, readSlow)).toHaveLength(10)
    await spend(turns, ['first', 'slow'], 'overdue')
    expect(await findGranted(turns, readSlow)).toHaveLength(slowLimits.atOnce)
    expect(await findGranted(turns, [...readSlow, ...ten((at) => [`guest ${at}`, 'other'])])).toHaveLength(10)
    for (let at = 0; at < least; at += 1) await spend(turns, [`reader ${at}`, 'slow'], 'done')
    expect(await findGranted(turns, readSlow)).toHaveLength(10)
  })

  it('are two at once for the caller, one of them for the layer, and many without a layer', async () => {
    const turns = new Turns({ atOnce: 10, perParty: 8, clock })
    await spend(turns, ['a', 'slow'], 'overdue')
    expect(
      await findGranted(
        turns,
        ten(() => ['a', 'slow']),
      ),
    ).toHaveLength(1)
    expect(
      await findGranted(
        turns,
        ten((at) => ['a', `layer ${at}`]),
      ),
    ).toHaveLength(slowLimits.atOnce)
    expect(
      await findGranted(
        turns,
        ten(() => ['a', undefined]),
      ),
    ).toHaveLength(8)
    expect(
      await findGranted(
        turns,
        ten(() => ['b', 'other']),
      ),
    ).toHaveLength(8)
  })

  it('take twice as many quick statements to be free after each further one', async () => {
    const turns = new Turns({ atOnce: 10, perParty: 8, clock })
    await spend(turns, ['a', 'slow'], 'overdue')
    for (let at = 1; at < least; at += 1) await spend(turns, ['a', 'quick'], 'done')
    for (let at = 0; at < 4; at += 1) await spend(turns, ['a', `slow ${at}`], 'overdue')
    for (let at = 0; at < 2 * least; at += 1) await spend(turns, ['a', 'quick'], 'done')
    expect(
      await findGranted(
        turns,
        ten((at) => ['a', `layer ${at}`]),
      ),
    ).toHaveLength(slowLimits.atOnce)
  })

  it('are half of all for all layers and callers together, so that others always have one', async () => {
    const turns = new Turns({ atOnce: 10, perParty: 8, clock })
    for (let at = 0; at < 10; at += 1) await spend(turns, [`guest ${at}`, `slow ${at}`], 'overdue')
    const slow = ten((at) => [`guest ${at}`, `slow ${at}`])
    expect(await findGranted(turns, slow)).toHaveLength(5)
    expect(await findGranted(turns, [...slow, ['editor', 'roads'], ['editor', undefined]])).toHaveLength(7)
  })

  it('are one at once where there is one', async () => {
    const turns = new Turns({ atOnce: 1, perParty: 1, clock })
    await spend(turns, ['a', 'slow'], 'overdue')
    expect(await findGranted(turns, [['a', 'slow']])).toHaveLength(1)
  })

  it('are refused with the reason after the longest wait', async () => {
    const turns = new Turns({ atOnce: 10, perParty: 8, waitMs: 1 })
    const end = await turns.take('a', undefined, { table: 'slow' })
    end('overdue')
    const running = await turns.take('a', undefined, { table: 'slow' })
    await expect(turns.take('a', undefined, { table: 'slow' })).rejects.toMatchObject({
      code: 'database/busy',
      message: expect.stringContaining('ran into the time limit'),
    })
    running()
  })
})

describe('turns after a restart of the database', () => {
  it('are refused to the caller for the layer, longer each time, also to those that wait', async () => {
    const turns = new Turns({ atOnce: 1, perParty: 1, clock, waitMs: 1 })
    const take = (party: string, table: string) => turns.take(party, undefined, { table })
    const first = await take('a', 'slow')
    const waiting = take('a', 'slow')
    first('killed')
    const refused = {
      code: 'database/busy',
      message: expect.stringMatching(/restart of the database; wait 30 s/),
      data: { retry_after: 30 },
    }
    await expect(waiting).rejects.toMatchObject(refused)
    await expect(take('a', 'slow')).rejects.toMatchObject(refused)
    for (const [party, table] of [
      ['a', 'other'],
      ['b', 'slow'],
    ] as const)
      (await take(party, table))('done')
    time += 30_000
    const second = await take('a', 'slow')
    second('killed')
    time += 59_000
    await expect(take('a', 'slow')).rejects.toThrow('wait 1 s')
    time += 1000
    ;(await take('a', 'slow'))('done')
  })
})

describe('a layer on PostgreSQL', () => {
  const postgres = usePostgres()
  const opened: Database[] = []
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()))
  })

  test('whose statements ran into the time limit leaves connections to others', async () => {
    const database = await openPostgres({ url: postgres.url, log: silentLog, poolSize: 8 })
    opened.push(database)
    const layer = await findDatabase({ database } as ServerContext, { resourceId: 7 } as Layer)
    const read = (party: string, ms: number, text: string) =>
      workFor({ name: party, statementMs: { pglite: ms, postgres: ms } }, () => layer.query(text))
    await expect(read('a', 50, 'select pg_sleep(60)')).rejects.toMatchObject({ code: 'database/timeout' })
    const wait = 'select pg_advisory_xact_lock(4711)'
    const countWaiting = async () => {
      const rows = await database.query<{ n: number }>(
        `select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = 4711 and not granted`,
      )
      return rows[0]?.n
    }
    const reads = await database.transaction(async (tx) => {
      await tx.query(wait)
      const all = ['b', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((party) => read(party, 60_000, wait))
      await expect.poll(countWaiting, { interval: 10 }).toBe(slowLimits.atOnce)
      expect(await workFor({ name: 'z', statementMs: { pglite: 1000, postgres: 1000 } }, countWaiting)).toBe(
        2,
      )
      return all
    })
    await Promise.all(reads)
  })
})

test('statements of a caller that ran into the time limit end sooner on the embedded database', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'landform-held-'))
  const database = await openEmbedded({ folder, log: silentLog })
  try {
    const layers = [7, 8].map((id) => readsTable(`layer ${id}`, database))
    const read = (name: string, text: string, ms: number, at = 0) =>
      workFor({ name, statementMs: { pglite: ms, postgres: ms } }, () => layers[at]?.query(text))
    await expect(read('a', uninterruptibleQuery, 200)).rejects.toMatchObject({ code: 'database/timeout' })
    await expect(read('a', 'select 1 as one', 600_000)).rejects.toThrow('restart of the database')
    await expect(read('a', uninterruptibleQuery, 600_000, 1)).rejects.toThrow(
      `time limit of ${slowLimits.heldMs} ms`,
    )
    expect(await read('b', 'select 1 as one', 600_000)).toEqual([{ one: 1 }])
  } finally {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
})
