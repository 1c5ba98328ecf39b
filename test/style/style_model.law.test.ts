import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Color, colorOf } from '../../src/style/color.ts'
import { diffStyles } from '../../src/style/diff/style_diff.ts'
import { compileFilter } from '../../src/style/expression/expression_evaluate.ts'
import {
  formatMapserverExpression,
  parseMapserverExpression,
} from '../../src/style/mapserver/mapserver_expression.ts'
import { expressionOfFilter, type Filter, type Operand } from '../../src/style/mapserver/mapserver_filter.ts'
import {
  defaultLabel,
  labelAlignments,
  labelPositions,
  type MapserverClass,
  type MapserverLabel,
  type MapserverStyle,
  markers,
  type Symbolizer,
} from '../../src/style/mapserver/mapserver_model.ts'
import { readMapserverXml } from '../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver/mapserver_style.ts'
import { writeMapserverXml } from '../../src/style/mapserver/mapserver_write.ts'
import { canonicalXml, isSameXml } from '../../src/style/xml/canonical_xml.ts'
import { readXml } from '../../src/style/xml/xml_read.ts'

const runs = { seed: 20260301, numRuns: process.env.LANDFORM_SOAK ? 5000 : 300 }

/** Text that XML can hold, without leading or trailing white space, which the reader trims. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .map((value) => value.replaceAll(/[^\t\n\r -\uD7FF\uE000-\uFFFD]/g, '?').trim())
  .filter((value) => value !== '')
const word = fc
  .string({ unit: fc.constantFrom(...'abcxyz019_ '), minLength: 1, maxLength: 6 })
  .map((value) => `k${value}k`)
const number = fc
  .double({ min: -1e9, max: 1e9, noNaN: true })
  .map((value) => (Object.is(value, -0) ? 0 : value))
const length = fc
  .oneof(fc.integer({ min: 0, max: 1000 }), fc.double({ min: 0, max: 1000, noNaN: true }))
  .map((value) => value + 0)
const color: fc.Arbitrary<Color> = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map(colorOf)

const comparison = fc.record({
  op: fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge'),
  field: word,
  value: fc.oneof(number, text),
})
const operand: fc.Arbitrary<Operand> = fc.letrec<{ operand: Operand; value: Operand }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.record({ kind: fc.constant('field' as const), name: word, isText: fc.boolean() }),
    fc.record({ kind: fc.constant('literal' as const), value: fc.nat() }),
    fc.record({
      kind: fc.constant('call' as const),
      name: fc.constantFrom('length', 'upper', 'lower'),
      operand: tie('operand'),
    }),
  ),
  operand: fc.oneof(
    { maxDepth: 2 },
    tie('value'),
    fc.record({
      kind: fc.constant('arithmetic' as const),
      operator: fc.constantFrom('*', '/', '%'),
      left: tie('value'),
      right: tie('value'),
    }),
  ),
})).operand
const leaf: fc.Arbitrary<Filter> = fc.oneof(
  comparison,
  fc.record({
    op: fc.constant('computed' as const),
    comparison: fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge'),
    left: fc.record({ kind: fc.constant('call' as const), name: fc.constant('length' as const), operand }),
    right: operand,
  }),
  fc.record({
    op: fc.constant('in' as const),
    field: word,
    values: fc.array(word, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    op: fc.constant('matches' as const),
    field: word,
    pattern: fc.constantFrom('^a', 'a|b', '\\d+\\.x', "'", '[a-c]'),
    ignoreCase: fc.boolean(),
  }),
)
const filter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({
      op: fc.constantFrom('and', 'or'),
      filters: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ op: fc.constant('not' as const), filter: tie('filter') }),
  ),
})).filter

const pair = fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -1000, max: 1000 }))
const label: fc.Arbitrary<MapserverLabel> = fc
  .record(
    {
      text,
      size: length,
      color,
      outline: color,
      outlineWidth: length,
      font: text,
      position: fc.constantFrom(...labelPositions),
      angle: fc.oneof(
        fc.integer({ min: -360, max: 360 }),
        fc.constantFrom('auto' as const, 'follow' as const),
      ),
      offset: pair,
      priority: fc.integer({ min: 1, max: 10 }),
      isForced: fc.boolean(),
      wrap: text,
      align: fc.constantFrom(...labelAlignments),
      maxLength: length,
      minScaleDenom: fc.nat(),
      maxScaleDenom: fc.nat(),
    },
    { requiredKeys: ['text', 'color'] },
  )
  .map((own) => ({ ...defaultLabel, ...own }))

const symbolizer: fc.Arbitrary<Symbolizer> = fc.record(
  {
    fill: color,
    outline: color,
    width: length,
    casing: length,
    size: length,
    marker: fc.constantFrom(...markers),
    angle: fc.integer({ min: -360, max: 360 }),
    opacity: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
    dash: fc
      .array(fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 99 })), { maxLength: 2 })
      .map((pairs) => pairs.flat()),
    offset: pair,
    gap: fc.integer({ min: -1000, max: 1000 }),
    initialGap: length,
    join: fc.constantFrom('miter', 'bevel', 'round'),
    cap: fc.constantFrom('butt', 'square', 'round'),
  },
  { requiredKeys: ['width', 'casing', 'size', 'marker', 'angle', 'opacity', 'dash'] },
)
const rule: fc.Arbitrary<MapserverClass> = fc.record(
  {
    label: text,
    filter,
    minScaleDenom: fc.nat(),
    maxScaleDenom: fc.nat(),
    isOff: fc.constant(true as const),
    labels: fc.array(label, { minLength: 1, maxLength: 2 }),
    symbolizers: fc.array(symbolizer, { maxLength: 3 }),
  },
  { requiredKeys: ['symbolizers'] },
)
const style: fc.Arbitrary<MapserverStyle> = fc.record({
  rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
})

test('a written style reads back equal, without issues', () => {
  fc.assert(
    fc.property(style, (written) => {
      expect(readMapserverXml(writeMapserverXml(written))).toEqual({ style: written, issues: [] })
    }),
    runs,
  )
})

test('a formatted filter parses to an equal filter', () => {
  fc.assert(
    fc.property(filter, (written) => {
      expect(parseMapserverExpression(formatMapserverExpression(written), undefined)).toEqual(written)
    }),
    runs,
  )
})

test('a negated filter matches exactly the features that the filter does not', () => {
  const attributes = fc.dictionary(word, fc.oneof(number, text, fc.constant(null)))
  fc.assert(
    fc.property(filter, attributes, (inner, values) => {
      const selects = (one: Filter) => compileFilter(expressionOfFilter(one))({ attributes: values })
      expect(selects({ op: 'not', filter: inner })).toBe(!selects(inner))
    }),
    runs,
  )
})

test('two styles have no differences exactly if they are equal', () => {
  const styles = fc.tuple(
    fc.constantFrom('POINT' as const, 'LINESTRING' as const, 'POLYGON' as const),
    style,
    style,
  )
  fc.assert(
    fc.property(styles, ([family, one, other]) => {
      const [from, to, again] = [one, other, structuredClone(one)].map((written) =>
        styleOfMapserver(written, family),
      )
      if (from === undefined || to === undefined || again === undefined) throw new Error('no style')
      expect(diffStyles(from, again)).toEqual([])
      expect(diffStyles(from, to).length > 0).toBe(!isDeepStrictEqual(from, to))
      for (const edit of diffStyles(from, to)) expect(edit.from).not.toBe(edit.to)
    }),
    runs,
  )
})

test('a style with shuffled, removed and renamed rules differs by just these', () => {
  const cases = fc.tuple(
    fc.array(rule, { minLength: 2, maxLength: 5 }),
    fc.nat(),
    fc.constantFrom('remove', 'rename', 'swap'),
  )
  fc.assert(
    fc.property(cases, ([written, seed, kind]) => {
      const rules = written.map((one, at) => ({ ...one, label: `class ${at}` }))
      const at = seed % rules.length
      const after = changeRules(rules, at, kind)
      const draw = (list: readonly MapserverClass[]) => styleOfMapserver({ rules: list }, 'POLYGON')
      const edits = diffStyles(draw(rules), draw(after))
      const path = [`rule "class ${at}"`]
      if (kind === 'remove') expect(edits).toMatchObject([{ path, action: 'remove' }])
      if (kind === 'rename')
        expect(edits).toEqual([
          { path, action: 'change', property: 'label', from: `"class ${at}"`, to: '"new"' },
        ])
      if (kind === 'swap') expect(edits).toMatchObject([{ path: [], property: 'order' }])
    }),
    runs,
  )
})

function changeRules(rules: readonly MapserverClass[], at: number, kind: string): MapserverClass[] {
  if (kind === 'remove') return rules.toSpliced(at, 1)
  if (kind === 'rename') return rules.map((one, index) => (index === at ? { ...one, label: 'new' } : one))
  const [first, ...rest] = rules
  return first === undefined ? [] : [...rest, first]
}

interface XmlForm {
  readonly space: string
  readonly quote: string
  readonly reverse: boolean
}

const xmlForm: fc.Arbitrary<XmlForm> = fc.record({
  space: fc.constantFrom('', ' ', '\n\t', '\r\n', '<!-- a -->'),
  quote: fc.constantFrom('"', "'"),
  reverse: fc.boolean(),
})

/** Rewrites XML without changing its meaning. */
function rewrite(xml: string, { space, quote, reverse }: XmlForm): string {
  return `${space}${xml}`
    .replaceAll(/>\s*</g, `>${space}<`)
    .replaceAll(/<(\w+)((?: \w+="\d+")+)\/>/g, (_, name: string, attributes: string) => {
      const list = attributes
        .trim()
        .split(' ')
        .map((one) => one.replaceAll('"', quote))
      return `<${name}  ${(reverse ? list.reverse() : list).join('\n')}></${name}>`
    })
    .replaceAll(/<(width|size)>([^<]*)<\/\w+>/g, `<$1 value=${quote}$2${quote}/>`)
}

