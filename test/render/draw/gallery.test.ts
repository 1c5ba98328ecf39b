import { readFile, writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { createCanvas } from '../../../src/render/draw/canvas.ts'
import { MarkerPen } from '../../../src/render/draw/marker.ts'
import type { PixelGeometry } from '../../../src/render/draw/pixel_geometry.ts'
import type { PixelLayer } from '../../../src/render/draw/pixel_symbol.ts'
import { SymbolPen } from '../../../src/render/draw/symbol.ts'
import { encodePng } from '../../../src/render/raster/png.ts'
import { createSurface, type Surface } from '../../../src/render/raster/surface.ts'
import {
  brushes,
  type LinePattern,
  type MarkerLine,
  markerPlacements,
  markerShapes,
  type PointPattern,
  type SimpleLine,
  type SimpleMarker,
  type Stroke,
} from '../../../src/style/symbol_layer.ts'
import { compareImages } from '../../support/drawing.ts'

const reference = new URL('../../fixtures/render/symbols.png', import.meta.url)

const stroke: Stroke<number> = {
  ...{ color: '#203040', width: 1.5, dash: [], isDashRelative: false, dashOffset: 0 },
  ...{ join: 'bevel', cap: 'square' },
}
const marker: SimpleMarker<number> = {
  ...{ kind: 'marker', shape: 'circle', size: 34, angle: 0, offset: [0, 0], pass: 0 },
  anchor: { x: 'center', y: 'center' },
  fill: '#f0a030',
}
const line: SimpleLine<number> = { kind: 'line', stroke, offset: 0, rings: 'all', pass: 0 }

/** Draws layers of symbols, each on a geometry. */
type Draw = (geometry: PixelGeometry, ...layers: readonly PixelLayer[]) => void

function drawGallery(): Surface {
  const surface = createSurface(640, 480)
  surface.words.fill(0xffffffff)
  const canvas = createCanvas(surface)
  const pen = new SymbolPen(canvas, new MarkerPen(canvas))
  const draw: Draw = (geometry, ...layers) => {
    for (const layer of layers) pen.draw(geometry, { type: 'line', opacity: 1, layers }, layer)
  }
  drawShapes(draw)
  drawBrushes(draw)
  drawLines(draw)
  drawPatterns(draw)
  return surface
}

const pointAt = (x: number, y: number): PixelGeometry => ({
  family: 'POINT',
  parts: [[Float64Array.of(x, y)]],
})
const areaOf = (...rings: readonly (readonly number[])[]): PixelGeometry => ({
  family: 'POLYGON',
  parts: [rings.map((ring) => Float64Array.from(ring))],
})

function drawShapes(draw: Draw): void {
  for (const [at, shape] of markerShapes.entries())
    draw(pointAt(32 + (at % 13) * 47, 30 + Math.floor(at / 13) * 47), { ...marker, shape, stroke })
}

function drawBrushes(draw: Draw): void {
  for (const [at, brush] of brushes.entries()) {
    const [x, y] = [12 + at * 41, 165]
    const area = areaOf([x, y, x + 36, y, x + 36, y + 50, x, y + 40])
    draw(area, { kind: 'fill', color: '#3080c0', brush, stroke, offset: [0, 0], pass: 0 })
  }
}

function drawLines(draw: Draw): void {
  const wave = (top: number): PixelGeometry => ({
    family: 'LINESTRING',
    parts: [
      [
        Float64Array.from(
          Array.from({ length: 40 }, (_, at) => [20 + at * 8, top + 30 * Math.sin(at / 4)]).flat(),
        ),
      ],
    ],
  })
  const round = { join: 'round', cap: 'round' } as const
  draw(
    wave(270),
    { ...line, stroke: { ...stroke, ...round, width: 7 } },
    { ...line, stroke: { ...stroke, ...round, width: 4, color: '#ffe080' } },
    { ...line, stroke: { ...stroke, width: 2, color: '#208020', dash: [8, 4, 2, 4] }, offset: 14 },
    { ...line, stroke: { ...stroke, width: 2, color: '#a02080', dash: [8, 4], dashOffset: 3 }, offset: -14 },
  )
  for (const [at, placement] of markerPlacements.entries()) {
    const [x, y] = [20 + at * 85, 400]
    const corner = Float64Array.of(x, y + 50, x + 20, y, x + 50, y + 45, x + 70, y + 10)
    const arrows: MarkerLine<number> = {
      ...{ kind: 'marker_line', placements: [placement], interval: 18, offsetAlong: 0, offset: 0 },
      ...{ isRotated: true, averageLength: 0, rings: 'all', pass: 0 },
      marker: {
        type: 'marker',
        opacity: 1,
        layers: [{ ...marker, shape: 'filled_arrowhead', size: 12, fill: '#d02020' }],
      },
    }
    draw({ family: 'LINESTRING', parts: [[corner]] }, line, arrows)
  }
}

function drawPatterns(draw: Draw): void {
  const hatch: LinePattern<number> = {
    ...{ kind: 'line_pattern', angle: 30, distance: 8, offset: 0, pass: 0 },
    line: { type: 'line', opacity: 1, layers: [{ ...line, stroke: { ...stroke, width: 1 } }] },
  }
  const dots: PointPattern<number> = {
    ...{ kind: 'point_pattern', distance: [14, 14], displacement: [7, 0], offset: [0, 0] },
    ...{ angle: 0, clipping: 'clip', pass: 0 },
    marker: { type: 'marker', opacity: 0.7, layers: [{ ...marker, size: 6, fill: '#d02020' }] },
  }
  const crosses: PointPattern<number> = {
    ...dots,
    ...{ displacement: [0, 0], angle: 20 },
    marker: {
      type: 'marker',
      opacity: 0.7,
      layers: [{ ...marker, shape: 'cross_fill', size: 8, fill: '#2020d0' }],
    },
  }
  for (const [at, pattern] of [hatch, dots, crosses].entries()) {
    const [x, y] = [360 + at * 90, 240]
    const hole = [x + 20, y + 20, x + 40, y + 20, x + 40, y + 40]
    draw(areaOf([x, y, x + 80, y, x + 80, y + 80, x, y + 60], hole), pattern, line)
  }
  draw(areaOf([360, 350, 420, 330, 440, 380]), line, {
    ...{ kind: 'centroid', isOnSurface: false, isOnAllParts: false, pass: 0 },
    marker: { type: 'marker', opacity: 1, layers: [{ ...marker, shape: 'star', size: 16, stroke }] },
  })
}

test('shapes, brushes, lines, markers on lines and patterns look like the reference image', async () => {
  const png = encodePng(drawGallery())
  if (process.env.BLESS) await writeFile(reference, png)
  const pixelsOf = async (image: Uint8Array) =>
    new Uint8Array(await sharp(image).removeAlpha().raw().toBuffer())
  const { largest } = compareImages(await pixelsOf(png), await pixelsOf(await readFile(reference)))
  expect(largest).toBeLessThanOrEqual(2)
})
