import { expect, test } from 'vitest'
import { batchLoads } from '../../src/core/batch_loads.ts'

/** A load whose answers are given by hand. */
function handLoad() {
  const loads: { keys: readonly number[]; answer: PromiseWithResolvers<Map<number, string>> }[] = []
  const find = batchLoads<number, string>((keys) => {
    const answer = Promise.withResolvers<Map<number, string>>()
    loads.push({ keys, answer })
    return answer.promise
  })
  const answer = (at: number) =>
    loads[at]?.answer.resolve(new Map(loads[at].keys.map((key) => [key, `load ${at} of ${key}`])))
  return { loads, find, answer }
}

test('keys requested during a load are loaded together afterwards', async () => {
  const { loads, find, answer } = handLoad()
  const first = find(1)
  const others = [find(2), find(3), find(2), find(1)]
  expect(loads.map(({ keys }) => keys)).toEqual([[1]])
  answer(0)
  expect(await first).toBe('load 0 of 1')
  expect(loads.map(({ keys }) => keys)).toEqual([[1], [2, 3, 1]])
  answer(1)
  expect(await Promise.all(others)).toEqual(['load 1 of 2', 'load 1 of 3', 'load 1 of 2', 'load 1 of 1'])
  const later = find(4)
  expect(loads.at(-1)?.keys).toEqual([4])
  answer(2)
  expect(await later).toBe('load 2 of 4')
})

test('a missing key is undefined', async () => {
  const find = batchLoads<number, string>(async () => new Map())
  expect(await find(1)).toBeUndefined()
})

test('a failing key does not make other keys fail', async () => {
  const find = batchLoads<number, string>(async (keys) => {
    if (keys.includes(13)) throw new Error(`no luck with ${keys.join(' and ')}`)
    return new Map(keys.map((key) => [key, `found ${key}`]))
  })
  const first = find(0)
  const answers = await Promise.allSettled([find(12), find(13), find(14)])
  expect(await first).toBe('found 0')
  expect(answers).toEqual([
    { status: 'fulfilled', value: 'found 12' },
    { status: 'rejected', reason: new Error('no luck with 13') },
    { status: 'fulfilled', value: 'found 14' },
  ])
})

test('a failing load does not block the next one', async () => {
  let fails = true
  const find = batchLoads<number, string>((keys) => {
    if (fails) throw new Error('away')
    return Promise.resolve(new Map(keys.map((key) => [key, 'back'])))
  })
  await expect(find(1)).rejects.toThrow('away')
  fails = false
  expect(await find(1)).toBe('back')
})
