import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitArray } from '../../src/pipeline/splitter.ts'

async function* chunksOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const split = (text: string, size = 7) => Array.fromAsync(splitArray(chunksOf(text, size)))

describe('splitArray', () => {
  it('returns the items of any list of objects, however it is split into chunks', async () => {
    const items = fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()))
    const law = fc.asyncProperty(
      items,
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      async (list, size, isPretty) => {
        const text = JSON.stringify(list, null, isPretty ? 1 : 0)
        const found = await split(text, size)
        expect(found.map((item) => JSON.parse(item))).toEqual(JSON.parse(text))
      },
    )
    await fc.assert(law, { seed: 7, numRuns: process.env.LANDFORM_SOAK ? 5000 : 200 })
  })

  it('ignores brackets and escapes within strings', async () => {
    const text = '[{"a":"}]\\"{","b":"\\\\"},{"c":[{}]}]'
    expect(await split(text, 1)).toEqual(['{"a":"}]\\"{","b":"\\\\"}', '{"c":[{}]}'])
  })

  it.each(['', '[', '[{"a":1}', '[{"a":1},', '[{"a":'])('refuses %j, which is truncated', async (text) => {
    await expect(split(text)).rejects.toThrow('its closing bracket is missing')
  })

  it('refuses a list of other values', async () => {
    await expect(split('[1]')).rejects.toThrow('Expected an object in the list, got "1"')
  })
})
