import { describe, expect, test } from 'vitest'
import { readQml } from '../../../src/style/qml/qml_read.ts'
import { markerShapes, type SymbolLayer } from '../../../src/style/symbol_layer.ts'
import { dataDefined, namedSymbol, single, symbolLayer } from '../../support/qml.ts'

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

describe('reports what is not drawn', () => {
  test('letters are those of the fonts of labels', () => {
    const { style, issues } = readQml(
      single(
        'marker',
        symbolLayer('FontMarker', { font: 'Wingdings', chr: 'P', size: '5', size_unit: 'Pixel' }),
      ),
    )
    expect(style?.rules[0]?.symbol?.layers).toMatchObject([{ kind: 'text', text: 'P', size: 5 }])
    expect(issues).toMatchObject([{ message: 'the font "Wingdings" of FontMarker is drawn as DejaVu Sans' }])
  })

  test.each(['GradientFill', 'GeometryGenerator', 'VectorField', 'ArrowLine', 'constructor', '__proto__'])(
    'symbol layer %s',
    (cls) => {
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
    },
  )

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

  test.each([
    ['a script', '<script>alert(1)</script>', ['scripts of an SVG marker are not run']],
    ['an event', '<rect onclick="alert(1)"/>', ['scripts of an SVG marker are not run']],
    [
      'other files',
      '<image href="http://example.org/a.png"/><use xlink:href="b.svg#c"/><rect fill="url(d.svg#e)"/>',
      ['http://example.org/a.png', 'b.svg#c', 'd.svg#e'].map(
        (name) => `an SVG marker is drawn without "${name}", which is not embedded`,
      ),
    ],
    [
      'a style sheet',
      '<style>@import "f.css"; rect { fill: url(#g) }</style>',
      ['an SVG marker is drawn without "f.css", which is not embedded'],
    ],
    [
      'an open element',
      '<g>',
      ['an SVG marker is not drawn: its image is not valid XML: unexpected close tag: <g> is open'],
    ],
    [
      'an element that refers to itself',
      '<g id="a"><use href="#a"/></g>',
      ['an SVG marker is not drawn: an element of its image refers to itself'],
    ],
    [
      'many elements',
      '<rect/>'.repeat(10_000),
      ['an SVG marker is not drawn: its image has 10001 elements as they are drawn; the limit is 10000'],
    ],
    [
      'a long path',
      `<path d="${'M0 0'.repeat(300_000)}"/>`,
      [
        expect.stringMatching(
          /^an SVG marker is not drawn: its image has \d+ characters; the limit is 1048576$/,
        ),
      ],
    ],
    [
      'links, gradients and embedded images',
      '<a href="http://x"><rect fill="url(#g)"/></a><image href="data:,"/>',
      [],
    ],
  ])('an SVG marker whose image has %s', (_, content, expected) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${content}</svg>`
    const name = `base64:${Buffer.from(svg).toString('base64')}`
    expect(issuesOf('marker', symbolLayer('SvgMarker', { name }))).toEqual(expected)
  })

  test('patterns that are clipped or drawn with other lines than in QGIS', () => {
    const marker = namedSymbol('@0@0', 'marker', symbolLayer('SimpleMarker', {}))
    expect(
      issuesOf('fill', symbolLayer('PointPatternFill', { clip_mode: 'centroid_within' }, marker)),
    ).toEqual(['option clip_mode of PointPatternFill is ignored'])
    const line = namedSymbol('@0@0', 'line', symbolLayer('MarkerLine', {}, marker))
    expect(issuesOf('fill', symbolLayer('LinePatternFill', {}, line))).toEqual([
      'a line pattern is drawn without the markers on its lines',
    ])
  })

  test('draw effects', () => {
    expect(
      issuesOf('fill', symbolLayer('SimpleFill', {}, '<effect enabled="1" type="effectStack"/>')),
    ).toEqual(['draw effects of SimpleFill are not drawn'])
  })
})

test('reads the form of QGIS 3.40, with colours in full precision', () => {
  const layer = `<layer class="SimpleFill" enabled="1" id="{7c3e2a0e-0000-4000-8000-000000000000}" locked="0" pass="0">
    <Option type="Map"><Option name="color" type="QString" value="125,139,143,128,rgb:0.49,0.545,0.56,0.5"/>
    <Option name="outline_style" type="QString" value="no"/></Option>
    <effect enabled="0" type="effectStack"/>${dataDefined({}).replace(/<Option name="properties" type="Map"><\/Option>/, '<Option name="properties"/>')}
    </layer>`
  const symbol = `<symbol alpha="1" clip_to_extent="1" force_rhr="0" frame_rate="10" is_animated="0" name="0" type="fill">${layer}</symbol>`
  const { style, issues } = readQml(`<qgis version="3.40.1-Bratislava" hasScaleBasedVisibilityFlag="0">
    <renderer-v2 enableorderby="0" forceraster="0" referencescale="-1" symbollevels="0" type="singleSymbol">
    <symbols>${symbol}</symbols><rotation/><sizescale/><data-defined-properties><Option type="Map"/></data-defined-properties>
    </renderer-v2><selection mode="Default"/></qgis>`)
  expect([style?.rules[0]?.symbol?.layers, issues]).toEqual([
    [{ kind: 'fill', pass: 0, color: '#7d8b8f80', brush: 'solid', offset: [0, 0] }],
    [],
  ])
})
