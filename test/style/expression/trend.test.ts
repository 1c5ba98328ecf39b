import { expect, test } from 'vitest'
import { parseExpression } from '../../../src/style/expression/expression_parse.ts'
import { trendOf } from '../../../src/style/expression/trend.ts'

const find = (text: string) => trendOf(parseExpression(text))

test.each([
  '"a"',
  '-(-"a")',
  '2 * "a" + 1',
  '"a" / 3 - 1',
  '"a" ^ 0.5',
  'sqrt("a")',
  'coalesce(to_real("a"), 0)',
  'min("a", 10)',
  'round("a", 1)',
  'clamp(1, "a", 9)',
  'scale_linear("a", 0, 100, 1, 10)',
  'scale_exp(sqrt("a"), 0, 100, 1, 10, 0.57)',
  '1 - scale_linear("a", 0, 100, 10, 1)',
])('rises with the field: %s', (text) => expect(find(text)).toEqual({ name: 'a', isRising: true }))

test.each(['-"a"', '10 - "a"', '"a" * -2', '"a" / -2', '-1 * "a"', 'scale_linear("a", 0, 100, 10, 1)'])(
  'falls with the field: %s',
  (text) => expect(find(text)).toEqual({ name: 'a', isRising: false }),
)

test.each([
  '1',
  '0 * "a"',
  '"a" + "b"',
  '"a" - "a"',
  '5 / "a"',
  '"a" % 2',
  'abs("a")',
  'sin("a")',
  'scale_linear("a", 0, "b", 1, 10)',
  'scale_linear("a", 0, 100, 5, 5)',
  `case when "a" > 1 then 2 end`,
  '@map_scale',
])('neither rises nor falls, as far as is known: %s', (text) => expect(find(text)).toBeUndefined())
