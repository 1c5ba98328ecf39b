import { describe, expect, test } from 'vitest'
import { readQml } from '../../src/style/qml_read.ts'
import { compileSymbol } from '../../src/style/resolve_symbol.ts'
import { markerShapes, type SymbolLayer } from '../../src/style/symbol_layer.ts'
import { dataDefined, namedSymbol, single, symbolLayer } from '../support/qml.ts'

const layersOf = (type: string, layers: string) =>
  readQml(single(type, layers)).style?.rules[0]?.symbol?.layers
const issuesOf = (type: string, layers: string) =>
  readQml(single(type, layers)).issues.map(({ message }) => message)

const stroke = {
  color: '#232323',
  dash: [],
  isDashRelative: false,
  dashOffset: 0,
  join: 'bevel',
  cap: 'square',
} as const
const middle = { x: 'center', y: 'center' } as const

/** Layers without options, and what QGIS 3.22 makes of them. */
const defaults: readonly (readonly [cls: string, type: string, layer: SymbolLayer])[] = [
  [
    'SimpleFill',
    'fill',
    {
      kind: 'fill',
      pass: 0,
      color: '#0000ff',
      brush: 'solid',
      stroke: { ...stroke, width: 0.9827 },
      offset: [0, 0],
    },
  ],
  [
    'SimpleLine',
    'line',
    { kind: 'line', pass: 0, stroke: { ...stroke, width: 0.9827 }, offset: 0, rings: 'all' },
  ],
  [
    'SimpleMarker',
    'marker',
    {
      kind: 'marker',
      pass: 0,
      shape: 'circle',
      fill: '#ff0000',
      stroke: { ...stroke, width: 0 },
      size: 7.5591,
      angle: 0,
      offset: [0, 0],
      anchor: middle,
    },
  ],
]

test.each(defaults)('a %s without options has the defaults of QGIS', (cls, type, layer) => {
  expect(layersOf(type, symbolLayer(cls, {}))).toEqual([layer])
})

describe('simple layers', () => {
  test('reads layers bottom first, without those that are switched off', () => {
    const off = symbolLayer('SimpleLine', {}).replace('enabled="1"', 'enabled="0"')
    const layers = symbolLayer('SimpleFill', {}) + off + symbolLayer('SimpleLine', { ring_filter: '1' })
    expect(layersOf('fill', layers)?.map((layer) => ('rings' in layer ? layer.rings : layer.kind))).toEqual([
      'fill',
      'exterior',
    ])
  })

  test('reads a fill', () => {
    const options = {
      color: '10,20,30,128',
      style: 'dense3',
      outline_style: 'dash dot',
      outline_width: '2',
      outline_width_unit: 'Pixel',
      joinstyle: 'miter',
      offset: '3,-1.5',
      offset_unit: 'Point',
    }
    expect(layersOf('fill', symbolLayer('SimpleFill', options))?.[0]).toEqual({
      kind: 'fill',
      pass: 0,
      color: '#0a141e80',
      brush: 'dense3',
      stroke: { ...stroke, width: 2, dash: [4, 2, 1, 2], isDashRelative: true, join: 'miter' },
      offset: [4, -2],
    })
  })

  test('reads the options of older versions', () => {
    const props = ['color_border:255,0,0,255', 'style_border:no', 'width_border:1', 'style:no'].map((one) =>
      one.replace(/(.*):(.*)/, '<prop k="$1" v="$2"/>'),
    )
    const [fill] = layersOf('fill', `<layer class="SimpleFill">${props.join('')}</layer>`) ?? []
    expect(fill).toEqual({ kind: 'fill', pass: 0, color: '#0000ff', brush: 'no', offset: [0, 0] })
    const line = ['color:0,0,255,255', 'penstyle:dash', 'width:1'].map((one) =>
      one.replace(/(.*):(.*)/, '<prop k="$1" v="$2"/>'),
    )
    expect(layersOf('line', `<layer class="SimpleLine">${line.join('')}</layer>`)?.[0]).toMatchObject({
      stroke: { color: '#0000ff', width: 3.7795, dash: [4, 2], isDashRelative: true },
    })
  })

  test('where both forms exist, the current one applies', () => {
    const layer = symbolLayer(
      'SimpleLine',
      { line_color: '1,2,3,255' },
      '<prop k="line_color" v="9,9,9,255"/>',
    )
    expect(layersOf('line', layer)?.[0]).toMatchObject({ stroke: { color: '#010203' } })
  })

  test('reads dashes, caps, joins and offsets of lines', () => {
    const options = {
      use_custom_dash: '1',
      customdash: '6;4',
      customdash_unit: 'Pixel',
      dash_pattern_offset: '3',
      dash_pattern_offset_unit: 'Pixel',
      capstyle: 'flat',
      joinstyle: 'round',
      offset: '-10',
      offset_unit: 'Pixel',
      line_width: '0',
    }
    expect(layersOf('line', symbolLayer('SimpleLine', options))?.[0]).toMatchObject({
      stroke: { width: 0, dash: [6, 4], isDashRelative: false, dashOffset: 3, cap: 'flat', join: 'round' },
      offset: -10,
    })
  })

  test('keeps map units with their limits', () => {
    const options = {
      line_width: '20',
      line_width_unit: 'MapUnit',
      width_map_unit_scale: '3x:0,0,1,1,0.5,25.4',
    }
    expect(layersOf('line', symbolLayer('SimpleLine', options))?.[0]).toMatchObject({
      stroke: { width: { mapUnits: 20, minPixels: 1.8898, maxPixels: 96 } },
    })
  })

  test('reads every shape of a marker, its angle, anchor and pass', () => {
    for (const shape of markerShapes)
      expect(layersOf('marker', symbolLayer('SimpleMarker', { name: shape }))?.[0]).toMatchObject({ shape })
    const options = {
      name: 'regular_star',
      angle: '30',
      horizontal_anchor_point: '0',
      vertical_anchor_point: '2',
    }
    const layer = symbolLayer('SimpleMarker', options).replace('pass="0"', 'pass="3"')
    expect(layersOf('marker', layer)?.[0]).toMatchObject({
      shape: 'star',
      angle: 30,
      anchor: { x: 'left', y: 'bottom' },
      pass: 3,
    })
  })

  test('reads an embedded SVG image', () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg">é</svg>'
    const name = `base64:${Buffer.from(svg).toString('base64')}`
    const options = { name, size: '10', size_unit: 'Pixel', outline_width: '2', outline_width_unit: 'Pixel' }
    expect(layersOf('marker', symbolLayer('SvgMarker', options))).toEqual([
      {
        kind: 'svg',
        pass: 0,
        source: { svg },
        fill: '#232323',
        outline: '#232323',
        outlineWidth: 2,
        size: 10,
        aspectRatio: 0,
        angle: 0,
        offset: [0, 0],
        anchor: middle,
      },
    ])
  })
})

