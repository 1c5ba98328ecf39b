import { describe, expect, test } from 'vitest'
import { geometryTypes } from '../../../src/contract/geometry.ts'
import { defaultStyle } from '../../../src/style/default_style.ts'
import { compileRules } from '../../../src/style/match_rules.ts'
import { readQml } from '../../../src/style/qml/qml_read.ts'
import { defaultQml } from '../../../src/style/qml/qml_write.ts'
import type { Style } from '../../../src/style/style_model.ts'
import { coloredSymbol, dataDefined, namedSymbol, qml, symbolLayer, symbols } from '../../support/qml.ts'

/** Colours of the symbols that draw a feature. */
function drawn(style: Style | undefined, attributes: object, scaleDenom?: number): (string | undefined)[] {
  const context = { attributes: { ...attributes }, ...(scaleDenom === undefined ? {} : { scaleDenom }) }
  return compileRules(style ?? { rules: [], matching: 'all' })(context).map(({ symbol }) => {
    const [layer] = symbol?.layers ?? []
    return layer?.kind === 'fill' ? layer.color : undefined
  })
}

const messages = (text: string) =>
  readQml(text).issues.map(({ message, span }) => `${span?.line}:${span?.column} ${message}`)

const [one, two, three] = ['#010000', '#020000', '#030000']
const palette = symbols(
  coloredSymbol('0', '1,0,0,255'),
  coloredSymbol('1', '2,0,0,255'),
  coloredSymbol('2', '3,0,0,255'),
)

test.each(geometryTypes)('reads the default style of %s back', (geometryType) => {
  expect(readQml(defaultQml(geometryType))).toEqual({ style: defaultStyle(geometryType), issues: [] })
})

describe('categorized', () => {
  const read = (categories: string, attr = 's') =>
    readQml(
      qml(`type="categorizedSymbol" attr="${attr}"`, `<categories>${categories}</categories>${palette}`),
    )

  test('compares values as strings, and gives null and other values to the empty category', () => {
    const { style, issues } = read(`<category value="" symbol="2" label=""/>
      <category value="a" symbol="0" label="A" type="string"/>
      <category value="7.50" symbol="1" label="Number" type="double"/>`)
    expect(issues).toEqual([])
    expect(style?.rules.map(({ label }) => label)).toEqual(['A', 'Number', undefined])
    expect(drawn(style, { s: 'a' })).toEqual([one])
    expect(drawn(style, { s: 7.5 })).toEqual([two])
    expect([drawn(style, { s: 'z' }), drawn(style, { s: null }), drawn(style, {})]).toEqual([
      [three],
      [three],
      [three],
    ])
  })

  test('reads lists of values', () => {
    const { style } = read('<category symbol="0"><val value="c"/><val value="d" type="string"/></category>')
    expect(['c', 'd', 'e', null].map((s) => drawn(style, { s }))).toEqual([[one], [one], [], []])
  })

  test('draws nothing for a category that is switched off, instead of the others', () => {
    const { style } = read('<category value="a" symbol="0" render="false"/><category value="" symbol="1"/>')
    expect([drawn(style, { s: 'a' }), drawn(style, { s: 'b' })]).toEqual([[], [two]])
  })

  test('the last of several equal categories applies', () => {
    const { style } = read('<category value="a" symbol="0"/><category value="a" symbol="1"/>')
    expect(drawn(style, { s: 'a' })).toEqual([two])
  })

  test('categorizes by expressions, and by names that are not expressions', () => {
    expect(drawn(read('<category value="A" symbol="0"/>', 'upper(&quot;s&quot;)').style, { s: 'a' })).toEqual(
      [one],
    )
    expect(drawn(read('<category value="1" symbol="0"/>', '&quot;n&quot; > 3').style, { n: 5 })).toEqual([
      one,
    ])
    expect(drawn(read('<category value="A" symbol="0"/>', 'land use').style, { 'land use': 'A' })).toEqual([
      one,
    ])
  })

  test('prefers a field of the layer to an expression with the same text', () => {
    const text = qml(
      'type="categorizedSymbol" attr="a-b"',
      `<categories><category value="1" symbol="0"/></categories>${palette}`,
    )
    const feature = { 'a-b': 1, a: 3, b: 1 }
    expect(drawn(readQml(text, { fields: ['a-b'] }).style, feature)).toEqual([one])
    expect(drawn(readQml(text).style, feature)).toEqual([])
  })

  test('draws nothing where the expression is not supported', () => {
    const text = qml(
      'type="categorizedSymbol"\n attr="foo(s)"',
      `<categories><category value="" symbol="0"/></categories>${palette}`,
    )
    expect(readQml(text).style?.rules).toEqual([])
    expect(messages(text)).toEqual([
      '3:2 categories are not drawn: function foo() is not supported (character 1 of the expression)',
    ])
  })
})

