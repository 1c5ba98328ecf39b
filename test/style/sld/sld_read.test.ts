import { expect, test } from 'vitest'
import { legendEntries, selectSymbols } from '../../../src/style/legend_entries.ts'
import { compileRules } from '../../../src/style/match_rules.ts'
import { isSld, readSld } from '../../../src/style/sld/sld_read.ts'
import type { Style } from '../../../src/style/style_model.ts'

/** A file with rules, from line 2. */
const sld = (
  ...lists: readonly string[]
) => `<?xml version="1.0"?><!-- a --><sld:StyledLayerDescriptor version="1.0.0" xmlns:sld="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc"><sld:NamedLayer><sld:Name>a</sld:Name><sld:UserStyle>
${lists.map((rules) => `<sld:FeatureTypeStyle>${rules}</sld:FeatureTypeStyle>`).join('')}</sld:UserStyle></sld:NamedLayer></sld:StyledLayerDescriptor>`

const css = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values)
    .map(([name, value]) => `<sld:CssParameter name="${name}">${value}</sld:CssParameter>`)
    .join('')

const area = (color: string) =>
  `<sld:PolygonSymbolizer><sld:Fill>${css({ fill: color })}</sld:Fill></sld:PolygonSymbolizer>`

const compare = (name: string, field: string, value: string) =>
  `<ogc:${name}><ogc:PropertyName>${field}</ogc:PropertyName><ogc:Literal>${value}</ogc:Literal></ogc:${name}>`

const rule = (title: string, inner: string) => `<sld:Rule><sld:Name>${title}</sld:Name>${inner}</sld:Rule>`

function read(...lists: readonly string[]): Style {
  const { style, issues } = readSld(sld(...lists))
  expect(issues.map(({ message }) => message)).toEqual([])
  if (style === undefined) throw new Error('no style')
  return style
}

const symbolOf = (style: Style) => style.rules[0]?.symbol?.layers

/** Titles of the rules that draw a feature. */
const drawnBy = (style: Style, attributes: Record<string, string | number | null>) =>
  compileRules(style)({ attributes }).map(({ label }) => label)

test('a file is told from QML by its root element', () => {
  expect(isSld(sld(''))).toBe(true)
  expect(isSld('<StyledLayerDescriptor>')).toBe(true)
  expect(isSld('<qgis><StyledLayerDescriptor/></qgis>')).toBe(false)
})

test('symbolizers have fills, strokes and marks, with the defaults of the standard', () => {
  const stroke = css({
    ...{ stroke: '#0000ff', 'stroke-width': 3, 'stroke-opacity': 0.5, 'stroke-dasharray': '4 2' },
    ...{ 'stroke-linecap': 'round', 'stroke-linejoin': 'bevel' },
  })
  const outlined = `<sld:PolygonSymbolizer><sld:Fill>${css({ fill: '#FF0000', 'fill-opacity': 0.5 })}</sld:Fill><sld:Stroke>${stroke}</sld:Stroke></sld:PolygonSymbolizer>`
  expect(symbolOf(read(rule('a', outlined)))).toMatchObject([
    {
      ...{ kind: 'fill', color: '#ff000080', brush: 'solid' },
      stroke: { color: '#0000ff80', width: 3, dash: [4, 2], cap: 'round', join: 'bevel' },
    },
  ])
  const mark = `<sld:PointSymbolizer><sld:Graphic><sld:Mark><sld:WellKnownName>star</sld:WellKnownName><sld:Fill/></sld:Mark><sld:Size>12</sld:Size><sld:Rotation><ogc:PropertyName>turn</ogc:PropertyName></sld:Rotation></sld:Graphic></sld:PointSymbolizer>`
  expect(symbolOf(read(rule('a', mark)))).toMatchObject([
    {
      ...{ kind: 'marker', shape: 'star', size: 12, fill: '#808080' },
      dataDefined: { angle: { op: 'field', name: 'turn' } },
    },
  ])
  const plain = '<sld:PointSymbolizer><sld:Graphic/></sld:PointSymbolizer>'
  expect(symbolOf(read(rule('a', plain)))).toMatchObject([
    { shape: 'square', size: 6, fill: '#808080', stroke: { color: '#000000', width: 1 } },
  ])
  const line = `<sld:LineSymbolizer uom="http://www.opengeospatial.org/se/units/metre"><sld:Stroke>${css({ 'stroke-width': 20 })}</sld:Stroke></sld:LineSymbolizer>`
  expect(symbolOf(read(rule('a', line)))).toMatchObject([
    { kind: 'line', stroke: { width: { mapUnits: 20 } } },
  ])
})

