import { describe, expect, test } from 'vitest'
import { checkStyleText } from '../../src/style/check_style_text.ts'
import { readMapserverXml } from '../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver/mapserver_style.ts'
import { compileRules } from '../../src/style/match_rules.ts'
import { readQml } from '../../src/style/qml/qml_read.ts'
import { coloredSymbol, namedSymbol, qml, symbolLayer, symbols } from '../support/qml.ts'

const count = 10_000
const numbers = Array.from({ length: count }, (_, index) => index)

describe('10,000 categories', () => {
  test('of a QML file are read, and found by their value', () => {
    const categories = numbers.map((n) => `<category value="k${n}" symbol="${n}"/>`).join('')
    const list = numbers.map((n) => coloredSymbol(String(n), `${n % 256},0,0,255`)).join('')
    const text = qml(
      'type="categorizedSymbol" attr="k"',
      `<categories>${categories}</categories>${symbols(list)}`,
    )
    const { style, issues } = readQml(text)
    expect(issues).toEqual([])
    const match = compileRules(style ?? { rules: [], matching: 'first' })
    expect(numbers.every((n) => match({ attributes: { k: `k${n}` } })[0] === style?.rules[n])).toBe(true)
  })

  test('of MapServer XML are read, and found by their value', () => {
    const classes = numbers.map((n) => `<class><expression>k${n}</expression><style/></class>`).join('')
    const { style } = readMapserverXml(`<map><layer><classitem>k</classitem>${classes}</layer></map>`)
    const drawn = style && styleOfMapserver(style, 'POINT')
    const match = compileRules(drawn ?? { rules: [], matching: 'first' })
    expect(numbers.every((n) => match({ attributes: { k: `k${n}` } })[0] === drawn?.rules[n])).toBe(true)
  })
})

test('more than 1000 issues are reported as one', () => {
  const rules = numbers.map((n) => `<rule filter="f${n}(1)"/>`).join('')
  const { issues } = readQml(qml('type="RuleRenderer"', `<rules>${rules}</rules>`))
  expect(issues).toHaveLength(1001)
  expect(issues.at(-1)?.message).toBe('more than 1000 parts are not drawn as in QGIS')
})

test.each([
  ['rules', qml('type="RuleRenderer"', `<rules>${'<rule>'.repeat(count)}`)],
  ['symbols', qml('type="singleSymbol"', `<symbols>${'<symbol><layer class="CentroidFill">'.repeat(count)}`)],
])('nested %s are refused', (_, text) => {
  expect(readQml(text)).toMatchObject({
    issues: [{ code: 'style/bad-xml', message: 'elements nested deeper than 64 levels' }],
  })
})

test('a filter that is nested too deeply is not drawn', () => {
  const text = qml('type="RuleRenderer"', `<rules><rule filter="${'('.repeat(count)}"/></rules>`)
  expect(readQml(text)).toMatchObject({
    style: { rules: [] },
    issues: [{ message: expect.stringContaining('nested deeper than 200 levels') }],
  })
})

test('files of 10 MB are refused', () => {
  const long = `<qgis>${' '.repeat(10_000_000)}</qgis>`
  expect(readQml(long).issues).toMatchObject([{ message: 'longer than 4194304 characters' }])
  expect(readMapserverXml(long).issues).toMatchObject([{ message: 'longer than 1048576 characters' }])
})

test.each([
  '<!DOCTYPE qgis [<!ENTITY a "b">]><qgis>&a;</qgis>',
  '<!DOCTYPE qgis [<!ENTITY a SYSTEM "file:///etc/passwd">]><qgis>&a;</qgis>',
  '<qgis>&nbsp;</qgis>',
])('entities are refused: %s', (text) => {
  expect(readQml(text)).toMatchObject({ issues: [{ code: 'style/bad-xml', severity: 'error' }] })
  expect(readMapserverXml(text.replaceAll('qgis', 'map')).issues).toMatchObject([{ severity: 'error' }])
})

test('numbers that are not finite, negative or huge do not reach the style', () => {
  const options = ['size:1e999', 'angle:NaN', 'offset:1e999,2', 'outline_width:Infinity', 'color:1e9,0,0']
  const list = options.map((one) => one.replace(/(.*):(.*)/, '<prop k="$1" v="$2"/>')).join('')
  const layer = `<layer class="SimpleMarker" pass="99999">${list}</layer>`
  const text = qml(
    'type="singleSymbol"',
    `<symbols><symbol name="0" type="marker" alpha="7">${layer}</symbol></symbols>`,
  )
  expect(readQml(text).style?.rules[0]?.symbol).toMatchObject({
    opacity: 1,
    layers: [{ pass: 0, size: 7.5591, angle: 0, offset: [0, 0], fill: '#ff0000', stroke: { width: 0 } }],
  })
  expect(readQml(text).issues.map(({ message, span }) => `${span?.line} ${message}`)).toEqual([
    '3 color of SimpleMarker is not a colour: "1e9,0,0"; #ff0000 is drawn',
    '3 size of SimpleMarker: "1e999" is not a finite number; the default is drawn',
    '3 angle of SimpleMarker: "NaN" is not a finite number; the default is drawn',
    '3 offset of SimpleMarker: "1e999" is not a finite number; the default is drawn',
    '3 outline_width of SimpleMarker: "Infinity" is not a finite number; the default is drawn',
  ])
})

