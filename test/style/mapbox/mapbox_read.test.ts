import { describe, expect, test } from 'vitest'
import { tileWidth } from '../../../src/geo/tile.ts'
import { checkStyleText } from '../../../src/style/check_style_text.ts'
import { findCssColor } from '../../../src/style/css_color.ts'
import { compileExpression } from '../../../src/style/expression/expression_evaluate.ts'
import { worldScale } from '../../../src/style/mapbox/mapbox_stops.ts'
import { compileRules, isInScale, scaleDenomOf } from '../../../src/style/match_rules.ts'
import { readDesktopStyle } from '../../../src/style/qml/desktop_style.ts'
import { compileSymbol } from '../../../src/style/resolve_symbol.ts'

const layersOf = (...layers: readonly object[]) => `{"version": 8, "layers": ${JSON.stringify(layers)}}`
const read = (text: string) => readDesktopStyle(text, { file: 'style.json' })
const messages = (text: string) =>
  read(text).issues.map(({ span, message }) => `${span?.line}:${span?.column} ${message}`)

/** Returns the layer of the only symbol, drawn at a zoom level. */
function draw(layer: object, { zoom = 0, ...attributes }: Record<string, unknown> = {}) {
  const { style, issues } = read(layersOf({ id: 'a', ...layer }))
  expect(issues).toEqual([])
  const scaleDenom = worldScale / 2 ** Number(zoom)
  const [rule] = style === undefined ? [] : compileRules(style)({ attributes, scaleDenom })
  const symbol = rule?.symbol && compileSymbol(rule.symbol)
  return symbol?.resolve({ context: { attributes, scaleDenom }, pixelsPerMapUnit: 1 })
}