test('marks and polygons are displaced, upwards in the file, and not turned by the rotation', () => {
  const displaced = (name: string, inner: string, y: string) =>
    `<sld:${name}>${inner}<sld:Displacement><sld:DisplacementX>4</sld:DisplacementX><sld:DisplacementY>${y}</sld:DisplacementY></sld:Displacement></sld:${name}>`
  const point = (rotation: string) =>
    `<sld:PointSymbolizer>${displaced('Graphic', rotation, '3')}</sld:PointSymbolizer>`
  const offsetOf = (rotation: string) => {
    const [layer] = symbolOf(read(rule('a', point(rotation)))) ?? []
    if (layer?.kind !== 'marker') throw new Error('no marker')
    return layer.offset.map((length) => Math.round(1e6 * Number(length)) / 1e6)
  }
  expect(offsetOf('')).toEqual([4, -3])
  // Turned by 90° clockwise when it is drawn: 3 up becomes 3 to the right, and 4 to the right becomes 4 down.
  expect(offsetOf('<sld:Rotation>90</sld:Rotation>')).toEqual([-3, -4])
  const polygon = displaced('PolygonSymbolizer', `<sld:Fill>${css({ fill: '#ff0000' })}</sld:Fill>`, '-2')
  expect(symbolOf(read(rule('a', polygon)))).toMatchObject([{ kind: 'fill', offset: [4, 2] }])
  const turned = point('<sld:Rotation><ogc:PropertyName>turn</ogc:PropertyName></sld:Rotation>')
  expect(readSld(sld(rule('a', turned))).issues.map(({ message }) => message)).toEqual([
    'the displacement is turned by the rotation, which is an expression',
  ])
})

test('rules have filters, ELSE filters and scale limits of pixels of 0.28 mm', () => {
  const style = read(
    rule(
      'low',
      `<ogc:Filter>${compare('PropertyIsLessThan', 'depth', '10')}</ogc:Filter>${area('#ff0000')}`,
    ) +
      rule(
        'named',
        `<ogc:Filter><ogc:And>${compare('PropertyIsNotEqualTo', 'kind', 'x')}<ogc:PropertyIsLike wildCard="*" singleChar="." escape="!"><ogc:PropertyName>name</ogc:PropertyName><ogc:Literal>A*%</ogc:Literal></ogc:PropertyIsLike></ogc:And></ogc:Filter>${area('#00ff00')}`,
      ) +
      rule(
        'others',
        `<sld:ElseFilter/><sld:MaxScaleDenominator>1000</sld:MaxScaleDenominator>${area('#0000ff')}`,
      ),
  )
  expect(drawnBy(style, { depth: 9, kind: 'y', name: 'Abc%' })).toEqual(['low', 'named'])
  expect(drawnBy(style, { depth: 10, kind: 'x', name: 'Abc%' })).toEqual(['others'])
  expect(drawnBy(style, { depth: 10, kind: 'y', name: 'Abc' })).toEqual(['others'])
  expect(style.rules[2]?.maxScaleDenom).toBeCloseTo(1058.27, 2)
})

