import { describe, expect, test } from 'vitest'
import { type DrawOptions, drawImage, drawStrips } from '../../../src/render/image/draw_image.ts'
import type { DrawJob } from '../../../src/render/image/draw_job.ts'
import { loadSvgImages } from '../../../src/render/image/svg_images.ts'
import type {
  PointPattern,
  SimpleFill,
  SimpleLine,
  SimpleMarker,
  Stroke,
  SvgMarker,
} from '../../../src/style/symbol_layer.ts'
import { featuresOf, jobOf, pointFeatures, type Rings, styleOf } from '../../support/draw_job.ts'

const stroke: Stroke = {
  ...{ color: '#ff0000', width: 4, dash: [], isDashRelative: false, dashOffset: 0 },
  ...{ join: 'bevel', cap: 'flat' },
}
const fill: SimpleFill = { kind: 'fill', color: '#0000ff', brush: 'solid', offset: [0, 0], pass: 0 }
const line: SimpleLine = { kind: 'line', stroke, offset: 0, rings: 'all', pass: 0 }
const marker: SimpleMarker = {
  ...{ kind: 'marker', shape: 'square', size: 10, angle: 0, offset: [0, 0], pass: 0, fill: '#00ff00' },
  anchor: { x: 'center', y: 'center' },
}

const box = (left: number, top: number, right: number, bottom: number): Rings => [
  [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
    [left, top],
  ],
]

/** Draws a job, and returns pixels as `rrggbbaa` of straight colours. */
function draw(job: DrawJob, options?: DrawOptions): (x: number, y: number) => string {
  const { bytes, width } = drawImage(job, options)
  return (x, y) => {
    const at = 4 * (y * width + x)
    const alpha = bytes[at + 3] ?? 0
    const straight = [0, 1, 2].map((channel) =>
      alpha === 0 ? 0 : Math.round(((bytes[at + channel] ?? 0) * 255) / alpha),
    )
    return [...straight, alpha].map((value) => value.toString(16).padStart(2, '0')).join('')
  }
}

const [red, green, blue, none] = ['ff0000ff', '00ff00ff', '0000ffff', '00000000']

describe('symbols', () => {
  test('of polygons have a fill and an outline over it', () => {
    const at = draw(
      jobOf(featuresOf('POLYGON', [box(10, 10, 50, 50)]), styleOf('fill', [{ ...fill, stroke }])),
    )
    expect([at(30, 30), at(9, 30), at(11, 30), at(13, 30), at(6, 30)]).toEqual([blue, red, red, blue, none])
  })

  test('draw lines with offset, and markers with anchor, offset and rotation', () => {
    const road = featuresOf('LINESTRING', [
      [
        [
          [0, 32],
          [64, 32],
        ],
      ],
    ])
    const right = draw(jobOf(road, styleOf('line', [{ ...line, offset: 10 }])))
    expect([right(30, 42), right(30, 32)]).toEqual([red, none])
    const anchored = { ...marker, anchor: { x: 'left', y: 'top' } } as const
    const corner = draw(jobOf(pointFeatures([[20, 20]]), styleOf('marker', [anchored])))
    expect([corner(21, 21), corner(29, 29), corner(18, 18)]).toEqual([green, green, none])
    const turned = draw(
      jobOf(pointFeatures([[20, 20]]), styleOf('marker', [{ ...marker, offset: [10, 0], angle: 90 }])),
    )
    expect([turned(20, 30), turned(30, 20)]).toEqual([green, none])
  })

  test('of lines draw nothing on points, and fills nothing on lines', () => {
    expect(draw(jobOf(pointFeatures([[20, 20]]), styleOf('line', [line])))(20, 20)).toBe(none)
    expect(
      draw(
        jobOf(
          featuresOf(
            'LINESTRING',
            box(0, 0, 60, 60).map((one) => [one]),
          ),
          styleOf('fill', [fill]),
        ),
      )(30, 30),
    ).toBe(none)
  })

  test('multiply their opacity with that of colours, and layers blend with those below', () => {
    const faint = { ...fill, color: '#0000ff80' } as const
    const at = draw(
      jobOf(featuresOf('POLYGON', [box(0, 0, 64, 64)]), styleOf('fill', [faint], { opacity: 0.5 })),
    )
    expect(at(30, 30)).toBe('0000ff40')
    const one = {
      style: styleOf('fill', [{ ...fill, color: '#ff8000' }]),
      features: featuresOf('POLYGON', [box(0, 0, 64, 64)]),
    }
    const two = {
      style: styleOf('fill', [{ ...fill, color: '#808080' }], { blending: 'multiply' }),
      features: featuresOf('POLYGON', [box(0, 0, 64, 64)]),
    }
    expect(draw({ ...jobOf(one.features, one.style), layers: [one, two] })(30, 30)).toBe('804000ff')
  })

  test('take sizes and colours from attributes, and lengths in map units from the scale', () => {
    const dataDefined = {
      'stroke.color': { op: 'field', name: 'paint' },
      'stroke.width': { op: 'field', name: 'width' },
    } as const
    const roads = featuresOf(
      'LINESTRING',
      [
        [
          [
            [0, 10],
            [64, 10],
          ],
        ],
        [
          [
            [0, 40],
            [64, 40],
          ],
        ],
      ],
      [
        { paint: '#00ff00', width: 12 },
        { paint: 'no colour', width: null },
      ],
    )
    const at = draw(jobOf(roads, styleOf('line', [{ ...line, dataDefined }])))
    expect([at(30, 5), at(30, 41), at(30, 43)]).toEqual([green, red, none])
    const mapUnits = { ...line, stroke: { ...stroke, width: { mapUnits: 4 } } }
    const wide = draw({
      ...jobOf(
        featuresOf('LINESTRING', [
          [
            [
              [0, 32],
              [64, 32],
            ],
          ],
        ]),
        styleOf('line', [mapUnits]),
      ),
      pixelsPerMapUnit: 5,
    })
    expect([wide(30, 23), wide(30, 41), wide(30, 43)]).toEqual([red, red, none])
  })
})