describe('layers with symbols', () => {
  const marker = namedSymbol('@0@0', 'marker', symbolLayer('SimpleMarker', { name: 'square' }))
  const line = namedSymbol('@0@0', 'line', symbolLayer('SimpleLine', { line_width: '0' }))

  test('reads marker lines', () => {
    const options = {
      placements: 'Interval|FirstVertex|SegmentCenter',
      interval: '5',
      interval_unit: 'Pixel',
      rotate: '0',
    }
    expect(layersOf('line', symbolLayer('MarkerLine', options, marker))?.[0]).toMatchObject({
      kind: 'marker_line',
      placements: ['interval', 'first_vertex', 'segment_center'],
      interval: 5,
      isRotated: false,
      averageLength: 15.1181,
      marker: { type: 'marker', layers: [{ shape: 'square' }] },
    })
    expect(
      layersOf('line', symbolLayer('MarkerLine', { placement: 'lastvertex' }, marker))?.[0],
    ).toMatchObject({
      placements: ['last_vertex'],
    })
  })

  test('reads line patterns, also of older versions', () => {
    const options = { angle: '30', distance: '4', distance_unit: 'Pixel', offset: '1', offset_unit: 'Pixel' }
    expect(layersOf('fill', symbolLayer('LinePatternFill', options, line))?.[0]).toMatchObject({
      kind: 'line_pattern',
      angle: 30,
      distance: 4,
      offset: 1,
      line: { layers: [{ kind: 'line', stroke: { width: 0 } }] },
    })
    const older = { color: '1,2,3,255', lineangle: '45', linewidth: '1' }
    expect(layersOf('fill', symbolLayer('LinePatternFill', older))?.[0]).toMatchObject({
      angle: 45,
      line: { layers: [{ stroke: { color: '#010203', width: 3.7795 } }] },
    })
  })

  test('reads point patterns', () => {
    const options = {
      distance_x: '16',
      distance_x_unit: 'Pixel',
      distance_y: '12',
      distance_y_unit: 'MapUnit',
      displacement_x: '6',
      displacement_x_unit: 'Pixel',
      clip_mode: 'completely_within',
    }
    expect(layersOf('fill', symbolLayer('PointPatternFill', options, marker))?.[0]).toMatchObject({
      kind: 'point_pattern',
      distance: [16, { mapUnits: 12 }],
      displacement: [6, 0],
      clipping: 'completely_within',
    })
  })

  test('reads centroid fills', () => {
    const options = { point_on_surface: '1', point_on_all_parts: '0' }
    expect(layersOf('fill', symbolLayer('CentroidFill', options, marker))?.[0]).toMatchObject({
      kind: 'centroid',
      isOnSurface: true,
      isOnAllParts: false,
    })
  })
})

