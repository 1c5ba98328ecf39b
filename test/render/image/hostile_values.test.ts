import { expect, test } from 'vitest'
import { createWorkCounter } from '../../../src/render/draw/draw_work.ts'
import { type DrawOptions, drawImage } from '../../../src/render/image/draw_image.ts'
import type { DrawJob, JobFeatures } from '../../../src/render/image/draw_job.ts'
import { loadSvgImages } from '../../../src/render/image/svg_images.ts'
import { listSvgFaults } from '../../../src/style/svg_image.ts'
import type {
  LinePattern,
  MarkerLine,
  SimpleFill,
  SimpleLine,
  SimpleMarker,
  Stroke,
  SvgMarker,
  SymbolLayer,
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

const [red, none] = ['ff0000ff', '00000000']

/** A marker of an SVG image, which fills its view box with red. */
const svgMarker = (attributes: string, content: string, size = 20): SvgMarker => ({
  ...{ kind: 'svg', size, aspectRatio: 0, angle: 0, offset: [0, 0], pass: 0 },
  source: {
    svg: `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}<rect width="100%" height="100%" fill="#f00"/></svg>`,
  },
  ...{ fill: '#ff0000', outline: '#00ff00', outlineWidth: 1, anchor: { x: 'center', y: 'center' } },
})

test('SVG images of any usual size of their own are drawn in that of the marker', async () => {
  for (const attributes of [
    'viewBox="0 0 60000 60000"',
    'width="90000" height="90000"',
    'width="8mm" height="8mm"',
  ]) {
    const job = jobOf(pointFeatures([[32, 32]]), styleOf('marker', [svgMarker(attributes, '')]))
    const at = draw(job, { images: await loadSvgImages(job) })
    expect([at(24, 24), at(40, 40), at(20, 32)], attributes).toEqual([red, red, none])
  }
  const huge = jobOf(
    pointFeatures([[32, 32]]),
    styleOf('marker', [svgMarker('width="1e9" height="1e9"', '')]),
  )
  expect((await loadSvgImages(huge)).size).toBe(0)
})

test.each([
  [
    'large',
    '<filter id="f"><feMorphology operator="dilate" radius="500"/></filter><g filter="url(#f)"/>',
    512,
  ],
  [
    'repeated',
    `<filter id="f">${'<feGaussianBlur stdDeviation="9"/>'.repeat(3000)}</filter><g filter="url(#f)"/>`,
    100,
  ],
  [
    'styled',
    `<style>g { filter: url(#f) }</style><filter id="f"><feGaussianBlur/></filter>${'<g/>'.repeat(5000)}`,
    100,
  ],
])('%s filters of SVG images are refused before they are drawn', async (_, content, size) => {
  const job = jobOf(
    pointFeatures([[32, 32]]),
    styleOf('marker', [svgMarker('width="9" height="9"', content, size)]),
  )
  const counted = () => {
    const count = createWorkCounter(job.width * job.height)
    return { addWork: (work = 0) => count(work) }
  }
  await expect(loadSvgImages(job, counted())).rejects.toMatchObject({
    code: 'render/too-large',
  })
  const small = jobOf(
    pointFeatures([[32, 32]]),
    styleOf('marker', [
      svgMarker('width="9" height="9"', '<filter id="f"><feGaussianBlur/></filter><g filter="url(#f)"/>'),
    ]),
  )
  expect((await loadSvgImages(small, counted())).size).toBe(1)
})

const hostile = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -5,
  0,
  1e-300,
  1e-9,
  1e9,
  1e300,
  -1e300,
]
const dots: MarkerLine = {
  ...{
    kind: 'marker_line',
    marker: { type: 'marker', opacity: 1, layers: [marker] },
    placements: ['interval'],
  },
  ...{ interval: 10, offsetAlong: 0, offset: 0, isRotated: true, averageLength: 4, rings: 'all', pass: 0 },
}
const hatch: LinePattern = {
  ...{ kind: 'line_pattern', line: { type: 'line', opacity: 1, layers: [line] } },
  ...{ distance: 10, angle: 30, offset: 0, pass: 0 },
}
const long = Array.from({ length: 20_000 }, (_, at) => 0.001 * (at % 3))

test.each<[string, (value: number) => readonly SymbolLayer[]]>([
  ['sizes', (value) => [{ ...marker, size: value, stroke }]],
  [
    'rotations and offsets',
    (value) => [
      { ...marker, angle: value },
      { ...marker, offset: [value, value] },
    ],
  ],
  ['widths', (value) => [{ ...line, stroke: { ...stroke, width: value, join: 'miter', cap: 'round' } }]],
  ['offsets of lines', (value) => [{ ...line, offset: value }]],
  ['dashes', (value) => hostile.map((gap) => ({ ...line, stroke: { ...stroke, dash: [value, gap] } }))],
  ['starts of dashes', (value) => [{ ...line, stroke: { ...stroke, dash: [3, 2], dashOffset: value } }]],
  ['many dashes', (value) => [{ ...line, stroke: { ...stroke, dash: [...long, value] } }]],
  [
    'distances of markers',
    (value) => [
      { ...dots, interval: value },
      { ...dots, offsetAlong: value, averageLength: value },
    ],
  ],
  [
    'hatches',
    (value) => [
      { ...hatch, distance: value },
      { ...hatch, angle: value },
      { ...hatch, offset: value },
    ],
  ],
  [
    'offsets of fills',
    (value) => [
      { ...fill, offset: [value, value], stroke },
      { ...fill, brush: 'cross', offset: [value, 0] },
    ],
  ],
])('%s that are not numbers, negative, tiny or huge are drawn, or refused as too large', (_, layersOf) => {
  const road = featuresOf('LINESTRING', [
    [
      [
        [0, 0],
        [64, 64],
        [0, 60],
        [60, 3],
      ],
    ],
  ])
  const areas = featuresOf('POLYGON', [box(10, 10, 50, 50)])
  const layers = hostile.flatMap(layersOf)
  const drawAll = (features: JobFeatures) => {
    for (const layer of layers) tryToDraw(jobOf(features, styleOf('line', [layer])))
  }
  for (const features of [road, areas, pointFeatures([[30, 30]])]) drawAll(features)
})

/** Draws a job, unless it is refused. */
function tryToDraw(job: DrawJob): void {
  const addWork = createWorkCounter(4096)
  try {
    drawImage(job, { check: (work = 0) => addWork(work) })
  } catch (error) {
    expect(error).toMatchObject({ code: 'render/too-large' })
  }
}

test('an SVG image that is too large to be drawn is reported', () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10000in" viewBox="0 0 9 200000"/>'
  expect(listSvgFaults(svg)).toEqual([
    'an SVG marker is not drawn: its image has 960000 × 200000 pixels; the limit is 100000 × 100000',
  ])
})