test('SVG markers have the colours and size of the style, and turn', async () => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2" width="2" height="2">
    <rect width="1" height="2" fill="param(fill) #000"/><rect x="1" width="1" height="2" fill="param(outline) #000"/></svg>`
  const flag: SvgMarker = {
    ...{ kind: 'svg', source: { svg }, size: 20, angle: 90, offset: [0, 0], pass: 0, aspectRatio: 0 },
    ...{ fill: '#ff0000', outline: '#00ff00', outlineWidth: 1, anchor: { x: 'center', y: 'center' } },
  }
  const job = jobOf(pointFeatures([[32, 32]]), styleOf('marker', [flag]))
  const at = draw(job, { images: await loadSvgImages(job) })
  expect([at(32, 25), at(32, 38), at(32, 20), at(32, 44)]).toEqual([red, green, none, none])
  const broken = jobOf(pointFeatures([[32, 32]]), styleOf('marker', [{ ...flag, source: { svg: '<svg' } }]))
  expect((await loadSvgImages(broken)).size).toBe(0)
  const dots: PointPattern = {
    ...{ kind: 'point_pattern', marker: { type: 'marker', opacity: 1, layers: [flag] }, distance: [32, 32] },
    ...{ displacement: [0, 0], offset: [0, 0], angle: 0, clipping: 'clip', pass: 0 },
  }
  const area = jobOf(featuresOf('POLYGON', [box(0, 0, 64, 64)]), styleOf('fill', [dots]))
  const inArea = draw(area, { images: await loadSvgImages(area) })
  expect([inArea(32, 25), inArea(32, 38), inArea(0, 6), inArea(16, 32)]).toEqual([red, green, green, none])
})

describe('rules', () => {
  const boxes = featuresOf(
    'POLYGON',
    [box(0, 0, 20, 64), box(20, 0, 40, 64), box(40, 0, 64, 64)],
    [{ n: 1 }, { n: 2 }, { n: null }],
  )
  const rule = (color: `#${string}`, filter?: object) => {
    const [made] = styleOf('fill', [{ ...fill, color }]).rules
    if (made === undefined) throw new Error('no rule')
    return { ...made, ...(filter === undefined ? {} : { filter: filter as never }) }
  }
  const is = (value: number) => ({
    ...{ op: 'binary', operator: '=', left: { op: 'field', name: 'n' } },
    right: { op: 'literal', value },
  })

  test('select features by filters, the first or all, and else', () => {
    const rules = [rule('#ff0000', is(1)), rule('#00ff00', is(2)), { ...rule('#0000ff'), isElse: true }]
    for (const matching of ['first', 'all'] as const) {
      const at = draw(jobOf(boxes, { ...styleOf('fill', []), rules, matching }))
      expect([at(10, 30), at(30, 30), at(50, 30)]).toEqual([red, green, blue])
    }
    const both = [rule('#ff0000'), rule('#00ff00', is(2))]
    expect(draw(jobOf(boxes, { ...styleOf('fill', []), rules: both, matching: 'all' }))(30, 30)).toBe(green)
    expect(draw(jobOf(boxes, { ...styleOf('fill', []), rules: both, matching: 'first' }))(30, 30)).toBe(red)
  })

  test('apply within their scales, the upper bound excluded', () => {
    const at = (limits: object) =>
      draw(jobOf(boxes, { ...styleOf('fill', []), rules: [{ ...rule('#ff0000'), ...limits }] }))(10, 30)
    expect([at({ minScaleDenom: 1000 }), at({ maxScaleDenom: 1000 }), at({ maxScaleDenom: 1001 })]).toEqual([
      red,
      none,
      red,
    ])
  })

  test('draw casings of all roads below all roads with symbol levels', () => {
    const roads = featuresOf('LINESTRING', [
      [
        [
          [0, 32],
          [64, 32],
        ],
      ],
      [
        [
          [32, 0],
          [32, 64],
        ],
      ],
    ])
    const layers = [
      { ...line, stroke: { ...stroke, width: 12 }, pass: 0 },
      { ...line, stroke: { ...stroke, width: 6, color: '#00ff00' as const }, pass: 1 },
    ]
    expect(draw(jobOf(roads, styleOf('line', layers)))(28, 32)).toBe(red)
    for (const levels of ['by_symbol', 'by_feature'] as const)
      expect(draw(jobOf(roads, styleOf('line', layers, { levels })))(28, 32)).toBe(green)
  })

  test('draw features in the order of an expression', () => {
    const stacked = featuresOf('POLYGON', [box(0, 0, 64, 64), box(0, 0, 64, 64)], [{ n: 2 }, { n: 1 }])
    const dataDefined = { color: { op: 'field', name: 'n' } } as const
    const rules = [rule('#ff0000', is(1)), rule('#00ff00', is(2))]
    const order = (isAscending: boolean) => [
      { expression: dataDefined.color, isAscending, isNullFirst: false },
    ]
    expect(draw(jobOf(stacked, { ...styleOf('fill', []), rules, order: order(true) }))(9, 9)).toBe(green)
    expect(draw(jobOf(stacked, { ...styleOf('fill', []), rules, order: order(false) }))(9, 9)).toBe(red)
  })
})