describe('data-defined properties', () => {
  const resolve = (
    cls: string,
    options: Readonly<Record<string, string>>,
    expressions: Readonly<Record<string, string>>,
  ) => {
    const text = single('marker', symbolLayer(cls, options, dataDefined(expressions)))
    const symbol = readQml(text).style?.rules[0]?.symbol ?? { type: 'marker', opacity: 1, layers: [] }
    return (attributes: object, pixelsPerMapUnit = 1) =>
      compileSymbol(symbol).resolve({ context: { attributes: { ...attributes } }, pixelsPerMapUnit })
        .layers[0]
  }

  test('replace size, colour, width, rotation and shape', () => {
    const at = resolve(
      'SimpleMarker',
      { size: '2', size_unit: 'Point', outline_width_unit: 'Pixel' },
      {
        size: '"n"',
        fillColor: '"c"',
        outlineColor: "'#8000ff00'",
        outlineWidth: '2',
        angle: '"n" * 10',
        name: "'star'",
      },
    )
    expect(at({ n: 3, c: 'red' })).toMatchObject({
      size: 4,
      fill: '#ff0000',
      stroke: { color: '#00ff0080', width: 2 },
      angle: 30,
      shape: 'star',
    })
    // QGIS 3.22 keeps the value of the layer where an expression is null or has no such value.
    expect(at({ c: 'zzz' })).toMatchObject({ size: 2.6667, fill: '#ff0000', angle: 0 })
    expect(at({ n: 'a', c: '0,0,255,128' })).toMatchObject({ size: 2.6667, fill: '#0000ff80' })
  })

  test('apply in map units, and as areas', () => {
    const at = resolve(
      'SimpleMarker',
      { size: '2', size_unit: 'MapUnit', scale_method: 'area' },
      { size: '"n"' },
    )
    expect([at({ n: 100 }, 0.5), at({}, 0.5)]).toMatchObject([{ size: 5 }, { size: 1 }])
  })

  test('switch layers off', () => {
    const at = resolve('SimpleMarker', {}, { enabled: '"n" > 1' })
    expect([at({ n: 1 }), at({ n: 2 })?.kind]).toEqual([undefined, 'marker'])
  })

  test('are reported where they are not supported', () => {
    const layer = symbolLayer('SimpleMarker', {}, dataDefined({ offset: "'1,2'", size: 'foo(1)' }))
    expect(issuesOf('marker', layer)).toEqual([
      'data-defined property offset of SimpleMarker is ignored',
      'data-defined property size of SimpleMarker is ignored: function foo() is not supported (character 1 of the expression)',
    ])
  })

  test('transform sizes as the assistant of QGIS', () => {
    const transformer = `<Option name="transformer" type="Map"><Option name="t" type="int" value="1"/>
      <Option name="d" type="Map"><Option name="scaleType" value="2"/><Option name="minValue" value="1"/>
      <Option name="maxValue" value="10"/><Option name="minSize" value="2"/><Option name="maxSize" value="20"/>
      <Option name="nullSize" value="3.5"/></Option></Option>`
    const defined = dataDefined({ size: '"n"' }).replace(
      '<Option name="type" type="int" value="3"/>',
      `<Option name="type" type="int" value="3"/>${transformer}`,
    )
    const text = single('marker', symbolLayer('SimpleMarker', { size_unit: 'Pixel' }, defined))
    const symbol = readQml(text).style?.rules[0]?.symbol ?? { type: 'marker', opacity: 1, layers: [] }
    const size = (n: number | null) => {
      const [layer] = compileSymbol(symbol).resolve({
        context: { attributes: { n } },
        pixelsPerMapUnit: 1,
      }).layers
      return layer?.kind === 'marker' ? layer.size : undefined
    }
    expect([size(0), size(1), size(10), size(11), size(null)]).toEqual([2, 2, 20, 20, 3.5])
    expect(size(5.5)).toBeCloseTo(14.125_102_191_791_21, 9)
  })
})

describe('reports what is not drawn', () => {
  test.each([
    'GradientFill',
    'GeometryGenerator',
    'VectorField',
    'FontMarker',
    'ArrowLine',
    'constructor',
    '__proto__',
  ])('symbol layer %s', (cls) => {
    const { style, issues } = readQml(single('fill', symbolLayer(cls, {})))
    expect(style?.rules[0]?.symbol?.layers).toEqual([])
    expect(issues).toMatchObject([
      {
        code: 'style/unknown',
        severity: 'warning',
        message: `symbol layer ${cls} is not drawn`,
        span: { line: 3 },
      },
    ])
  })

  test.each([
    [
      'line',
      'SimpleLine',
      { align_dash_pattern: '1', offset_unit: 'RenderMetersInMapUnits' },
      [
        'option align_dash_pattern of SimpleLine is ignored',
        'offset_unit of SimpleLine: meters at scale are drawn as map units',
      ],
    ],
    ['marker', 'SimpleMarker', { name: 'unicorn' }, ['unknown marker "unicorn" is drawn as a circle']],
    [
      'marker',
      'SvgMarker',
      { name: 'gpsicons/plane.svg' },
      ['an SVG marker whose image is not embedded is not drawn'],
    ],
    [
      'marker',
      'SvgMarker',
      { name: 'base64:%%%' },
      ['an SVG marker whose image is not embedded is not drawn'],
    ],
  ] as const)('%s %s %j', (type, cls, options, expected) => {
    expect(issuesOf(type, symbolLayer(cls, options))).toEqual(expected)
  })

  test('draw effects', () => {
    expect(
      issuesOf('fill', symbolLayer('SimpleFill', {}, '<effect enabled="1" type="effectStack"/>')),
    ).toEqual(['draw effects of SimpleFill are not drawn'])
  })
})
