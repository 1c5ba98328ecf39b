import { expect, test } from 'vitest'
import { readMapboxStyle } from '../../src/style/mapbox/mapbox_read.ts'
import { writeMapboxStyle } from '../../src/style/mapbox/mapbox_write.ts'
import { readMapserverXml } from '../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver/mapserver_style.ts'
import { compileRules } from '../../src/style/match_rules.ts'
import { readQml } from '../../src/style/qml/qml_read.ts'
import { readSld } from '../../src/style/sld/sld_read.ts'
import { writeSld } from '../../src/style/sld/sld_write.ts'
import type { Style } from '../../src/style/style_model.ts'
import { coloredSymbol, namedSymbol, qml, single, symbolLayer, symbols } from '../support/qml.ts'

function read(text: string): Style {
  const { style, issues } = readQml(text)
  expect(issues).toEqual([])
  if (style === undefined) throw new Error('not QML')
  return style
}

/** Writes a style as SLD, and reads it again. */
function rewrite(style: Style): Style {
  const { text, untranslated } = writeSld(style)
  expect(untranslated).toEqual([])
  const { style: again, issues } = readSld(text)
  expect(issues).toEqual([])
  if (again === undefined) throw new Error(text)
  return again
}

const drawnBy = (style: Style, attributes: Record<string, string | number | null>) =>
  compileRules(style)({ attributes }).map(({ label }) => label)

const pair = symbols(coloredSymbol('0', '255,0,0,255'), coloredSymbol('1', '0,0,255,128'))

const ranges = read(
  qml(
    'type="graduatedSymbol" attr="n"',
    `<ranges><range lower="0" upper="5" symbol="0" label="low"/><range lower="5" upper="9" symbol="1" label="high"/></ranges>${pair}`,
  ),
)

const categories = read(
  qml(
    'type="categorizedSymbol" attr="kind"',
    `<categories><category value="a" symbol="0" label="A"/><category value="" symbol="1" label="others"/></categories>${pair}`,
  ),
)

const rules = read(
  qml(
    'type="RuleRenderer"',
    `<rules><rule label="outer" filter="n &gt; 1"><rule label="inner" filter="kind ILIKE 'a%'" symbol="0" scalemaxdenom="5000"/><rule label="else" filter="ELSE" symbol="1"/></rule></rules>${pair}`,
  ),
)

test.each([
  ['ranges', ranges, [{ n: 0 }, { n: 5 }, { n: 7 }, { n: 10 }]],
  ['categories', categories, [{ kind: 'a' }, { kind: 'b' }]],
  [
    'nested rules with ELSE',
    rules,
    [
      { n: 2, kind: 'Ab' },
      { n: 2, kind: 'b' },
      { n: 1, kind: 'a' },
    ],
  ],
] as const)('%s choose the same symbols as SLD', (_, style, features) => {
  const again = rewrite(style)
  for (const feature of features) expect(drawnBy(again, feature)).toEqual(drawnBy(style, feature))
})

test('symbols, scale limits and labels are the same when they are read from SLD again', () => {
  const again = rewrite(rules)
  expect(again.rules.map(({ symbol }) => symbol?.layers[0])).toMatchObject([
    { kind: 'fill', color: '#ff0000' },
    { kind: 'fill', color: '#0000ff80' },
  ])
  expect(again.rules[0]?.maxScaleDenom).toBeCloseTo(5000, 6)
  const { style: xml } = readMapserverXml(
    '<map><layer><labelitem>name</labelitem><class><style><color>#00ff00</color><size>9</size><symbol>std:circle</symbol></style><label><size>12</size><outlinecolor>#ffffff</outlinecolor></label></class></layer></map>',
  )
  const points = styleOfMapserver(xml ?? { rules: [] }, 'POINT')
  const [rule] = rewrite(points).rules
  expect(rule?.symbol?.layers).toMatchObject([{ kind: 'marker', shape: 'circle', size: 9, fill: '#00ff00' }])
  expect(rule?.labels).toMatchObject([
    { text: { op: 'field', name: 'name' }, font: { size: 16 }, buffer: { color: '#ffffff' } },
  ])
})