describe('a style of Mapbox GL', () => {
  test('has at most 10,000 layers', () => {
    const circles = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ id: `c${at}`, type: 'circle' }))
    expect(read(layersOf(...circles(10_000))).style?.rules.length).toBe(10_000)
    const { style, issues } = read(layersOf(...circles(10_001)))
    expect(style).toBeUndefined()
    expect(issues).toMatchObject([
      {
        severity: 'error',
        message: 'the style has 10001 layers; the maximum is 10000',
        span: { line: 1, column: 26 },
      },
    ])
  })

  test('interpolates widths over zoom levels, linear and exponential, also in the form of older styles', () => {
    const linear = ['interpolate', ['linear'], ['zoom'], 10, 2, 12, 6]
    const older = {
      base: 2,
      stops: [
        [10, 1],
        [12, 4],
      ],
    }
    const widthAt = (width: unknown, zoom: number) => {
      const [line] = draw({ type: 'line', paint: { 'line-width': width } }, { zoom })?.layers ?? []
      return line?.kind === 'line' ? line.stroke.width : undefined
    }
    expect([9, 10, 11, 13].map((zoom) => widthAt(linear, zoom))).toEqual([2, 2, expect.closeTo(4), 6])
    expect(widthAt(older, 11)).toBeCloseTo(2)
    expect(widthAt(['step', ['zoom'], 1, 5, 3], 4.9)).toBe(1)
    expect(widthAt(['step', ['zoom'], 1, 5, 3], 5.1)).toBe(3)
  })

  test('has the value of expressions without a feature as the fixed one, for legends', () => {
    const paint = {
      'line-color': ['coalesce', ['get', 'color'], '#0000ff'],
      'line-width': ['+', ['coalesce', ['get', 'width'], 2], 1],
      'line-opacity': ['get', 'x'],
    }
    const { style } = read(layersOf({ id: 'a', type: 'line', paint }))
    expect(style?.rules[0]?.symbol).toMatchObject({
      opacity: 1,
      layers: [{ stroke: { color: '#0000ff', width: 3 } }],
    })
  })

  test('colours by match, case, step and interpolation of a field; the default where there is no value', () => {
    const fill = (color: unknown, kind: unknown) => {
      const [layer] = draw({ type: 'fill', paint: { 'fill-color': color } }, { kind, n: kind })?.layers ?? []
      return layer?.kind === 'fill' ? layer.color : undefined
    }
    const match = [
      'match',
      ['get', 'kind'],
      ['a', 'b'],
      'hsl(120, 100%, 50%)',
      'c',
      '#00f',
      'rgba(255,0,0,0.5)',
    ]
    expect([...'abcd'].map((kind) => fill(match, kind))).toEqual([
      '#00ff00',
      '#00ff00',
      '#0000ff',
      '#ff000080',
    ])
    const ramp = ['interpolate', ['linear'], ['get', 'n'], 0, '#000', 10, '#ff0000']
    expect([-1, 5, 99, null].map((n) => fill(ramp, n))).toEqual(['#000000', '#800000', '#ff0000', '#000000'])
    const test = ['case', ['all', ['has', 'n'], ['>', ['get', 'n'], 3]], 'red', ['coalesce', null, 'lime']]
    expect([5, 1, null].map((n) => fill(test, n))).toEqual(['#ff0000', '#00ff00', '#00ff00'])
  })

  test('draws circles with the outline around them, and lines with dashes of their width', () => {
    const circle = {
      'circle-radius': ['*', 2, ['get', 'n']],
      'circle-stroke-width': 2,
      'circle-opacity': 0.5,
    }
    expect(draw({ type: 'circle', paint: circle }, { n: 3 })?.layers).toMatchObject([
      {
        kind: 'marker',
        shape: 'circle',
        size: 14,
        fill: '#00000080',
        stroke: { width: 2, color: '#000000' },
      },
    ])
    const line = { 'line-width': 3, 'line-dasharray': [2, 1, 1], 'line-opacity': ['get', 'o'] }
    expect(draw({ type: 'line', layout: { 'line-cap': 'round' }, paint: line }, { o: 0.25 })).toMatchObject({
      opacity: 0.25,
      layers: [{ stroke: { dash: [6, 3, 3, 6, 3, 3], cap: 'round', join: 'miter' } }],
    })
  })

  test('selects features by expressions, and by filters of older styles; null differs from every value', () => {
    const selects = (filter: unknown, attributes: Record<string, unknown>) =>
      draw({ type: 'fill', filter }, attributes) !== undefined
    const cases: [filter: unknown, attributes: Record<string, unknown>, isSelected: boolean][] = [
      [['==', 'kind', 'a'], { kind: 'a' }, true],
      [['!=', ['get', 'kind'], 'a'], { kind: null }, true],
      [['!', ['==', ['get', 'kind'], 'a']], { kind: null }, true],
      [['in', 'kind', 'a', 'b'], { kind: 'b' }, true],
      [['!in', 'kind', 'a', 'b'], { kind: 'b' }, false],
      [['in', ['get', 'n'], ['literal', [1, 2]]], { n: 2 }, true],
      [['none', ['has', 'n'], ['<', 'n', 3]], { n: null }, true],
      [['all', ['==', '$type', 'Polygon'], ['>=', 'n', 3]], { n: 3 }, true],
      [['all'], {}, true],
      [['<', ['to-number', ['get', 'n']], 1], { n: null }, true],
      [['==', ['downcase', ['to-string', ['get', 'kind']]], 'a'], { kind: 'A' }, true],
      [['>', ['zoom'], 5], { zoom: 6 }, true],
    ]
    expect(cases.map(([filter, attributes]) => selects(filter, attributes))).toEqual(
      cases.map(([, , isSelected]) => isSelected),
    )
  })

  test('labels with texts of fields, fonts, halos and anchors', () => {
    const layout = {
      'text-field': '{name} ({n})',
      'text-font': ['Noto Sans Bold'],
      'text-size': 20,
      'text-anchor': 'top-left',
    }
    const paint = { 'text-color': 'blue', 'text-halo-color': '#fff', 'text-halo-width': 1.5 }
    const { style, issues } = read(
      layersOf({
        id: 'names',
        type: 'symbol',
        minzoom: 5,
        maxzoom: 10,
        layout: { ...layout, 'text-offset': [0, 0.5] },
        paint,
      }),
    )
    expect(issues).toEqual([])
    const [rule] = style?.rules ?? []
    expect(rule).toMatchObject({
      label: 'names',
      maxScaleDenom: expect.closeTo(worldScale / 32, -1),
      minScaleDenom: expect.closeTo(worldScale / 1024, -1),
    })
    const [labels] = rule?.labels ?? []
    expect(labels).toMatchObject({
      font: { family: 'Noto Sans Bold', weight: 700, size: 20 },
      ...{ color: '#0000ff', buffer: { size: 1.5, color: '#ffffff' }, offset: [0, 10] },
      placement: { kind: 'over', quadrant: [1, 1] },
    })
    const text = labels && compileExpression(labels.text)({ attributes: { name: 'Ulm', n: 7 } })
    expect(text).toBe('Ulm (7)')
  })
})