describe('strips', () => {
  test('puts pixels over the layers below, in every strip of a large image', () => {
    const [width, height] = [1024, 4096]
    const below = jobOf(featuresOf('POLYGON', [box(0, 0, width, height)]), styleOf('fill', [fill]), [
      width,
      height,
    ])
    const pixels = new Uint8Array(4 * width * height)
    pixels.set([0, 128, 0, 128], 4 * (3000 * width + 10))
    const strips = [...drawStrips({ ...below, layers: [...below.layers, { pixels, opacity: 0.5 }] })]
    expect(strips.length).toBeGreaterThan(1)
    const bytes = Buffer.concat(strips.map((strip) => strip.bytes))
    expect([...bytes.subarray(4 * (3000 * width + 9), 4 * (3000 * width + 11))]).toEqual([
      0, 0, 255, 255, 0, 64, 191, 255,
    ])
  })

  test('of a large image are what drawing it at once gives', () => {
    const zigzag: Rings = [
      Array.from({ length: 300 }, (_, at) => [at * 30, at % 2 === 0 ? 20.3 : 480.7] as const),
    ]
    const hatch = {
      kind: 'line_pattern',
      ...{ angle: 30, distance: 9, offset: 0, pass: 0 },
      line: { type: 'line', opacity: 1, layers: [line] },
    } as const
    const job = (size: [number, number]) => ({
      ...jobOf(featuresOf('LINESTRING', [zigzag]), styleOf('line', [line]), size),
      layers: [
        { style: styleOf('fill', [hatch]), features: featuresOf('POLYGON', [box(10, 10, 7000, 490)]) },
        { style: styleOf('line', [line]), features: featuresOf('LINESTRING', [zigzag]) },
      ],
    })
    const strips = [...drawStrips(job([8000, 500]))]
    expect(strips.map(({ height }) => height)).toEqual([262, 238])
    const [top, bottom] = strips
    const left = drawImage(job([2000, 500]))
    const rowOf = (words: Int32Array | undefined, row: number, width: number) =>
      words?.slice(row * width, row * width + 1990)
    for (const row of [0, 100, 261])
      expect(rowOf(top?.words, row, 8000)).toEqual(rowOf(left.words, row, 2000))
    for (const row of [262, 300, 499])
      expect(rowOf(bottom?.words, row - 262, 8000)).toEqual(rowOf(left.words, row, 2000))
  })
})

