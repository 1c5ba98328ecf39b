import { expect, test } from 'vitest'
import { readSld } from '../../../src/style/sld/sld_read.ts'
import type { MapSymbol } from '../../../src/style/symbol_layer.ts'

const sld = (symbolizer: string) =>
  `<StyledLayerDescriptor version="1.1.0" xmlns="http://www.opengis.net/sld" xmlns:ogc="http://www.opengis.net/ogc" xmlns:se="http://www.opengis.net/se"><NamedLayer><UserStyle><se:FeatureTypeStyle><se:Rule>${symbolizer}</se:Rule></se:FeatureTypeStyle></UserStyle></NamedLayer></StyledLayerDescriptor>`

function read(symbolizer: string): { readonly symbol: MapSymbol; readonly messages: readonly string[] } {
  const { style, issues } = readSld(sld(symbolizer))
  const symbol = style?.rules[0]?.symbol
  if (symbol === undefined) throw new Error('no symbol')
  return { symbol, messages: issues.map(({ message }) => message) }
}

const drawn = (symbolizer: string) => {
  const { symbol, messages } = read(symbolizer)
  expect(messages).toEqual([])
  return symbol.layers
}

const parameter = (name: string, value: string | number) =>
  `<se:SvgParameter name="${name}">${value}</se:SvgParameter>`
const red = `<se:Stroke>${parameter('stroke', '#cc0000')}${parameter('stroke-width', 2)}</se:Stroke>`
const thin = `<se:Stroke>${parameter('stroke', '#cc0000')}</se:Stroke>`
const green = `<se:Fill>${parameter('fill', '#00cc00')}</se:Fill>`
const graphic = (mark: string, inner: string, more = '') =>
  `<se:Graphic><se:Mark><se:WellKnownName>${mark}</se:WellKnownName>${inner}</se:Mark>${more}</se:Graphic>`
const polygon = (inner: string, { fill = '', more = '' } = {}) =>
  `<se:PolygonSymbolizer><se:Fill>${fill}<se:GraphicFill>${inner}</se:GraphicFill></se:Fill>${more}</se:PolygonSymbolizer>`
const line = (inner: string, more = '') =>
  `<se:LineSymbolizer><se:Stroke><se:GraphicStroke>${inner}</se:GraphicStroke></se:Stroke>${more}</se:LineSymbolizer>`
const size = (value: number) => `<se:Size>${value}</se:Size>`
const rotation = (value: number) => `<se:Rotation><ogc:Literal>${value}</ogc:Literal></se:Rotation>`

test.each([
  ['horline', 0, [[0, 10]]],
  // QGIS writes and reads all of its hatches so.
  ['horline', 45, [[45, 10]]],
  ['shape://horline', 30, [[-30, 10]]],
  ['shape://vertline', 0, [[90, 10]]],
  ['line', 0, [[90, 10]]],
  ['slash', 0, [[45, 7.071]]],
  ['shape://backslash', 0, [[135, 7.071]]],
  [
    'shape://plus',
    0,
    [
      [0, 10],
      [90, 10],
    ],
  ],
  [
    'shape://times',
    0,
    [
      [45, 7.071],
      [135, 7.071],
    ],
  ],
])('the mark %s turned by %d° is a hatch', (mark, turn, lines) => {
  const found = drawn(polygon(graphic(mark, red, size(10) + (turn === 0 ? '' : rotation(turn)))))
  expect(found).toMatchObject(
    lines.map(([angle]) => ({
      ...{ kind: 'line_pattern', angle },
      line: { opacity: 1, layers: [{ kind: 'line', stroke: { color: '#cc0000', width: 2 } }] },
    })),
  )
  for (const [at, layer] of found.entries())
    expect('distance' in layer && layer.distance).toBeCloseTo(lines[at]?.[1] ?? 0, 3)
})

test.each([
  ['horline', 'horizontal'],
  ['line', 'vertical'],
  ['cross', 'cross'],
  ['slash', 'b_diagonal'],
  ['backslash', 'f_diagonal'],
  ['x', 'diagonal_x'],
])('the mark %s without size is the brush that QGIS writes so', (mark, brush) => {
  expect(drawn(polygon(graphic(mark, thin)))).toMatchObject([{ kind: 'fill', color: '#cc0000', brush }])
})

test('a brush by its name has the colour and opacity of its fill', () => {
  const half = parameter('fill-opacity', 0.5)
  expect(drawn(polygon(graphic('brush://dense5', green), { fill: half }))).toMatchObject([
    { kind: 'fill', color: '#00cc0080', brush: 'dense5' },
  ])
})

test('lines of less or more than a pixel are a hatch of tiles of eight pixels', () => {
  expect(drawn(polygon(graphic('horline', red)))).toMatchObject([{ kind: 'line_pattern', distance: 8 }])
})