test('the canonical form does not depend on the formatting of the XML', () => {
  fc.assert(
    fc.property(style, xmlForm, (written, form) => {
      const xml = writeMapserverXml(written)
      expect(canonicalXml(rewrite(xml, form))).toBe(canonicalXml(xml))
    }),
    runs,
  )
})

test('the canonical form describes the same style and is idempotent', () => {
  fc.assert(
    fc.property(style, (written) => {
      const canonical = canonicalXml(writeMapserverXml(written))
      expect(readMapserverXml(canonical).style).toEqual(written)
      expect(canonicalXml(canonical)).toBe(canonical)
    }),
    runs,
  )
})

test('two styles are equal only if their XML is equal', () => {
  fc.assert(
    fc.property(style, style, (one, other) => {
      const [a, b] = [writeMapserverXml(one), writeMapserverXml(other)]
      expect(isSameXml(a, b)).toBe(a === b)
    }),
    runs,
  )
})

test('the reader reports an issue for any invalid text and never throws', () => {
  const pieces = fc.constantFrom(
    '<map>',
    '</map>',
    '<layer>',
    '<style a="',
    '"/>',
    '&amp;',
    '&x;',
    ']]>',
    '<![CDATA[',
    '<!--',
    '-->',
    '<?a',
    '?>',
    '\u0000',
    'é',
    '\n',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const { root, issues } = readXml(parts.join(''), 'x')
      expect(root === undefined ? issues.length : 1).toBe(1)
    }),
    runs,
  )
})