test('ELSE rules have a symbol in the legend, and draw the rest where only they are chosen', () => {
  const filter = `<ogc:Filter>${compare('PropertyIsEqualTo', 'kind', 'a')}</ogc:Filter>`
  const style = read(
    rule('first', `${filter}${area('#ff0000')}`) + rule('others', `<sld:ElseFilter/>${area('#00ff00')}`),
  )
  expect(legendEntries(style).map(({ index, title }) => [index, title])).toEqual([
    [0, 'first'],
    [1, 'others'],
  ])
  const chosen = selectSymbols(style, new Set([1]))
  const layersOf = (kind: string) =>
    compileRules(chosen)({ attributes: { kind } }).flatMap(({ symbol }) => symbol?.layers ?? [])
  expect([layersOf('a').length, layersOf('b').length]).toEqual([0, 1])
})

test('feature type styles are drawn one after the other, each with its own ELSE', () => {
  const filter = `<ogc:Filter>${compare('PropertyIsEqualTo', 'kind', 'a')}</ogc:Filter>`
  const style = read(
    rule('1', `${filter}${area('#ff0000')}`) + rule('1 else', `<sld:ElseFilter/>${area('#00ff00')}`),
    rule('2', area('#0000ff')),
  )
  expect(drawnBy(style, { kind: 'a' })).toEqual(['1', '2'])
  expect(drawnBy(style, { kind: 'b' })).toEqual(['1 else', '2'])
  expect(style.levels).toBe('by_feature')
  expect(style.rules[1]?.children[0]?.symbol?.layers[0]?.pass).toBe(1)
})

test('labels have text of fields, font, halo and placement', () => {
  const text = `<sld:TextSymbolizer><sld:Label><ogc:PropertyName>name</ogc:PropertyName></sld:Label><sld:Font>${css({ 'font-family': 'DejaVu Sans', 'font-size': 14, 'font-weight': 'bold' })}</sld:Font><sld:LabelPlacement><sld:PointPlacement><sld:AnchorPoint><sld:AnchorPointX>0.5</sld:AnchorPointX><sld:AnchorPointY>0</sld:AnchorPointY></sld:AnchorPoint></sld:PointPlacement></sld:LabelPlacement><sld:Halo><sld:Radius>2</sld:Radius></sld:Halo><sld:Fill>${css({ fill: '#102030' })}</sld:Fill></sld:TextSymbolizer>`
  expect(read(rule('a', text)).rules[0]?.labels).toMatchObject([
    {
      text: { op: 'field', name: 'name' },
      font: { family: 'DejaVu Sans', size: 14, weight: 700 },
      color: '#102030',
      buffer: { size: 2, color: '#ffffff' },
      placement: { kind: 'over', quadrant: [0, -1] },
    },
  ])
})

test('what is not drawn is a warning with its position', () => {
  const { style, issues } = readSld(
    sld(
      rule('a', `<ogc:Filter><ogc:BBOX/></ogc:Filter>${area('#ff0000')}<sld:RasterSymbolizer/>`) +
        rule(
          'b',
          '<sld:PolygonSymbolizer><sld:Fill><sld:GraphicFill/></sld:Fill><sld:VendorOption name="x">1</sld:VendorOption></sld:PolygonSymbolizer>',
        ),
    ),
    'roads.sld',
  )
  expect(style?.rules.map(({ label }) => label)).toEqual(['b'])
  expect(issues.map(({ message }) => message)).toEqual([
    'the rule is not drawn: its filter is not supported',
    '<BBOX> is not supported in filters',
    '<RasterSymbolizer> of <Rule> is not drawn',
    '<GraphicFill> of <Fill> is not drawn',
    '<VendorOption> of <PolygonSymbolizer> is not drawn',
  ])
  expect(issues[1]?.span).toMatchObject({ file: 'roads.sld', line: 2, column: 68 })
  expect(readSld('<StyledLayerDescriptor/>').issues).toMatchObject([
    { severity: 'error', message: '<StyledLayerDescriptor> has no <UserStyle>' },
  ])
  expect(readSld('<!DOCTYPE a [<!ENTITY b "c">]><StyledLayerDescriptor/>').issues).toMatchObject([
    { code: 'style/bad-xml' },
  ])
})

