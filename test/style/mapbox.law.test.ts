import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Color, colorOf } from '../../src/style/color.ts'
import type { Expression } from '../../src/style/expression/expression.ts'
import { compileFilter } from '../../src/style/expression/expression_evaluate.ts'
import { readMapboxStyle } from '../../src/style/mapbox/mapbox_read.ts'
import { writeMapboxStyle } from '../../src/style/mapbox/mapbox_write.ts'
import type { Rule, Style } from '../../src/style/style_model.ts'
import type { SimpleFill, SimpleLine, SimpleMarker, Stroke } from '../../src/style/symbol_layer.ts'

const runs = { seed: 20261124, numRuns: process.env.LANDFORM_SOAK ? 5000 : 200 }

const color: fc.Arbitrary<Color> = fc
  .tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.integer({ min: 1, max: 255 }))
  .map(colorOf)
const length = fc.integer({ min: 1, max: 400 }).map((value) => value / 8)
const literal = (value: string | number) => ({ op: 'literal', value }) as const
const number: Expression = { op: 'field', name: 'n' }
const text: Expression = { op: 'field', name: 's' }
const value = fc.integer({ min: -5, max: 5 })
const word = fc.constantFrom('a', 'b', 'é "x"', '')

const leaf: fc.Arbitrary<Expression> = fc.oneof(
  fc.tuple(fc.constantFrom('=', '<>', '<', '<=', '>', '>=', 'is', 'is not'), value).map(
    ([operator, right]): Expression => ({
      ...{ op: 'binary', operator, left: number },
      right: literal(right),
    }),
  ),
  fc.tuple(fc.constantFrom('=', '<>', 'is not'), word).map(
    ([operator, right]): Expression => ({
      ...{ op: 'binary', operator, left: text },
      right: literal(right),
    }),
  ),
  fc.array(word, { minLength: 1, maxLength: 3 }).map(
    (words): Expression => ({
      ...{ op: 'in', operand: text, isNegated: false },
      items: words.map(literal),
    }),
  ),
  fc.tuple(value, value, fc.boolean()).map(
    ([lower, upper, isNegated]): Expression => ({
      ...{ op: 'between', operand: number, isNegated },
      ...{ lower: literal(lower), upper: literal(upper) },
    }),
  ),
)
const filter: fc.Arbitrary<Expression> = fc.letrec<{ filter: Expression }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 2, maxLength: 3 }))
      .map(([op, operands]): Expression => ({ op, operands })),
    tie('filter').map((operand): Expression => ({ op: 'not', operand })),
  ),
})).filter

const stroke: fc.Arbitrary<Stroke> = fc.record({
  color,
  width: length,
  dash: fc.constantFrom([], [2, 1]),
  isDashRelative: fc.constant(true),
  dashOffset: fc.constant(0),
  join: fc.constantFrom('miter', 'bevel', 'round'),
  cap: fc.constantFrom('flat', 'square', 'round'),
})
const placed = { pass: 0, offset: [0, 0] } as const
const fill = color.map((one): SimpleFill => ({ ...placed, kind: 'fill', color: one, brush: 'solid' }))
const line = fc
  .tuple(stroke, fc.integer({ min: -5, max: 5 }))
  .map(([one, offset]): SimpleLine => ({ kind: 'line', pass: 0, stroke: one, offset, rings: 'all' }))
const marker = fc.tuple(color, length, fc.option(stroke)).map(
  ([one, size, edge]): SimpleMarker => ({
    ...{
      ...placed,
      kind: 'marker',
      shape: 'circle',
      fill: one,
      angle: 0,
      anchor: { x: 'center', y: 'center' },
    },
    size: size + 100,
    ...(edge === null ? {} : { stroke: edge }),
  }),
)
const rule: fc.Arbitrary<Rule> = fc
  .tuple(
    fc.option(filter),
    fc.array(fc.oneof(fill, line, marker), { minLength: 1, maxLength: 3 }),
    fc.nat(3),
    fc.nat(22),
  )
  .map(([one, layers, name, zoom]) => ({
    ...(one === null ? {} : { filter: one }),
    ...(name === 0 ? {} : { label: `rule ${name}` }),
    ...(zoom === 0 ? {} : { maxScaleDenom: 5e8 / 2 ** zoom }),
    ...{ isElse: false, isDrawn: true, labels: [], children: [] },
    symbol: { type: 'marker', opacity: 1, layers },
  }))
const style: fc.Arbitrary<Style> = fc.array(rule, { minLength: 1, maxLength: 4 }).map((rules) => ({
  ...{ rules, matching: 'all', levels: 'none', order: [], opacity: 1 },
  ...{ blending: 'normal', featureBlending: 'normal', labels: [] },
}))

const source = { tiles: 'https://example.org/{z}/{x}/{y}', layer: 'a' }

test('styles of Mapbox GL that we write are read without issues, and written again as the same text', () => {
  fc.assert(
    fc.property(style, (one) => {
      const { text: first } = writeMapboxStyle(one, source)
      const { style: read, issues } = readMapboxStyle(first)
      expect(issues).toEqual([])
      if (read === undefined) throw new Error(first)
      expect(writeMapboxStyle(read, source).text).toBe(first)
    }),
    runs,
  )
})

test('filters select the same features after they are written and read', () => {
  const values = fc.record({ n: value, s: word })
  fc.assert(
    fc.property(filter, values, (one, attributes) => {
      const drawn: SimpleFill = { ...placed, kind: 'fill', color: '#ff0000', brush: 'solid' }
      const symbol = { type: 'fill', opacity: 1, layers: [drawn] } as const
      const rules: Rule[] = [{ filter: one, isElse: false, isDrawn: true, labels: [], children: [], symbol }]
      const written = writeMapboxStyle({ ...emptyStyle, rules }, source).text
      const [read] = readMapboxStyle(written).style?.rules ?? []
      const isSelected = compileFilter(one)({ attributes })
      expect(read?.filter === undefined ? true : compileFilter(read.filter)({ attributes })).toBe(isSelected)
    }),
    runs,
  )
})

const emptyStyle: Style = {
  ...{ rules: [], matching: 'all', levels: 'none', order: [], opacity: 1 },
  ...{ blending: 'normal', featureBlending: 'normal', labels: [] },
}
