import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LongNumber, parseExactJson } from '../../src/core/long_number.ts'

const run = { seed: 20_261_129, numRuns: process.env.LANDFORM_SOAK ? 50_000 : 1000 }

/** Replaces long integers by the numbers that `JSON.parse` rounds them to. */
function rounded(value: unknown): unknown {
  if (value instanceof LongNumber) return Number(value.digits)
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(part)]))
}

const outcome = (parse: () => unknown) => {
  try {
    return { value: parse() }
  } catch (error) {
    return { error: String(error) }
  }
}

const digits = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String)

test('parseExactJson agrees with JSON.parse but for the digits of long integers', () => {
  const text = fc
    .oneof(digits, fc.string(), fc.constantFrom('[1, 9007199254740993]', '\\', '"'))
    .map((one) => JSON.stringify(one))
  const value = fc.oneof(
    digits,
    text,
    fc.jsonValue().map((one) => JSON.stringify(one, null, 1)),
  )
  const list = fc.array(value).map((values) => `[${values.join(' , ')}]`)
  // Of members with the same name, V8 does not always take the last.
  const members = fc.uniqueArray(fc.tuple(text, value), { selector: ([name]) => name })
  const object = members.map((all) => `{${all.map(([name, one]) => `${name}: ${one}`).join(',\n')}}`)
  const noise = fc.record({ place: fc.nat(), character: fc.constantFrom('', ...'[]{}",:\\ 09-.') })
  fc.assert(
    fc.property(fc.oneof(list, object, value), noise, (good, { place, character }) => {
      const at = place % (good.length + 1)
      const json = good.slice(0, at) + character + good.slice(at)
      expect(outcome(() => rounded(parseExactJson(json)))).toEqual(outcome(() => JSON.parse(json)))
    }),
    run,
  )
})

test('parseExactJson keeps all digits of integers beyond 2^53, and only of those', () => {
  fc.assert(
    fc.property(fc.array(digits), fc.constantFrom(',', ' , ', ',\n'), (list, separator) => {
      const exact = list.map((one) => (Number.isSafeInteger(Number(one)) ? Number(one) : new LongNumber(one)))
      expect(parseExactJson(`[${list.join(separator)}]`)).toEqual(exact)
      const members = list.map((one, at) => `"${at}":${one}`)
      expect(parseExactJson(`{${members.join(separator)}}`)).toEqual({ ...exact })
    }),
    run,
  )
})