const ogcLiteral = (value: string) => `<ogc:Literal>${value}</ogc:Literal>`
const ogcField = (name: string) => `<ogc:PropertyName>${name}</ogc:PropertyName>`
const labelled = (inner: string, attributes = '') =>
  rule(
    'a',
    `<sld:TextSymbolizer ${attributes}><sld:Label>${ogcField('name')}</sld:Label>${inner}</sld:TextSymbolizer>`,
  )

test.each([
  [
    'a computed geometry',
    '<sld:LineSymbolizer><sld:Geometry><ogc:Function name="centroid"/></sld:Geometry><sld:Stroke/></sld:LineSymbolizer>',
    '<Function> of <Geometry> is not drawn',
  ],
  [
    'letters as marks',
    '<sld:PointSymbolizer><sld:Graphic><sld:Mark><sld:MarkIndex>7</sld:MarkIndex></sld:Mark></sld:Graphic></sld:PointSymbolizer>',
    '<MarkIndex> of <Mark> is not drawn',
  ],
  [
    'unknown units',
    '<sld:LineSymbolizer uom="mm"><sld:Stroke/></sld:LineSymbolizer>',
    'lengths in the unit "mm" are drawn as pixels',
  ],
  [
    'unknown joins',
    `<sld:LineSymbolizer><sld:Stroke>${css({ 'stroke-linejoin': 'arcs' })}</sld:Stroke></sld:LineSymbolizer>`,
    'the value is not one of mitre, miter, round, bevel; mitre is drawn',
  ],
  [
    'scales that are not numbers',
    `<sld:MinScaleDenominator>1:500</sld:MinScaleDenominator>${area('#ff0000')}`,
    '<MinScaleDenominator> is not a number, and does not limit the rule',
  ],
  [
    'a filter of two tests',
    `<ogc:Filter>${compare('PropertyIsEqualTo', 'a', '1')}${compare('PropertyIsEqualTo', 'b', '1')}</ogc:Filter>`,
    'the rule is not drawn: its filter is not supported',
  ],
  [
    'a filter without a test',
    '<ogc:Filter><!--not implemented yet--></ogc:Filter>',
    'the rule is not drawn: its filter is not supported',
  ],
  [
    'a pattern of a field',
    `<ogc:Filter><ogc:PropertyIsLike wildCard="*" singleChar="." escape="!">${ogcField('a')}${ogcField('b')}</ogc:PropertyIsLike></ogc:Filter>`,
    '<PropertyIsLike> is not supported in filters',
  ],
  [
    'a graphic fill',
    '<sld:PolygonSymbolizer><sld:Fill><sld:GraphicFill/></sld:Fill></sld:PolygonSymbolizer>',
    '<GraphicFill> of <Fill> is not drawn',
  ],
  [
    'a graphic stroke',
    '<sld:LineSymbolizer><sld:Stroke><sld:GraphicStroke/></sld:Stroke></sld:LineSymbolizer>',
    '<GraphicStroke> of <Stroke> is not drawn',
  ],
])('%s: reported', (_, inner, message) => {
  expect(readSld(sld(rule('a', inner))).issues.map((issue) => issue.message)).toContain(message)
})

