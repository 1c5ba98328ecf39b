import { expect, test } from 'vitest'
import {
  type Claim,
  claimKey,
  deleteOldKeys,
  findKey,
  storeAnswer,
} from '../../../src/store/auth/idempotency_key.ts'
import { describeDrivers } from '../../support/drivers.ts'

describeDrivers('idempotency keys', (open) => {
  const prepare = async () => {
    const database = await open()
    await database.query('delete from idempotency_key')
    const [user] = await database.query<{ id: number }>(
      `insert into principal (kind, keyname, display_name) values ('user', 'k' || random(), 'K' || random())
       returning id`,
    )
    const userId = user?.id ?? 0
    const claim = (key: string, name: string, timeoutSeconds?: number) =>
      claimKey(database, {
        ...mine(key, name),
        instance: name,
        request: name,
        timeoutSeconds,
        retentionHours: 24,
      })
    const mine = (key: string, name: string): Claim => ({ userId, key, claim: name })
    const find = (key: string) => findKey(database, { userId, key })
    return { database, claim, mine, find }
  }

  test('are claimed by one attempt', async () => {
    const { claim, find } = await prepare()
    expect([await claim('a', 'first', 30), await claim('a', 'second', 30)]).toEqual([true, false])
    expect(await find('a')).toEqual({ request: 'first', answer: null })
  })

  test('are taken over if no other process can be running, and the old attempt cannot finish', async () => {
    const { database, claim, mine } = await prepare()
    await claim('a', 'first')
    expect(await claim('a', 'first')).toBe(false)
    expect(await claim('a', 'second')).toBe(true)
    expect(await storeAnswer(database, mine('a', 'first'), 'x')).toBe(false)
    expect(await storeAnswer(database, mine('a', 'second'), 'y')).toBe(true)
    expect(await claim('a', 'third')).toBe(false)
  })

  test('are taken over from an attempt that has timed out', async () => {
    const { database, claim } = await prepare()
    await claim('a', 'first', 30)
    await database.query(`update idempotency_key set touched_at = touched_at - interval '29 seconds'`)
    expect(await claim('a', 'second', 30)).toBe(false)
    await database.query(`update idempotency_key set touched_at = touched_at - interval '2 seconds'`)
    expect(await claim('a', 'second', 30)).toBe(true)
  })

  test('are deleted when they are old, too many or too large, the oldest first', async () => {
    const { database, claim, mine, find } = await prepare()
    const keys = ['oldest', 'old', 'newer', 'newest']
    for (const [at, key] of keys.entries()) {
      await claim(key, key)
      await storeAnswer(database, mine(key, key), 'x'.repeat(100))
      await database.query(
        'update idempotency_key set created_at = created_at - $2::int * interval $$1 hour$$ where key = $1',
        [key, 10 * (keys.length - at)],
      )
    }
    const left = async (limits: { hours?: number; keys?: number; bytes?: number }) => {
      await deleteOldKeys(database, { hours: 100, keys: 100, bytes: 100_000, ...limits })
      const found = await Promise.all(keys.map(find))
      return keys.filter((_, at) => found[at] !== undefined)
    }
    expect(await left({})).toEqual(keys)
    expect(await left({ hours: 35 })).toEqual(['old', 'newer', 'newest'])
    expect(await left({ keys: 2 })).toEqual(['newer', 'newest'])
    expect(await left({ bytes: 150 })).toEqual(['newest'])
  })
})
