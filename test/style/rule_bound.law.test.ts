import fc from 'fast-check'
import { test } from 'vitest'
import { readMapserverXml } from '../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver/mapserver_style.ts'
import { compileRules } from '../../src/style/match_rules.ts'
import { readQml } from '../../src/style/qml/qml_read.ts'
import { type Bound, boundsAtScale, isWithin, type TextBound } from '../../src/style/rule_bound.ts'
import type { Style } from '../../src/style/style_model.ts'
import { coloredSymbol, qml, symbols } from '../support/qml.ts'

const runs = { seed: 20260601, numRuns: process.env.LANDFORM_SOAK ? 5000 : 300 }

const number = fc.integer({ min: -3, max: 3 })
const comparison = fc
  .tuple(fc.constantFrom('<', '<=', '>', '>=', '='), number)
  .map(([operator, value]) => `n ${operator} ${value}`)
const equality = fc.constantFrom('a', 'b', '2', '').map((text) => `s = '${text}'`)
const simple = fc.oneof(comparison, comparison, equality)
const condition = fc.oneof(
  simple,
  fc.tuple(simple, fc.constantFrom(' AND ', ' OR '), simple).map((parts) => parts.join('')),
  fc.constant(''),
)
const rule = fc.record({ condition, most: fc.constantFrom(0, 50, 200), least: fc.constantFrom(0, 20, 150) })
type Written = typeof rule extends fc.Arbitrary<infer T> ? T : never

const escapeXml = (text: string) => text.replaceAll('<', '&lt;')

function mapserver(rules: readonly Written[]): Style | undefined {
  const classes = rules.map(({ condition: text, most, least }) => {
    const filter =
      text === ''
        ? ''
        : `<expression>(${escapeXml(text.replaceAll('n ', '[n] ').replaceAll('s ', '[s] '))})</expression>`
    const limits = `<minscaledenom>${least}</minscaledenom><maxscaledenom>${most || 1000}</maxscaledenom>`
    return `<class>${filter}${limits}<style><color red="1" green="2" blue="3"/></style></class>`
  })
  const { style } = readMapserverXml(`<map><layer>${classes.join('')}</layer></map>`)
  return style && styleOfMapserver(style, 'POLYGON')
}

function desktop(rules: readonly Written[]): Style | undefined {
  const list = rules.map(
    ({ condition: text, most, least }) =>
      `<rule symbol="0" filter="${escapeXml(text)}" scalemindenom="${least}" scalemaxdenom="${most}"/>`,
  )
  const inner = `<rules key="r">${list.join('')}</rules>${symbols(coloredSymbol('0', '1,2,3,255'))}`
  return readQml(qml('type="RuleRenderer"', inner)).style
}

const contains = (n: number | null, s: string | null, bound: Bound | TextBound) =>
  'texts' in bound ? bound.texts.includes(s ?? '') : isWithin(n ?? 0, bound)

test('features that a style draws at a scale are within one of its bounds, if no value is 0 or empty', () => {
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 5 }),
      fc.option(number),
      fc.option(fc.constantFrom('a', 'b', 'c', '2')),
      fc.constantFrom(10, 100, 300),
      fc.constantFrom(mapserver, desktop),
      (rules, n, s, scaleDenom, read) => {
        const style = read(rules)
        const bounds = style && boundsAtScale(style, scaleDenom)
        if (style === undefined || bounds === undefined) return true
        const drawn = compileRules(style)({ attributes: { n, s }, scaleDenom })
        const isBound = bounds.some((bound) => contains(n, s, bound))
        return drawn.length === 0 || isBound
      },
    ),
    runs,
  )
})