test('what another language cannot say is named with its rule', () => {
  const style = read(
    qml(
      'type="RuleRenderer"',
      `<rules><rule label="Old" filter="upper(name) = 'A'" symbol="0"/><rule label="Hatched" symbol="1"/></rules>${symbols(
        coloredSymbol('0', '1,2,3,255'),
        namedSymbol(
          '1',
          'fill',
          symbolLayer('SimpleFill', { color: '1,2,3,255', style: 'cross' }) +
            symbolLayer('SimpleFill', { color: '9,9,9,255', outline_style: 'no' }),
        ),
      )}`,
    ),
  )
  const source = { tiles: 'https://example.org/{z}/{x}/{y}.mvt', layer: 'svc:7' }
  expect(writeSld(style).untranslated).toEqual([
    'rule 1 "Old" (line 3, column 9): it has the function upper(), which SLD does not have',
    'rule 2 "Hatched" (line 3, column 475): the brush cross is left out',
  ])
  const { text, untranslated } = writeMapboxStyle(style, source)
  expect(untranslated).toEqual([
    'rule 1 "Old" (line 3, column 9): it has the function upper(), which Mapbox GL does not have',
    'rule 2 "Hatched" (line 3, column 475): the brush cross is left out',
  ])
  expect(JSON.parse(text).layers).toEqual([
    {
      ...{ id: '1', source: 'layer', 'source-layer': 'svc:7', type: 'fill' },
      ...{ paint: { 'fill-color': 'rgba(9,9,9,1)' }, metadata: { 'landform:rule': 'Hatched' } },
    },
  ])
})

const sld = `<StyledLayerDescriptor version="1.0.0" xmlns="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc">
<NamedLayer><UserStyle><FeatureTypeStyle>
<Rule><Name>Roads</Name>
  <LineSymbolizer><Stroke/></LineSymbolizer>
  <LineSymbolizer uom="http://www.opengeospatial.org/se/units/metre"><Stroke/></LineSymbolizer>
</Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
const mapbox = `{"version": 8, "layers": [
  {"id": "plain", "type": "line", "source": "a", "paint": {}},
  {"id": "wide", "type": "line", "source": "a", "paint": {"line-width": ["get", "width"]}},
  {"id": "even", "type": "circle", "source": "a", "filter": ["==", ["%", ["get", "n"], 2], 0]}
]}`
const mapserver = `<map><layer>
  <class><name>Hatched</name><expression>([n] = 1)</expression>
    <style><color red="1" green="2" blue="3"/></style>
    <style><color red="1" green="2" blue="3"/><symbol>hatch</symbol><size>5</size></style>
  </class>
  <class><expression>([n] + 1 = 2)</expression><style><color red="1" green="2" blue="3"/></style></class>