test.each([
  ['a line', symbolLayer('SimpleLine', { line_width: '1e300' }), 'line_width of SimpleLine: "1e300"'],
  ['a marker', symbolLayer('SimpleMarker', { size: '-2e10' }), 'size of SimpleMarker: "-2e10"'],
  [
    'dashes',
    symbolLayer('SimpleLine', { use_custom_dash: '1', customdash: '1e99;2' }),
    'customdash of SimpleLine: "1e99"',
  ],
])('lengths of %s that can never be drawn are reported', (_, layer, message) => {
  const text = qml('type="singleSymbol"', symbols(namedSymbol('0', 'line', layer)))
  expect(checkStyleText('qml', text)).toMatchObject([
    {
      message: `${message} is too large to be drawn`,
      hint: 'write a number of usual size',
      span: { line: 3 },
    },
  ])
})

test('lengths of SLD that are not numbers, or can never be drawn, are reported', () => {
  const text = `<StyledLayerDescriptor version="1.0.0"><NamedLayer><UserStyle><FeatureTypeStyle><Rule>
    <LineSymbolizer><Stroke>
      <CssParameter name="stroke-width">1e300</CssParameter>
      <CssParameter name="stroke-dasharray">NaN 2</CssParameter>
    </Stroke></LineSymbolizer>
    <PointSymbolizer><Graphic><Mark/><Size>big</Size></Graphic></PointSymbolizer>
  </Rule></FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
  expect(checkStyleText('qml', text).map(({ message, span }) => `${span?.line} ${message}`)).toEqual([
    '3 stroke-width: "1e300" is too large to be drawn',
    '4 stroke-dasharray: "NaN" is not a finite number; the default is drawn',
    '6 <Size>: "big" is not a finite number; the default is drawn',
  ])
})

const circles = (more: string) =>
  `{"version":8,"layers":[{"id":"a","type":"circle","source":"s","source-layer":"x",${more}}]}`
const featureTypeStyle = (rules: string) =>
  `<StyledLayerDescriptor version="1.0.0"><NamedLayer><UserStyle><FeatureTypeStyle>${rules}</FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`
const pairs = (one: (n: number) => string) => numbers.map(one).join()

test.each([
  ['JSON of 10 MB', circles('"paint":{}').padEnd(10_000_000), 'more than 4194304 characters'],
  ['nested lists', circles(`"filter":${'['.repeat(count)}`), 'nested more than 64 levels deep'],
  [
    'a match of 10,000 values',
    circles(`"paint":{"circle-color":["match",["get","k"],${pairs((n) => `"v${n}","#f00"`)},"#000"]}`),
    'circle-color is not drawn: the expression is too large',
  ],
  [
    'a function of 10,000 stops',
    circles(`"paint":{"circle-radius":{"property":"p","stops":[${pairs((n) => `[${n},1]`)}]}}`),
    'circle-radius is not drawn: the expression is too large',
  ],
  ['members of prototypes', circles('"paint":{"__proto__":{"x":1}}'), '__proto__ is not drawn'],
  ['SLD of 10 MB', featureTypeStyle('<Rule/>').padEnd(10_000_000), 'longer than 4194304 characters'],
  [
    'an entity in SLD',
    `<!DOCTYPE x [<!ENTITY a "b">]>${featureTypeStyle('&a;')}`,
    'entities are not allowed',
  ],
  ['nested rules of SLD', featureTypeStyle('<Rule>'.repeat(count)), 'nested deeper than 64 levels'],
])('%s: refused, or reported as not drawn', (_, text, message) => {
  expect(checkStyleText('qml', text)).toMatchObject([{ message: expect.stringContaining(message) }])
})

test('10,000 rules of SLD and layers of JSON are read', () => {
  const filter = (n: number) =>
    `<Filter><PropertyIsEqualTo><PropertyName>k</PropertyName><Literal>v${n}</Literal></PropertyIsEqualTo></Filter>`
  const rules = numbers.map((n) => `<Rule>${filter(n)}<PolygonSymbolizer><Fill/></PolygonSymbolizer></Rule>`)
  expect(checkStyleText('qml', featureTypeStyle(rules.join('')))).toEqual([])
  const layers = pairs((n) => `{"id":"l${n}","type":"fill","filter":["==",["get","k"],"v${n}"]}`)
  expect(checkStyleText('qml', `{"version":8,"layers":[${layers}]}`)).toEqual([])
})
