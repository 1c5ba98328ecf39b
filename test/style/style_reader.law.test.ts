import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Color, colorOf } from '../../src/style/color.ts'
import { readMapserverXml } from '../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver/mapserver_style.ts'
import { compileRules } from '../../src/style/match_rules.ts'
import { readQml } from '../../src/style/qml/qml_read.ts'
import { writeQml } from '../../src/style/qml/qml_write.ts'
import { compileSymbol } from '../../src/style/resolve_symbol.ts'
import type { Rule, Style } from '../../src/style/style_model.ts'
import {
  brushes,
  type MapSymbol,
  markerShapes,
  type Stroke,
  type SymbolLayer,
} from '../../src/style/symbol_layer.ts'
import { qml } from '../support/qml.ts'

const runs = { seed: 20260715, numRuns: process.env.LANDFORM_SOAK ? 5000 : 300 }

const attributes = fc.dictionary(
  fc.constantFrom('n', 's', 'N', '__proto__'),
  fc.oneof(
    fc.constant(null),
    fc.double(),
    fc.string(),
    fc.boolean(),
    fc.constant('2012-05-12'),
    fc.constant({}),
  ),
)

const length = fc.integer({ min: 0, max: 400 }).map((quarters) => quarters / 4)
const color: fc.Arbitrary<Color> = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)).map(colorOf)
const offset = fc.tuple(length, length)
const stroke: fc.Arbitrary<Stroke> = fc.record({
  color,
  width: length,
  dash: fc.constantFrom([], [4, 2], [1, 0.5, 3, 2]),
  isDashRelative: fc.constant(false),
  dashOffset: length,
  join: fc.constantFrom('miter', 'bevel', 'round'),
  cap: fc.constantFrom('flat', 'square', 'round'),
})
const outline = stroke.map((one): Stroke => ({ ...one, dash: [], dashOffset: 0 }))
const pass = fc.integer({ min: 0, max: 20 })
const layer: fc.Arbitrary<SymbolLayer> = fc.oneof(
  fc
    .record(
      {
        kind: fc.constant('fill' as const),
        pass,
        color,
        brush: fc.constantFrom(...brushes),
        stroke: outline,
        offset,
      },
      { requiredKeys: ['kind', 'pass', 'color', 'brush', 'offset'] },
    )
    .map((fill) =>
      fill.stroke === undefined ? fill : { ...fill, stroke: { ...fill.stroke, cap: 'square' as const } },
    ),
  fc.record({
    kind: fc.constant('line' as const),
    pass,
    stroke,
    offset: length,
    rings: fc.constantFrom('all', 'exterior', 'interior'),
  }),
  fc.record(
    {
      kind: fc.constant('marker' as const),
      pass,
      shape: fc.constantFrom(...markerShapes),
      fill: color,
      stroke: outline,
      size: length,
      angle: fc.integer({ min: 0, max: 359 }),
      offset,
      anchor: fc.record({
        x: fc.constantFrom('left', 'center', 'right'),
        y: fc.constantFrom('top', 'center', 'bottom'),
      }),
    },
    { requiredKeys: ['kind', 'pass', 'shape', 'fill', 'size', 'angle', 'offset', 'anchor'] },
  ),
)
const symbol: fc.Arbitrary<MapSymbol> = fc.record({
  type: fc.constantFrom('marker', 'line', 'fill'),
  opacity: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
  layers: fc.array(layer, { maxLength: 3 }),
})

test('a symbol written as QML reads back equal, without issues', () => {
  fc.assert(
    fc.property(symbol, (written) => {
      const { style, issues } = readQml(writeQml(written))
      expect([style?.rules[0]?.symbol, issues]).toEqual([written, []])
    }),
    runs,
  )
})

