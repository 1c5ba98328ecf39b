import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Expression } from '../../src/style/expression/expression.ts'
import { compileFilter } from '../../src/style/expression/expression_evaluate.ts'
import { withExpressionWork } from '../../src/style/expression/expression_work.ts'
import { compileRules } from '../../src/style/match_rules.ts'
import type { Rule } from '../../src/style/style_model.ts'

const runs = { seed: 20261128, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 1000 }

const ruleOf = (filter: Expression | undefined): Rule => ({
  ...{ isElse: false, isDrawn: true, labels: [], children: [] },
  symbol: { type: 'marker', opacity: 1, layers: [] },
  ...(filter === undefined ? {} : { filter }),
})
const field = (name: string): Expression => ({ op: 'field', name })
const literal = (value: string | number | boolean | null): Expression => ({ op: 'literal', value })
const isEqual = (left: Expression, right: Expression): Expression => ({
  ...{ op: 'binary', operator: '=', left, right },
})

const value = fc.constantFrom(0, 1, -1, 0.3, 0.1 + 0.2, 1e20, '0', '1', '1.0', ' 1 ', '', 'a', 'true', 'inf')
const anyValue = fc.oneof(value, fc.constantFrom(null, true, false, Number.POSITIVE_INFINITY))
const operand = fc.constantFrom(field('a'), field('b'))
const filter = fc.oneof(
  fc
    .tuple(operand, value.map(literal), fc.boolean())
    .map(([one, other, isTurned]) => (isTurned ? isEqual(other, one) : isEqual(one, other))),
  fc.tuple(operand, fc.array(anyValue, { minLength: 1, maxLength: 3 }), fc.boolean()).map(
    ([one, items, isNegated]): Expression => ({
      op: 'in',
      operand: one,
      items: items.map(literal),
      isNegated,
    }),
  ),
  fc.constant(undefined),
)

test('rules that compare a value with constants apply as each of them does alone', () => {
  fc.assert(
    fc.property(fc.array(filter, { maxLength: 20 }), anyValue, anyValue, (filters, a, b) => {
      const rules = filters.map(ruleOf)
      const context = { attributes: { a, b } }
      const applying = rules.filter(
        (rule) => rule.filter === undefined || compileFilter(rule.filter)(context),
      )
      expect(compileRules({ rules, matching: 'all' })(context)).toEqual(applying)
      expect(compileRules({ rules, matching: 'first' })(context)).toEqual(applying.slice(0, 1))
    }),
    runs,
  )
})

describe('5000 rules that compare a value with constants', () => {
  test.each([
    ['strings', (at: number) => literal(`v${at}`), 'v7'],
    ['numbers', literal, 7],
  ])('take the work of a few: %s', (_name, constantOf, known) => {
    const rules = Array.from({ length: 5000 }, (_, at) => ruleOf(isEqual(field('a'), constantOf(at))))
    for (const matching of ['first', 'all'] as const) {
      const match = compileRules({ rules, matching })
      const countOf = (a: string | number) => match({ attributes: { a } }).length
      const counts = withExpressionWork(100, () => ['x', known].map(countOf))
      expect(counts).toEqual([0, 1])
    }
  })
})
