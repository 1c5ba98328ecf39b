import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactJson } from '../../../src/core/long_number.ts'
import { readJsonItems } from '../../../src/server/http/json_items.ts'
import { inPieces } from '../../support/pieces.ts'

const run = { seed: 20_240_504, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 300 }

async function readAll(text: string | Uint8Array, sizes: readonly number[], itemLimitBytes = 1e6) {
  const items: unknown[] = []
  const chunks = inPieces(Buffer.from(text), sizes)
  for await (const item of readJsonItems(chunks, { itemLimitBytes })) items.push(item)
  return items
}

const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 })

describe('readJsonItems', () => {
  test('returns the items of the list, however the text is split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), sizes, fc.nat(3), async (items, cuts, indent) => {
        const text = JSON.stringify(items, null, indent)
        expect(await readAll(text, cuts)).toEqual(parseExactJson(text))
      }),
      run,
    )
  })

  test('refuses every text that JSON.parse refuses or that is not a list', async () => {
    const broken = fc.tuple(
      fc.array(fc.jsonValue(), { maxLength: 3 }),
      fc.nat(),
      fc.constantFrom(...'[]{}",:\\ 1'),
    )
    await fc.assert(
      fc.asyncProperty(broken, sizes, async ([items, place, character], cuts) => {
        const good = JSON.stringify(items)
        const at = place % (good.length + 1)
        const text = good.slice(0, at) + character + good.slice(at + 1)
        const expected = parseList(text)
        const found = readAll(text, cuts)
        if (expected) expect(await found).toEqual(expected)
        else
          await expect(found).rejects.toMatchObject({
            code: expect.stringMatching(text.trimStart().startsWith('[') ? 'malformed' : 'malformed|invalid'),
          })
      }),
      run,
    )
  })

  test('limits each item, not the list', async () => {
    const item = { a: 'x'.repeat(50) }
    expect(await readAll(JSON.stringify(Array(100).fill(item)), [7], 60)).toHaveLength(100)
    await expect(readAll(JSON.stringify([item, { a: 'x'.repeat(60) }]), [7], 60)).rejects.toMatchObject({
      code: 'request/too-large',
      message: expect.stringContaining('Item 1'),
    })
  })

  test('skips a complete byte order mark only', async () => {
    expect(await readAll('\ufeff [1]', [1])).toEqual([1])
    const mark = Buffer.from('\ufeff')
    const bad = [
      [mark.subarray(0, 2), '[1]'],
      [mark, mark, '[1]'],
      ['[', mark, '1]'],
    ]
    for (const parts of bad)
      await expect(readAll(Buffer.concat(parts.map((part) => Buffer.from(part))), [1])).rejects.toMatchObject(
        {
          code: 'request/malformed',
        },
      )
  })

  test('reports the unexpected value', async () => {
    const cases = [
      ['[1,]', 'expected another item after the comma'],
      ['{}', 'Expected a list, got a value starting with "{" - at $'],
      [' 17', 'Expected a list, got a value starting with "1" - at $'],
      ['hello', 'unexpected "h"'],
      ['\u0007', 'unexpected "\\x07"'],
    ] as const
    for (const [text, told] of cases) await expect(readAll(text, [1])).rejects.toThrow(told)
  })

  test('refuses bytes that are not UTF-8', async () => {
    await expect(readAll(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]), [1])).rejects.toMatchObject({
      code: 'request/malformed',
    })
  })
})

function parseList(text: string): unknown[] | undefined {
  try {
    const value = parseExactJson(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
