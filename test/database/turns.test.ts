import { describe, expect, it } from 'vitest'
import { Turns } from '../../src/database/turns.ts'

/** Lets everything that is due happen. */
const settle = () => new Promise((next) => setImmediate(next))

/** Asks for turns, and ends them one by one; gives who had them, in order. */
async function order(turns: Turns, asking: readonly string[]): Promise<string[]> {
  const given: string[] = []
  const ends: (() => void)[] = []
  const taking = asking.map(async (name) => {
    const end = await turns.take(name.charAt(0))
    given.push(name)
    ends.push(end)
  })
  await settle()
  while (given.length < asking.length) {
    ends.shift()?.()
    await settle()
  }
  await Promise.all(taking)
  for (const end of ends) end()
  return given
}

describe('turns', () => {
  it('go round, however much one party asks for', async () => {
    const turns = new Turns({ atOnce: 1, perParty: 1 })
    const asking = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']
    expect(await order(turns, asking)).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'])
  })

  it('are left to others by a party that has the most that it may', async () => {
    const turns = new Turns({ atOnce: 3, perParty: 2 })
    const ends = [await turns.take('a'), await turns.take('a')]
    let isGiven = false
    const third = turns.take('a').then((end) => {
      isGiven = true
      return end
    })
    const other = await turns.take('b')
    await settle()
    expect(isGiven).toBe(false)
    ends[0]?.()
    const last = await third
    for (const end of [other, last, ends[1]]) end?.()
    expect(await order(turns, ['x1', 'y1', 'z1'])).toEqual(['x1', 'y1', 'z1'])
  })

  it('for a table are limited, without delaying those for others, also of the same party', async () => {
    const turns = new Turns({ atOnce: 4, perParty: 4, perTable: 2, waitMs: 1 })
    const { signal } = new AbortController()
    const locked = [
      await turns.take('a', signal, { table: 'locked' }),
      await turns.take('b', signal, { table: 'locked' }),
    ]
    const waiting = turns.take('a', signal, { table: 'locked' })
    const others = [await turns.take('a', signal, { table: 'other' }), await turns.take('a')]
    await expect(waiting).rejects.toMatchObject({
      code: 'database/busy',
      message: expect.stringMatching(/wait for it/),
    })
    for (const end of [...locked, ...others]) end()
    for (const end of [
      await turns.take('a', signal, { table: 'locked' }),
      await turns.take('b', signal, { table: 'locked' }),
    ])
      end()
  })

  it('for maps leave some to other work of the same party, and to other parties', async () => {
    const turns = new Turns({ atOnce: 6, perParty: 4 })
    const takeMap = () => turns.take('a', undefined, { isMap: true })
    const ends = await Promise.all([takeMap(), takeMap(), takeMap()])
    let maps = 0
    const waiting = [takeMap(), takeMap()].map((one) =>
      one.then((end) => {
        maps += 1
        return end
      }),
    )
    const edit = await turns.take('a')
    const others = [await turns.take('b'), await turns.take('b')]
    await settle()
    expect(maps).toBe(0)
    for (const end of [edit, ...others, ...ends]) end()
    for (const end of await Promise.all(waiting)) end()
    expect(await order(turns, ['a1', 'b1'])).toEqual(['a1', 'b1'])
  })

  it('for exports are a part of those of a party and of all, and others of the same party do not wait', async () => {
    const turns = new Turns({ atOnce: 10, perParty: 8 })
    const ended: string[] = []
    const exportFor = async (party: string) => {
      const end = await turns.take(party, undefined, { isExport: true })
      ended.push(party)
      return end
    }
    const exports = ['a', 'a', 'a', 'a', 'b', 'b', 'b'].map(exportFor)
    const others = await Promise.all([turns.take('a'), turns.take('a'), turns.take('b')])
    await settle()
    expect(ended).toEqual(['a', 'a', 'a', 'b', 'b'])
    for (const end of others) end()
    for (const one of exports) (await one)()
    expect(ended).toHaveLength(7)
  })

  it('for exports are waited for longer, and are refused by name', async () => {
    const turns = new Turns({ atOnce: 1, perParty: 1, waitMs: 1, exportWaitMs: 2 })
    const end = await turns.take('a')
    const message = (isExport: boolean) =>
      turns.take('b', undefined, { isExport }).catch((error: unknown) => String(error))
    expect(await message(true)).toContain('exports')
    expect(await message(false)).toContain('all connections')
    end()
  })

  it('for maps delay other work of the same party by one turn', async () => {
    const turns = new Turns({ atOnce: 1, perParty: 1 })
    const given: string[] = []
    const take = async (name: string, isMap: boolean) => {
      const end = await turns.take('a', undefined, { isMap })
      given.push(name)
      await settle()
      end()
    }
    await Promise.all([
      ...['map 1', 'map 2', 'map 3', 'map 4'].map((name) => take(name, true)),
      ...['edit 1', 'edit 2'].map((name) => take(name, false)),
    ])
    expect(given).toEqual(['map 1', 'map 2', 'edit 1', 'map 3', 'edit 2', 'map 4'])
  })

  it('are not kept for who has gone away', async () => {
    const turns = new Turns({ atOnce: 1, perParty: 1 })
    const end = await turns.take('a')
    const leaving = new AbortController()
    const left = turns.take('b', leaving.signal)
    const stays = turns.take('c')
    leaving.abort()
    await expect(left).rejects.toMatchObject({ code: 'request/aborted' })
    end()
    const endLast = await stays
    endLast()
    expect(await order(turns, ['b1', 'a1'])).toEqual(['b1', 'a1'])
  })

  it('are waited for no longer than is said', async () => {
    const turns = new Turns({ atOnce: 1, perParty: 1, waitMs: 1 })
    const end = await turns.take('a')
    await expect(turns.take('b')).rejects.toMatchObject({ code: 'database/busy' })
    end()
    const again = await turns.take('b')
    again()
  })

  describe('after slow turns', () => {
    let time = 0
    const clock = () => time
    /** Takes a turn of a duration. */
    async function spend(turns: Turns, party: string, ms: number): Promise<void> {
      const end = await turns.take(party)
      time += ms
      end()
    }

    it('are granted first to who has used less', async () => {
      const turns = new Turns({ atOnce: 1, perParty: 1, clock })
      await spend(turns, 'a', 10_000)
      for (let at = 0; at < 25; at += 1) await spend(turns, 'b', 40)
      await spend(turns, 'c', 10)
      expect(await order(turns, ['a1', 'a2', 'b1', 'b2', 'c1', 'c2'])).toEqual([
        'a1',
        'c1',
        'c2',
        'b1',
        'b2',
        'a2',
      ])
      time += 600_000
      expect(await order(turns, ['a1', 'b1', 'a2', 'b2'])).toEqual(['a1', 'b1', 'a2', 'b2'])
    })

    it('wait a moment for the next short turn of a request', async () => {
      const turns = new Turns({ atOnce: 1, perParty: 1, clock })
      await spend(turns, 'slow', 10_000)
      const given: string[] = []
      const first = await turns.take('short')
      const slow = turns.take('slow').then((end) => {
        given.push('slow')
        return end
      })
      first()
      // Asked for in the same moment: no time passes.
      const next = await turns.take('short')
      given.push('short')
      next()
      const last = await slow
      last()
      expect(given).toEqual(['short', 'slow'])
    })

    it('are not kept from a slow party for long, however many short turns others take', async () => {
      const turns = new Turns({ atOnce: 1, perParty: 1, clock })
      await spend(turns, 'slow', 60)
      let left = await turns.take('short')
      let isGiven = false
      const slow = turns.take('slow').then((end) => {
        isGiven = true
        end()
      })
      for (let at = 0; at < 200 && !isGiven; at += 1) {
        time += 1
        left()
        // Asked for in the same moment: the turn is not free when the hold ends.
        left = await turns.take('short')
        await settle()
      }
      expect(isGiven).toBe(true)
      left()
      await slow
    })
  })
})
