import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readLines, readText } from '../../src/api/read_lines.ts'

async function* pieces(bytes: Uint8Array, sizes: readonly number[]) {
  let start = 0
  for (let at = 0; start < bytes.length; at += 1) {
    const end = start + (sizes[at % sizes.length] ?? 1)
    yield bytes.subarray(start, end)
    start = end
  }
}

describe('readLines', () => {
  it('returns the same lines however the bytes are split, even within characters', async () => {
    const line = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .filter((text) => !text.includes('\n') && text !== '')
    const cut = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), cut, fc.boolean(), async (lines, sizes, ends) => {
        const bytes = Buffer.from(lines.join('\n') + (ends ? '\n' : ''))
        expect(await Array.fromAsync(readLines(pieces(bytes, sizes)))).toEqual(lines)
        expect(await readText(pieces(bytes, sizes))).toBe(bytes.toString())
      }),
      { seed: 20_240_602, numRuns: process.env.LANDFORM_SOAK ? 5000 : 200 },
    )
  })
})