test.each([
  [
    'repeated',
    '<sld:LabelPlacement><sld:LinePlacement><sld:IsRepeated>true</sld:IsRepeated></sld:LinePlacement></sld:LabelPlacement>',
    '<IsRepeated> of <LinePlacement> is not drawn',
  ],
  [
    'between anchors',
    '<sld:LabelPlacement><sld:PointPlacement><sld:AnchorPoint><sld:AnchorPointX>0.3</sld:AnchorPointX></sld:AnchorPoint></sld:PointPlacement></sld:LabelPlacement>',
    'the anchor 0.3 is drawn as the nearest of 0, 0.5 and 1',
  ],
  ['in a graphic', '<sld:Fill><sld:GraphicFill/></sld:Fill>', '<GraphicFill> of <Fill> is not drawn'],
  [
    'in a colour that is none',
    `<sld:Fill>${css({ fill: 'red-ish' })}</sld:Fill>`,
    'the colour is not drawn: expected #rrggbb',
  ],
  [
    'in the font of a field',
    `<sld:Font>${css({ 'font-family': ogcField('font') })}</sld:Font>`,
    'an expression is not supported here; the default is drawn',
  ],
])('labels %s: reported', (_, inner, message) => {
  expect(readSld(sld(labelled(inner))).issues.map((issue) => issue.message)).toEqual([message])
})

test('a layer that is restricted is reported', () => {
  const text = sld(rule('a', area('#ff0000'))).replace(
    '<sld:UserStyle>',
    '<sld:LayerFeatureConstraints/><sld:UserStyle>',
  )
  expect(readSld(text).issues.map(({ message }) => message)).toEqual([
    '<LayerFeatureConstraints> of <NamedLayer> is not drawn',
  ])
})

test('labels have opacities, lengths of their unit, fonts with substitutes, and sizes and rotations of fields', () => {
  const metre = 'uom="http://www.opengeospatial.org/se/units/metre"'
  const fonts =
    '<sld:CssParameter name="font-family">Noto Sans</sld:CssParameter><sld:CssParameter name="font-family">Arial</sld:CssParameter>'
  const size = `<sld:CssParameter name="font-size">${ogcField('size')}</sld:CssParameter>`
  const placement = `<sld:LabelPlacement><sld:PointPlacement><sld:Displacement><sld:DisplacementX>3</sld:DisplacementX><sld:DisplacementY>2</sld:DisplacementY></sld:Displacement><sld:Rotation>${ogcField('turn')}</sld:Rotation></sld:PointPlacement></sld:LabelPlacement>`
  const halo = `<sld:Halo><sld:Fill>${css({ fill: '#ff0000', 'fill-opacity': 0.5 })}</sld:Fill></sld:Halo><sld:Fill>${css({ fill: '#000000', 'fill-opacity': 0.2 })}</sld:Fill>`
  expect(
    read(labelled(`<sld:Font>${fonts}${size}</sld:Font>${placement}${halo}`, metre)).rules[0]?.labels,
  ).toMatchObject([
    {
      ...{ font: { family: 'Noto Sans' }, color: '#00000033', buffer: { color: '#ff000080' } },
      offset: [{ mapUnits: 3 }, { mapUnits: -2 }],
      dataDefined: { size: { op: 'field', name: 'size' }, angle: { op: 'field', name: 'turn' } },
    },
  ])
  const text = `<sld:TextSymbolizer><sld:Label>${ogcField('a')}${ogcLiteral(' - ')}${ogcLiteral('\n  b\n')}</sld:Label></sld:TextSymbolizer>`
  expect(read(rule('a', text)).rules[0]?.labels[0]?.text).toMatchObject({
    operands: [{ name: 'a' }, { value: ' - ' }, { value: 'b' }],
  })
})

test('comparisons without matchCase ignore the case of strings, but compare numbers', () => {
  const equal = (field: string, value: string) =>
    compare('PropertyIsEqualTo', field, value).replace('IsEqualTo>', 'IsEqualTo matchCase="false">')
  const style = read(
    rule('word', `<ogc:Filter>${equal('kind', 'Road')}</ogc:Filter>${area('#ff0000')}`) +
      rule('number', `<ogc:Filter>${equal('n', '7.0')}</ogc:Filter>${area('#ff0000')}`),
  )
  expect(drawnBy(style, { kind: 'ROAD', n: 7 })).toEqual(['word', 'number'])
  expect(drawnBy(style, { kind: 'Path', n: 8 })).toEqual([])
})