describe('hostile symbols and geometries', () => {
  test('a dash of a billionth of a pixel is drawn as a transparent line', () => {
    const dashed = { ...line, stroke: { ...stroke, dash: [1e-9, 1e-9] } }
    const at = draw(
      jobOf(
        featuresOf('LINESTRING', [
          [
            [
              [0, 32],
              [64, 32],
            ],
          ],
        ]),
        styleOf('line', [dashed]),
      ),
    )
    expect(at(30, 32)).toBe('ff000080')
  })

  test('a line a billion pixels wide covers the image', () => {
    const wide = { ...line, stroke: { ...stroke, width: 1e9 } }
    expect(
      draw(
        jobOf(
          featuresOf('LINESTRING', [
            [
              [
                [0, 32],
                [64, 32],
              ],
            ],
          ]),
          styleOf('line', [wide]),
        ),
      )(1, 1),
    ).toBe(red)
  })

  test('markers of extreme sizes and patterns of extreme distances are drawn', () => {
    for (const size of [0, 1e-9, 1e9, Number.NaN, Number.POSITIVE_INFINITY]) {
      const job = jobOf(pointFeatures([[20, 20]]), styleOf('marker', [{ ...marker, size }]))
      expect(draw(job)(20, 20)).toBe(size === 1e9 ? green : none)
    }
    for (const distance of [0, 1e-9, 1e9, Number.NaN]) {
      const pattern = {
        kind: 'point_pattern',
        distance: [distance, distance] as const,
        ...{ displacement: [0, 0] as const, offset: [0, 0] as const, angle: 10, pass: 0 },
        clipping: 'clip',
        marker: { type: 'marker', opacity: 1, layers: [marker] },
      } as const
      expect(
        draw(jobOf(featuresOf('POLYGON', [box(0, 0, 64, 64)]), styleOf('fill', [pattern])))(60, 60),
      ).toHaveLength(8)
    }
  })

  test('truncated geometries are errors', () => {
    const features = featuresOf('POLYGON', [box(0, 0, 64, 64)])
    const cut = { ...features, ends: Uint32Array.of(7) }
    expect(() => drawImage(jobOf(cut, styleOf('fill', [fill])))).toThrow('truncated TWKB')
  })
})

describe('images with two device pixels per pixel', () => {
  const pixelRatio = 2

  test('have outlines, markers and dashes of twice the size, and hairlines of one device pixel', () => {
    const square = featuresOf('POLYGON', [box(16, 16, 48, 48)])
    const outlined = draw({ ...jobOf(square, styleOf('fill', [{ ...fill, stroke }])), pixelRatio })
    expect([11, 13, 19, 21].map((x) => outlined(x, 32))).toEqual([none, red, red, blue])
    const point = draw({ ...jobOf(pointFeatures([[32, 32]]), styleOf('marker', [marker])), pixelRatio })
    expect([21, 23, 41, 43].map((x) => point(x, 32))).toEqual([none, green, green, none])
    const road = featuresOf('LINESTRING', [
      [
        [
          [0, 32.5],
          [64, 32.5],
        ],
      ],
    ])
    const dashed = { ...line, stroke: { ...stroke, width: 0, dash: [8, 8] } }
    const at = draw({ ...jobOf(road, styleOf('line', [dashed])), pixelRatio })
    expect([at(4, 31), at(4, 32), at(4, 33)]).toEqual([none, red, none])
    expect([14, 18, 30, 34].map((x) => at(x, 32))).toEqual([red, none, none, red])
  })

  test('have brushes of twice the size', () => {
    const square = featuresOf('POLYGON', [box(0, 0, 64, 64)])
    const style = styleOf('fill', [{ ...fill, brush: 'diagonal_x' }])
    const plain = draw(jobOf(square, style))
    const magnified = draw({ ...jobOf(square, style), pixelRatio })
    for (let y = 0; y < 64; y += 1)
      for (let x = 0; x < 64; x += 1) expect(magnified(x, y)).toBe(plain(x >> 1, y >> 1))
  })
})