describe('graduated', () => {
  const ranges = `<ranges>
    <range lower="1.000000000000000" upper="2" symbol="0" label="a"/>
    <range lower="2" upper="3" symbol="1" label="b"/>
    <range lower="5" upper="6" symbol="2" label="c" render="false"/></ranges>${palette}`

  // Values and ranges of QGIS 3.22.
  test.each([
    [0.9999999999, []],
    [1, [one]],
    [2, [one]],
    [2.0000000001, [two]],
    [3, [two]],
    [3.00000000001, []],
    [5, []],
    ['1.5', [one]],
    [null, []],
    ['many', []],
  ])('both bounds are inclusive, and the first range applies: %s', (n, expected) => {
    expect(drawn(readQml(qml('type="graduatedSymbol" attr="n"', ranges)).style, { n })).toEqual(expected)
  })

  test('graduates by an expression', () => {
    const { style } = readQml(qml('type="graduatedSymbol" attr="&quot;n&quot; * 2"', ranges))
    expect([drawn(style, { n: 1.25 }), drawn(style, { n: 2 })]).toEqual([[two], []])
  })

  test('reports bounds that are not numbers', () => {
    const text = qml(
      'type="graduatedSymbol" attr="n"',
      '<ranges><range lower="x" upper="2" label="a"/></ranges>',
    )
    expect(messages(text)).toEqual(['3:10 range "a" is not drawn: its bounds are not numbers'])
  })
})

describe('rules', () => {
  const rules = (inner: string) =>
    readQml(qml('type="RuleRenderer"', `<rules key="r">${inner}</rules>${palette}`)).style
  const big = 'filter="&quot;n&quot; > 1"'
  const other = '<rule symbol="2" filter="ELSE"/>'

  // Results of QGIS 3.22, drawn with n = 5 at 1:3780.
  test.each([
    [
      'all rules that match',
      `<rule ${big} symbol="0"/><rule symbol="1" filter="n > 3"/>${other}`,
      [one, two],
    ],
    ['ELSE if no rule matches', `<rule symbol="0" filter="n > 10"/>${other}`, [three]],
    ['ELSE before other rules', `${other}<rule symbol="0" filter="n > 10"/>`, [three]],
    ['a filter without a value', `<rule symbol="0" filter="n > NULL"/>${other}`, [three]],
    ['no ELSE for a rule that is switched off', `<rule ${big} symbol="0" checkstate="0"/>${other}`, []],
    [
      'no ELSE for a rule out of scale',
      `<rule ${big} symbol="0" scalemindenom="50000" scalemaxdenom="1e5"/>${other}`,
      [],
    ],
    ['ELSE for a rule without symbol', `<rule ${big}/>${other}`, [three]],
    ['no ELSE for a group that is switched off', `<rule ${big} checkstate="0"/>${other}`, []],
    ['children of a group', `<rule ${big}><rule filter="n > 2" symbol="1"/></rule>${other}`, [two]],
    [
      'ELSE for a group whose children do not match',
      `<rule ${big}><rule filter="n > 9" symbol="1"/></rule>${other}`,
      [three],
    ],
    [
      'no ELSE for a group with a child switched off',
      `<rule ${big}><rule symbol="1" checkstate="0"/></rule>${other}`,
      [],
    ],
    ['nothing of a group out of scale', `<rule scalemindenom="5e4"><rule symbol="1"/></rule>${other}`, []],
    [
      'a rule and its children',
      `<rule ${big} symbol="0"><rule filter="n > 2" symbol="1"/></rule>${other}`,
      [one, two],
    ],
    [
      'nested ELSE',
      `<rule ${big}><rule filter="n > 9" symbol="0"/><rule filter="else" symbol="1"/></rule>${other}`,
      [two],
    ],
    [
      'several ELSE',
      `<rule symbol="0" filter="n > 10"/>${other}<rule symbol="1" filter="ELSE"/>`,
      [three, two],
    ],
  ])('draws %s', (_, inner, expected) => {
    expect(drawn(rules(inner), { n: 5 }, 3780)).toEqual(expected)
  })

  test('reads scale limits and labels', () => {
    const style = rules('<rule symbol="0" label="Near" scalemindenom="1000" scalemaxdenom="2000"/>')
    expect(style).toMatchObject({ matching: 'all', levels: 'by_feature', rules: [{ label: 'Near' }] })
    expect([999, 1000, 1999, 2001].map((scale) => drawn(style, {}, scale).length)).toEqual([0, 1, 1, 0])
  })

  test('does not draw a rule whose filter is not supported, and reports it', () => {
    const text = qml(
      'type="RuleRenderer"',
      `<rules>\n<rule label="x" filter="within($geometry, 1)" symbol="0"/>${other}</rules>${palette}`,
    )
    expect(drawn(readQml(text).style, {})).toEqual([three])
    expect(messages(text)).toEqual([
      '4:17 rule "x" is not drawn: function within() is not supported (character 1 of the expression)',
    ])
  })
})