test.each([
  ['', [6, 6]],
  ['<se:VendorOption name="distance">14,15</se:VendorOption>', [14, 15]],
  ['<se:VendorOption name="graphic-margin">4</se:VendorOption>', [14, 14]],
  ['<se:VendorOption name="graphic-margin">1 2 3 4</se:VendorOption>', [12, 10]],
])('other marks are a grid %s', (more, distance) => {
  expect(drawn(polygon(graphic('triangle', green, size(6)), { more }))).toMatchObject([
    {
      ...{ kind: 'point_pattern', distance, clipping: 'clip' },
      marker: { layers: [{ kind: 'marker', shape: 'equilateral_triangle', size: 6, fill: '#00cc00' }] },
    },
  ])
})

test('a hatch has its outline above it, and lengths of the unit of the symbolizer', () => {
  const metres = 'uom="http://www.opengeospatial.org/se/units/metre"'
  const hatched = polygon(graphic('horline', red, size(10)), { more: red }).replace(
    '<se:PolygonSymbolizer>',
    `<se:PolygonSymbolizer ${metres}>`,
  )
  const { symbol, messages } = read(hatched)
  expect(messages).toEqual([])
  expect(symbol).toMatchObject({
    type: 'fill',
    layers: [
      { kind: 'line_pattern', distance: { mapUnits: 10 } },
      { kind: 'fill', brush: 'no', stroke: { width: { mapUnits: 2 } } },
    ],
  })
})

test.each([
  ['an image', '<se:Graphic><se:ExternalGraphic/></se:Graphic>'],
  ['no mark', '<se:Graphic/>'],
  ['an unknown mark', graphic('shape://oarrow', red)],
])('%s in a fill is not drawn, nor is a colour in its place', (_, inner) => {
  const { symbol, messages } = read(polygon(inner))
  expect(symbol.layers).toMatchObject([{ kind: 'fill', brush: 'no' }])
  expect(messages).toContain('<GraphicFill> of <Fill> is not drawn')
  const coloured = read(polygon(inner, { fill: parameter('fill', '#00cc00') }))
  expect(coloured.symbol.layers).toMatchObject([{ kind: 'fill', brush: 'solid', color: '#00cc00' }])
})

test('marks along a line have the distance that QGIS writes as their gap, or follow each other', () => {
  const circle = graphic('circle', green, size(10))
  expect(drawn(line(circle))).toMatchObject([
    {
      ...{ kind: 'marker_line', placements: ['interval'], interval: 10, isRotated: true, offset: 0 },
      marker: { layers: [{ shape: 'circle', size: 10, fill: '#00cc00' }] },
    },
  ])
  const gap = '<se:Gap><ogc:Literal>14</ogc:Literal></se:Gap><se:InitialGap>3</se:InitialGap>'
  const shifted = '<se:PerpendicularOffset>-2</se:PerpendicularOffset>'
  expect(drawn(line(circle + gap, shifted))).toMatchObject([{ interval: 14, offsetAlong: 3, offset: 2 }])
  const upright =
    '<se:VendorOption name="rotateMarker">0</se:VendorOption><se:VendorOption name="placement">points</se:VendorOption>'
  expect(drawn(line(circle, upright))).toMatchObject([{ placements: ['vertex'], isRotated: false }])
  expect(read(line(circle)).symbol.type).toBe('line')
})

test('a stroke of graphics that are not drawn is not a black line', () => {
  const image = '<se:Graphic><se:ExternalGraphic/></se:Graphic>'
  const stroke = `<se:Stroke><se:GraphicStroke>${image}</se:GraphicStroke></se:Stroke>`
  const { style, issues } = readSld(sld(`<se:LineSymbolizer>${stroke}</se:LineSymbolizer>`))
  expect(style?.rules[0]?.symbol?.layers ?? []).toEqual([])
  expect(issues.map(({ message }) => message)).toEqual([
    '<GraphicStroke> of <Stroke> is not drawn',
    '<ExternalGraphic> is not drawn',
  ])
  const mark = `<se:PointSymbolizer>${graphic('circle', green + stroke)}</se:PointSymbolizer>`
  expect(read(mark).symbol.layers[0]).not.toHaveProperty('stroke')
  const outlined = `<se:PolygonSymbolizer>${green}${stroke}</se:PolygonSymbolizer>`
  expect(read(outlined).symbol.layers).toMatchObject([{ kind: 'fill', color: '#00cc00' }])
  expect(read(outlined).symbol.layers[0]).not.toHaveProperty('stroke')
})

test('options and parts of graphics that are not drawn are reported', () => {
  const more = '<se:VendorOption name="graphic-margin">4</se:VendorOption>'
  expect(read(polygon(graphic('slash', red, size(4)), { more })).messages).toEqual([
    '<VendorOption> of <PolygonSymbolizer> is not drawn',
  ])
  const sized = `<se:Size><ogc:PropertyName>size</ogc:PropertyName></se:Size>`
  expect(read(polygon(graphic('circle', green, sized))).messages).toEqual([
    'an expression is not supported here; the default is drawn',
  ])
})