describe('reports what is not drawn, with position', () => {
  test.each([
    [{ type: 'raster' }, '1:44 layer "a": a layer of type "raster" is not drawn'],
    [{ type: 'line', paint: { 'line-blur': 2 } }, '1:60 layer "a": line-blur is not drawn'],
    [{ type: 'line', paint: { 'line-width': 1e300 } }, '1:73 layer "a": line-width is too large to be drawn'],
    [
      { type: 'line', paint: { 'line-width': ['pi'] } },
      '1:73 layer "a": line-width is not drawn: the expression "pi" is not supported',
    ],
    [
      { type: 'fill', paint: { 'fill-color': 'bleu' } },
      '1:73 layer "a": fill-color is not a colour of CSS; the default is drawn',
    ],
    [
      { type: 'fill', filter: ['within', {}] },
      '1:60 layer "a": the layer is not drawn: the expression "within" is not supported',
    ],
    [
      { type: 'symbol', layout: { 'icon-image': 'dot' } },
      '1:76 layer "a": icon-image is not drawn: images of sprites are not read',
    ],
    [{ type: 'line', ref: 'b' }, '1:51 layer "a": member "ref" is not drawn'],
    [
      { type: 'fill', filter: ['==', '$type', 'Point'] },
      '1:60 layer "a": the layer is not drawn: a test of the type of geometries is not supported for a fill',
    ],
  ])('%j', (layer, expected) => {
    expect(messages(layersOf({ id: 'a', ...layer }))).toEqual([expected])
  })

  test('layers of other layers of tiles', () => {
    const text = layersOf(
      { id: 'a', type: 'fill', 'source-layer': 'water' },
      { id: 'b', type: 'fill', 'source-layer': 'roads' },
    )
    expect(read(text).style?.rules.map(({ label }) => label)).toEqual(['a'])
    expect(messages(text)).toEqual([
      '1:75 layer "b": it is not drawn: it belongs to "roads", and not to "water"',
    ])
  })

  test.each([
    ['{"layers": 1}', '1:1 the style has no list "layers"'],
    ['{"layers": [}', '1:13 the text is not JSON: unexpected "}"'],
    ['{\n "layers": [', '2:13 the text is not JSON: unexpected the end of the text'],
    ['{"a": "\n"}', '1:7 the text is not JSON: unexpected "\\""'],
    [`{"a": ${'['.repeat(100)}`, '1:71 values are nested more than 64 levels deep'],
  ])('%s', (text, expected) => {
    expect(messages(text)).toEqual([expected])
    expect(read(text).style).toBeUndefined()
  })
})

test('fields that the layer does not have are reported where they are named', () => {
  const text = layersOf({
    id: 'a',
    type: 'symbol',
    filter: ['has', 'size'],
    layout: { 'text-field': '{name}' },
  })
  const issues = checkStyleText('qml', text, { fields: ['name', 'sizes'] })
  expect(issues).toMatchObject([
    {
      code: 'style/missing-field',
      span: { line: 1, column: 69 },
      message: 'the layer has no field "size"; its value is null',
    },
  ])
})

test('expressions that grow with each level are refused', () => {
  let value: unknown = ['get', 'n']
  for (let level = 0; level < 20; level += 1) value = ['interpolate', ['linear'], value, 0, 0, 1, 1, 2, 2]
  expect(messages(layersOf({ id: 'a', type: 'line', paint: { 'line-width': value } }))[0]).toContain(
    'line-width is not drawn: the expression is too large',
  )
})

test('colours of CSS', () => {
  const colors = [
    '#1af8',
    'rgb(100%, 0%, 50%)',
    'hsla(240, 100%, 25%, 0.5)',
    'rgb(0 128 255 / 50%)',
    'TEAL',
    'rgb(1,2)',
    '#12',
  ]
  expect(colors.map(findCssColor)).toEqual([
    ...['#11aaff88', '#ff0080', '#00008080', '#0080ff80', '#008080', undefined, undefined],
  ])
})