describe('the layer', () => {
  test('reads opacity, blending, order, passes and scale limits', () => {
    const { style, issues } = readQml(
      qml(
        'type="singleSymbol" symbollevels="1" enableorderby="1"',
        `${palette}<orderby><orderByClause asc="0" nullsFirst="1">n</orderByClause></orderby>`,
        {
          attributes: 'hasScaleBasedVisibilityFlag="1" minScale="5000" maxScale="500"',
          rest: '<blendMode>6</blendMode><featureBlendMode>2</featureBlendMode><layerOpacity>0.5</layerOpacity>',
        },
      ),
    )
    expect(issues).toEqual([])
    expect(style).toMatchObject({
      levels: 'by_symbol',
      order: [{ expression: { op: 'field', name: 'n' }, isAscending: false, isNullFirst: true }],
      opacity: 0.5,
      blending: 'multiply',
      featureBlending: 'screen',
      minScaleDenom: 500,
      maxScaleDenom: 5000,
    })
  })

  test('nullSymbol draws nothing, without an issue', () => {
    expect(readQml(qml('type="nullSymbol"', ''))).toMatchObject({ style: { rules: [] }, issues: [] })
  })

  test.each(['pointCluster', 'pointDisplacement', '25dRenderer', 'constructor', '__proto__'])(
    'renderer %s draws nothing, and is reported',
    (type) => {
      const text = qml(`type="${type}"`, palette)
      expect(readQml(text).style?.rules).toEqual([])
      expect(messages(text)).toEqual([`2:9 renderer ${type} is not drawn`])
    },
  )

  test('points of groups have the symbols of another renderer, and their own distance, symbol and lines', () => {
    const single = `<renderer-v2 type="singleSymbol">${palette}</renderer-v2>`
    const text = qml(
      'type="pointDisplacement" tolerance="3" toleranceUnit="Pixel" placement="2" circleWidth="0" labelAttributeName="name"',
      single,
    )
    const { rules, groups } = readQml(text).style ?? {}
    expect(rules).toEqual(readQml(qml('type="singleSymbol"', palette)).style?.rules)
    expect(groups).toMatchObject({
      ...{ distance: 3, symbol: { layers: [] } },
      displacement: { placement: 'grid', spacing: 0, line: { color: '#000000', width: 0 } },
    })
    expect(messages(text)).toEqual(['2:112 labels of displaced points are not drawn'])
  })

  test('variables of groups and symbols are known only there', () => {
    const size = symbolLayer(
      'SimpleMarker',
      { color: '1,2,3,255' },
      dataDefined({ size: '@cluster_size', fillColor: '@symbol_color' }),
    )
    const marker = namedSymbol('0', 'marker', size)
    const single = `<renderer-v2 type="singleSymbol">${symbols()}</renderer-v2>`
    const grouped = qml('type="pointCluster" tolerance="1e300"', `${single}${marker}`)
    expect(readQml(grouped).style?.groups?.symbol.layers[0]?.dataDefined?.fill).toEqual({
      op: 'literal',
      value: '1,2,3,255',
    })
    expect(messages(grouped)).toEqual(['2:41 tolerance of the renderer: "1e300" is too large to be drawn'])
    expect(messages(qml('type="singleSymbol"', symbols(marker)))[0]).toContain(
      '@cluster_size is not supported here',
    )
  })

  test('reports what changes the drawing of the layer', () => {
    const rest = `<blendMode>17</blendMode><labeling type="x"/>
      <SingleCategoryDiagramRenderer><DiagramCategory enabled="1"/></SingleCategoryDiagramRenderer>`
    const effects = '<effect type="effectStack" enabled="1"/><rotation field="a"/>'
    const text = qml('type="singleSymbol" referencescale="1000"', `${palette}${effects}`, { rest })
    expect(
      readQml(text)
        .issues.map(({ message }) => message)
        .toSorted(),
    ).toEqual([
      '<rotation> of older versions is ignored',
      'blend mode 17 is drawn as normal',
      'diagrams are not drawn',
      'draw effects of the layer are not drawn',
      'labels of type x are not drawn',
      'reference scale 1000 is ignored',
    ])
  })

  test('a file without renderer draws nothing', () => {
    expect(readQml('<qgis/>')).toMatchObject({
      style: { rules: [] },
      issues: [{ message: 'the file has no renderer; nothing is drawn' }],
    })
  })

  test('a symbol that does not exist draws nothing', () => {
    expect(readQml(qml('type="singleSymbol"', symbols(namedSymbol('7', 'fill', '')))).style?.rules).toEqual([
      { isElse: false, isDrawn: true, labels: [], children: [] },
    ])
  })
})