const names = fc.constantFrom(
  ...[
    'renderer-v2',
    'symbols',
    'symbol',
    'layer',
    'Option',
    'prop',
    'rules',
    'rule',
    'categories',
    'category',
    'val',
  ],
  ...[
    'ranges',
    'range',
    'labeling',
    'settings',
    'text-style',
    'placement',
    'rendering',
    'data_defined_properties',
  ],
  ...[
    'blendMode',
    'layerOpacity',
    'effect',
    'orderby',
    'orderByClause',
    'map',
    'class',
    'style',
    'label',
    'expression',
  ],
  ...[
    'color',
    'size',
    'symbol',
    'gap',
    'pattern',
    'text',
    'angle',
    'offset',
    'width',
    'classitem',
    'labelitem',
    'status',
  ],
)
const attributeNames = fc.constantFrom(
  ...[
    'type',
    'attr',
    'name',
    'value',
    'class',
    'enabled',
    'pass',
    'k',
    'v',
    'symbol',
    'filter',
    'lower',
    'upper',
    'label',
  ],
  ...[
    'render',
    'fieldName',
    'isExpression',
    'placement',
    'quadOffset',
    'fontSize',
    'scalemindenom',
    'red',
    'x',
    'y',
  ],
)
const values = fc.constantFrom(
  ...[
    '',
    '0',
    '1',
    '-1',
    '1e400',
    'NaN',
    'singleSymbol',
    'categorizedSymbol',
    'graduatedSymbol',
    'RuleRenderer',
    'Map',
  ],
  ...[
    'SimpleFill',
    'SimpleLine',
    'SimpleMarker',
    'SvgMarker',
    'MarkerLine',
    'PointPatternFill',
    'properties',
    'size',
  ],
  ...[
    'size_unit',
    'MapUnit',
    'color',
    '1,2,3',
    '9,9',
    'n &gt; 1',
    'foo(',
    '((((',
    '__proto__',
    'simple',
    'rule-based',
  ],
)

/** Elements of both formats in any order. */
const xml: fc.Arbitrary<string> = fc.letrec<{ xml: string }>((tie) => ({
  xml: fc
    .record({
      name: names,
      attributes: fc.uniqueArray(fc.tuple(attributeNames, values), {
        maxLength: 5,
        selector: ([name]) => name,
      }),
      text: values,
      children: fc.array(fc.oneof({ maxDepth: 5 }, fc.constant(''), tie('xml')), { maxLength: 4 }),
    })
    .map(({ name, attributes: list, text, children }) => {
      const written = list.map(([key, value]) => ` ${key}="${value}"`).join('')
      return `<${name}${written}>${text}${children.join('')}</${name}>`
    }),
})).xml

const listRules = (rules: readonly Rule[]): Rule[] =>
  rules.flatMap((rule) => [rule, ...listRules(rule.children)])

/** Finds the rules of a feature, and resolves their symbols. */
function draw(style: Style, feature: Readonly<Record<string, unknown>>): void {
  const context = { attributes: feature, id: 1, scaleDenom: 1000 }
  for (const rule of [...compileRules(style)(context), ...listRules(style.rules)]) {
    if (rule.symbol !== undefined) compileSymbol(rule.symbol).resolve({ context, pixelsPerMapUnit: 0.1 })
  }
}

test('any XML is read to a style that can be drawn, or refused with issues that have positions', () => {
  fc.assert(
    fc.property(fc.array(xml, { maxLength: 4 }), attributes, (parts, feature) => {
      const fromQml = readQml(`<qgis>${parts.join('')}</qgis>`)
      const fromRenderer = readQml(qml('type="RuleRenderer"', parts.join('')))
      const fromXml = readMapserverXml(`<map><layer>${parts.join('')}</layer></map>`)
      const drawn = fromXml.style && styleOfMapserver(fromXml.style, 'POLYGON')
      for (const style of [fromQml.style, fromRenderer.style, drawn])
        if (style !== undefined) draw(style, feature)
      const issues = [...fromQml.issues, ...fromRenderer.issues, ...fromXml.issues]
      expect(issues.every(({ span }) => span !== undefined)).toBe(true)
      expect(fromQml.style).toBeDefined()
    }),
    runs,
  )
})

test('any text is read without an exception', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), xml), (text) => {
      expect(readQml(text).issues.length + readMapserverXml(text).issues.length).toBeGreaterThan(0)
    }),
    runs,
  )
})