</layer></map>`

function styleIn(xml: string): { readonly style?: Style | undefined } {
  const { style, issues } = readMapserverXml(xml)
  expect(issues).toEqual([])
  return style === undefined ? {} : { style: styleOfMapserver(style, 'POLYGON') }
}

test.each<[string, { readonly style?: Style | undefined }, readonly string[]]>([
  ['SLD', readSld(sld), ['rule 1 "Roads" (line 5, column 4): lengths in map units are left out']],
  [
    'Mapbox GL',
    readMapboxStyle(mapbox),
    [
      'rule 2 "wide" (line 3, column 3): data-defined properties are left out',
      'rule 3 "even" (line 4, column 3): it has an expression, which SLD does not have',
    ],
  ],
  [
    'MapServer XML',
    styleIn(mapserver),
    [
      'rule 1 "Hatched" (line 4, column 6): a symbol layer of kind line_pattern is left out',
      'rule 2 (line 6, column 4): its filter has a part (call) that SLD does not have',
    ],
  ],
])('what SLD cannot say of a style in %s is named with its place', (_language, { style }, expected) => {
  if (style === undefined) throw new Error('no style')
  expect(writeSld(style).untranslated).toEqual(expected)
})

test('a style of Mapbox GL has filters, zoom limits, fills, lines and circles', () => {
  const source = { tiles: 'https://example.org/{z}/{x}/{y}.mvt', layer: 'svc:7' }
  const layersOf = (style: Style) => JSON.parse(writeMapboxStyle(style, source).text).layers
  expect(layersOf(ranges)).toMatchObject([
    {
      filter: [
        'all',
        ['>=', ['to-number', ['get', 'n'], expect.any(Number)], 0],
        ['<=', expect.anything(), 5],
      ],
    },
    { filter: ['all', ['all', expect.anything(), expect.anything()], ['!', ['==', expect.anything(), 5]]] },
  ])
  expect(layersOf(categories)).toMatchObject([
    { filter: ['in', ['to-string', ['get', 'kind']], ['literal', ['a']]] },
    { filter: ['!', ['in', ['to-string', ['get', 'kind']], ['literal', ['a']]]] },
  ])
  const circle = symbolLayer('SimpleMarker', {
    ...{ name: 'circle', color: '255,0,0,255', size: '10', size_unit: 'Pixel' },
    ...{ outline_color: '0,0,0,255', outline_width: '2', outline_width_unit: 'Pixel' },
  })
  expect(layersOf(read(single('marker', circle)))).toMatchObject([
    {
      type: 'circle',
      paint: { 'circle-color': 'rgba(255,0,0,1)', 'circle-radius': 4, 'circle-stroke-width': 2 },
    },
  ])
  const line = symbolLayer('SimpleLine', {
    ...{ line_color: '0,0,255,255', line_width: '2', line_width_unit: 'Pixel', capstyle: 'flat' },
    ...{ use_custom_dash: '1', customdash: '4;2', customdash_unit: 'Pixel' },
  })
  expect(layersOf(read(single('line', line)))).toMatchObject([
    { type: 'line', layout: { 'line-cap': 'butt' }, paint: { 'line-width': 2, 'line-dasharray': [2, 1] } },
  ])
})

test('a heatmap is named as a part that is left out', () => {
  const style = read(
    qml(
      'type="heatmapRenderer" radius="5"',
      '<colorramp type="gradient"><prop k="color1" v="0,0,0,0"/></colorramp>',
    ),
  )
  expect(writeSld(style).untranslated).toEqual(['the heatmap is left out'])
  expect(
    writeMapboxStyle(style, { tiles: 'https://example.org/{z}/{x}/{y}', layer: 'a' }).untranslated,
  ).toEqual(['the heatmap is left out'])
})

/** Colours that a style draws a feature with, at a scale. */
const colorsAt = (style: Style, scaleDenom: number, attributes: Record<string, string | number | null>) =>
  compileRules(style)({ attributes, scaleDenom }).flatMap(
    ({ symbol }) => symbol?.layers.map((layer) => ('color' in layer ? layer.color : '')) ?? [],
  )

test('classes of which the first applies draw the same at every scale', () => {
  const xmlClass = (color: string, more = '') =>
    `<class>${more}<style><color>${color}</color></style></class>`
  const { style } = readMapserverXml(
    `<map><layer>${xmlClass('#ff0000', '<expression>([n] = 1)</expression><maxscaledenom>5000</maxscaledenom>')}${xmlClass(
      '#00ff00',
      '<minscaledenom>20000</minscaledenom>',
    )}${xmlClass('#0000ff')}${xmlClass('#123456')}</layer></map>`,
  )
  const areas = styleOfMapserver(style ?? { rules: [] }, 'POLYGON')
  const source = { tiles: 'https://example.org/{z}/{x}/{y}.mvt', layer: 'svc:7' }
  const { style: again } = readMapboxStyle(writeMapboxStyle(areas, source).text)
  for (const other of [rewrite(areas), again ?? areas])
    for (const scale of [1000, 10_000, 100_000])
      for (const n of [1, 2]) expect(colorsAt(other, scale, { n })).toEqual(colorsAt(areas, scale, { n }))
  expect(colorsAt(areas, 10_000, { n: 1 })).toEqual(['#0000ff'])
})

test('passes of symbol levels are feature type styles of SLD, and the order of layers of Mapbox GL', () => {
  const cased = (name: string, color: string) =>
    namedSymbol(
      name,
      'line',
      symbolLayer('SimpleLine', { line_color: '0,0,0,255' }).replace('pass="0"', 'pass="0"') +
        symbolLayer('SimpleLine', { line_color: color }).replace('pass="0"', 'pass="1"'),
    )
  const levels = read(
    qml(
      'type="categorizedSymbol" attr="kind" symbollevels="1"',
      `<categories><category value="a" symbol="0"/><category value="b" symbol="1"/></categories>${symbols(cased('0', '255,0,0,255'), cased('1', '0,0,255,255'))}`,
    ),
  )
  expect(writeSld(levels).text.match(/<FeatureTypeStyle>|#[0-9a-f]{6}/g)).toEqual([
    ...['<FeatureTypeStyle>', '#000000', '#000000'],
    ...['<FeatureTypeStyle>', '#ff0000', '#0000ff'],
  ])
  const source = { tiles: 'https://example.org/{z}/{x}/{y}.mvt', layer: 'svc:7' }
  expect(writeMapboxStyle(levels, source).text.match(/rgba\([\d,]+/g)).toEqual([
    ...['rgba(0,0,0,1', 'rgba(0,0,0,1'],
    ...['rgba(255,0,0,1', 'rgba(0,0,255,1'],
  ])
})

/** A rule of areas with a filter, and with labels. */
const oneRule = (filter: string, labels = '') =>
  read(
    qml(
      'type="RuleRenderer"',
      `<rules><rule label="A" filter="${filter.replaceAll('"', '&quot;')}" symbol="0"/></rules>${symbols(coloredSymbol('0', '1,2,3,255'))}`,
      { rest: labels },
    ),
  )