test('a layer is drawn from its least zoom level on, and below its most', () => {
  const { style } = read(layersOf({ id: 'a', type: 'fill', minzoom: 5, maxzoom: 7 }))
  const [rule = {}] = style?.rules ?? []
  // Zoom levels of tiles of 256 pixels are one higher.
  const isDrawn = [5, 6, 7, 8].map((zoom) => isInScale(rule, scaleDenomOf(tileWidth(zoom) / 256)))
  expect(isDrawn).toEqual([false, true, true, false])
})

test.each([
  [{ type: 'fill', layout: { 'fill-sort-key': 1 } }, 'layer "a": fill-sort-key is not drawn'],
  [{ type: 'fill', paint: { 'fill-antialias': false } }, 'layer "a": fill-antialias is not drawn'],
  [
    { type: 'symbol', layout: { 'text-rotation-alignment': 'map' } },
    'layer "a": text-rotation-alignment is not drawn',
  ],
  [{ type: 'fill', minzoom: '5' }, 'layer "a": minzoom is not a number, and does not limit the layer'],
  [
    { type: 'fill', paint: { 'fill-color': { stops: [[1, '#fff']], colorSpace: 'lab' } } },
    'layer "a": fill-color is not drawn: member "colorSpace" of a function is not supported',
  ],
])('%j is reported', (layer, message) => {
  expect(read(layersOf({ id: 'a', ...layer })).issues.map((issue) => issue.message)).toEqual([message])
})

test('a pattern, whose image is not known, is drawn in the colour of its layer, or as a grey hatch and not in black', () => {
  const drawn = (paint: object) => {
    const { style, issues } = read(layersOf({ id: 'a', type: 'fill', paint }))
    const [layer] = style?.rules[0]?.symbol?.layers ?? []
    return [layer?.kind === 'fill' ? [layer.brush, layer.color] : [], issues.map(({ message }) => message)]
  }
  expect(drawn({ 'fill-pattern': 'wood' })).toEqual([
    ['f_diagonal', '#a0a0a0'],
    ['layer "a": fill-pattern is drawn as a grey hatch'],
  ])
  expect(drawn({ 'fill-pattern': 'wood', 'fill-color': '#00ff00' })).toEqual([
    ['solid', '#00ff00'],
    ['layer "a": fill-pattern is drawn as a fill of one colour'],
  ])
})

test('a layer that is not an object is reported, and usual settings are not', () => {
  expect(messages('{"version":8,"layers":[7]}')).toEqual(['1:24 a layer that is not an object is not drawn'])
  const layout = { 'symbol-placement': 'line', 'text-rotation-alignment': 'map', 'text-field': 'a' }
  expect(messages(layersOf({ id: 'a', type: 'symbol', layout }))).toEqual([])
})

test('functions of older styles have a default, and fields in the texts of labels', () => {
  const color = { property: 'kind', type: 'categorical', stops: [['a', '#ff0000']], default: '#0000ff' }
  const width = {
    property: 'n',
    type: 'interval',
    stops: [
      [0, 1],
      [5, 3],
    ],
    default: 7,
  }
  const drawn = (attributes: Record<string, unknown>) => {
    const [line] =
      draw({ type: 'line', paint: { 'line-color': color, 'line-width': width } }, attributes)?.layers ?? []
    return line?.kind === 'line' ? [line.stroke.color, line.stroke.width] : []
  }
  expect(drawn({ kind: 'a', n: 6 })).toEqual(['#ff0000', 3])
  expect(drawn({ kind: 'b' })).toEqual(['#0000ff', 7])
  const text = {
    stops: [
      [0, ''],
      [6, '{ref}'],
      [9, '{name} ({ref})'],
    ],
  }
  const { style } = read(layersOf({ id: 'a', type: 'symbol', layout: { 'text-field': text } }))
  const labels = style?.rules[0]?.labels[0]
  const at = (zoom: number) =>
    labels &&
    compileExpression(labels.text)({
      attributes: { name: 'Oak', ref: 'B1' },
      scaleDenom: worldScale / 2 ** zoom,
    })
  expect([1, 7, 10].map(at)).toEqual(['', 'B1', 'Oak (B1)'])
})