const labelsOf = (fieldName: string, rendering = '') =>
  `<labeling type="simple"><settings calloutType="simple"><text-style fieldName="${fieldName.replaceAll('"', '&quot;')}" isExpression="1"/><rendering ${rendering}/></settings></labeling>`

test('null tests, dashes and spaces of labels are the same when they are read from SLD again', () => {
  for (const filter of ['"kind" IS NULL', '"kind" IS NOT NULL'])
    for (const kind of ['a', null])
      expect(drawnBy(rewrite(oneRule(filter)), { kind })).toEqual(drawnBy(oneRule(filter), { kind }))
  const text = rewrite(oneRule('"n" = 1', labelsOf(`"a" || ' - ' || "b"`))).rules[0]?.labels[0]?.text
  expect(text).toMatchObject({ operands: [{ name: 'a' }, { value: ' - ' }, { name: 'b' }] })
  const dashed = symbolLayer('SimpleLine', {
    ...{ line_width: '2', line_width_unit: 'Pixel', use_custom_dash: '1', customdash: '4;2' },
    ...{ customdash_unit: 'Pixel', dash_pattern_offset: '3', dash_pattern_offset_unit: 'Pixel' },
  })
  expect(rewrite(read(single('line', dashed))).rules[0]?.symbol?.layers).toMatchObject([
    { stroke: { dash: [4, 2], dashOffset: 3 } },
  ])
})

test.each([
  [
    'labels with scale limits',
    oneRule('"n" = 1', labelsOf('"a"', 'scaleVisibility="1" scaleMin="5000" scaleMax="100"')),
    'rule 1 "A" (line 3, column 1): labels with scale limits of their own are left out',
  ],
  [
    'values for null',
    oneRule(`coalesce("kind", 'x') = 'x'`),
    'it has the function coalesce(), which SLD does not have',
  ],
  ['rounding', oneRule('to_int("n") = 1'), 'it has the function to_int(), which SLD does not have'],
  [
    'markers with an offset',
    read(single('marker', symbolLayer('SimpleMarker', { name: 'circle', offset: '3,0' }))),
    'a marker with an offset is left out',
  ],
  [
    'lines of holes',
    read(single('line', symbolLayer('SimpleLine', { ring_filter: '2' }))),
    'a line on interior rings only is left out',
  ],
  [
    'labels of codes',
    oneRule('"n" = 1', labelsOf('represent_value("kind")')),
    'it has an expression, which SLD does not have',
  ],
])('%s are named, and not written as something else', (_, style, message) => {
  const parts = writeSld(style).untranslated
  expect(parts).toHaveLength(1)
  expect(parts[0]).toContain(message.replace(/^rule .*?: /, ''))
})
