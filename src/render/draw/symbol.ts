import type { CentroidFill, MarkerLine, SimpleFill, SimpleLine } from '../../style/symbol_layer.ts'
import { paintFills } from '../raster/fill.ts'
import { pixelOf } from '../raster/pixel.ts'
import type { Surface } from '../raster/surface.ts'
import { type Canvas, strokeLines } from './canvas.ts'
import { type MarkerPen, markerSymbol } from './marker.ts'
import { drawMarkerLine } from './marker_line.ts'
import { movedLinesOf } from './moved_lines.ts'
import { drawPattern, type PatternLayer, patternRuns } from './pattern.ts'
import { addRings, centroidsOf, linesOf, type PixelGeometry } from './pixel_geometry.ts'
import type { PixelLayer, PixelSymbol } from './pixel_symbol.ts'

/** Draws layers of symbols on a canvas. Sprites and patterns are drawn once and used for all features. */
export class SymbolPen {
  readonly #canvas: Canvas
  readonly #markers: MarkerPen
  readonly #patterns = new Map<string, Surface>()

  constructor(canvas: Canvas, markers: MarkerPen) {
    this.#canvas = canvas
    this.#markers = markers
  }

  /** Draws a layer of a symbol on a geometry. A layer for another family of geometries draws nothing. */
  draw(geometry: PixelGeometry, symbol: PixelSymbol, layer: PixelLayer): void {
    const { family } = geometry
    this.#canvas.addWork?.(layerWork)
    const opacity = Math.min(1, Math.max(0, symbol.opacity))
    if ('size' in layer) {
      const marker = markerSymbol(symbol, layer)
      this.#drawMarker(geometry, marker)
    } else if (layer.kind === 'line' && family !== 'POINT') this.#drawLine(geometry, layer, opacity)
    else if (layer.kind === 'marker_line' && family !== 'POINT') this.#drawMarkers(geometry, layer, opacity)
    else if (family === 'POLYGON') this.#drawArea(geometry, layer, opacity)
  }

  /** Points get a marker each; other geometries one at the middle. */
  #drawMarker(geometry: PixelGeometry, marker: PixelSymbol): void {
    if (geometry.family !== 'POINT') {
      for (const [x, y] of centroidsOf(geometry, { isOnAllParts: false }))
        this.#markers.drawUpright(marker, x, y)
      return
    }
    for (const part of geometry.parts)
      for (const position of part)
        this.#markers.drawUpright(marker, position[0] ?? Number.NaN, position[1] ?? Number.NaN)
  }

  #drawLine(geometry: PixelGeometry, layer: SimpleLine<number>, opacity: number): void {
    const lines = movedLinesOf(geometry, layer, this.#canvas.addWork)
    strokeLines(this.#canvas, lines, { ...layer.stroke, opacity })
  }

  #drawMarkers(geometry: PixelGeometry, layer: MarkerLine<number>, opacity: number): void {
    const marker = withOpacity(layer.marker, opacity)
    drawMarkerLine(this.#markers, movedLinesOf(geometry, layer, this.#markers.count), { ...layer, marker })
  }

  #drawArea(geometry: PixelGeometry, layer: PixelLayer, opacity: number): void {
    if (layer.kind === 'fill') this.#drawFill(geometry, layer, opacity)
    else if (layer.kind === 'centroid') this.#drawCentroid(geometry, layer, opacity)
    else if (layer.kind === 'line_pattern' || layer.kind === 'point_pattern')
      this.#fillPattern(geometry, layer, opacity)
  }

  #drawFill(geometry: PixelGeometry, layer: SimpleFill<number>, opacity: number): void {
    const { brush, color, stroke, offset } = layer
    const moved = moveGeometry(geometry, offset)
    this.#canvas.addWork?.(this.#visibleArea(moved) / fillRate)
    if (brush === 'solid') {
      addRings(moved, this.#canvas.coverage)
      this.#canvas.coverage.flush('evenodd', paintFills(this.#canvas.surface, pixelOf(color, opacity)))
    } else if (brush !== 'no') this.#fillPattern(moved, layer, opacity)
    if (stroke !== undefined) strokeLines(this.#canvas, linesOf(moved), { ...stroke, opacity })
  }

  /** Area of a geometry without its holes, at most that of the visible part of its box, in pixels. */
  #visibleArea({ parts }: PixelGeometry): number {
    const { width, height } = this.#canvas.surface
    let area = 0
    for (const [outer = new Float64Array()] of parts) {
      let minX = width
      let minY = height
      let maxX = 0
      let maxY = 0
      let twice = 0
      for (let at = 0; at < outer.length; at += 2) {
        const x = outer[at] ?? 0
        const y = outer[at + 1] ?? 0
        minX = Math.min(minX, x)
        maxX = Math.max(maxX, x)
        minY = Math.min(minY, y)
        maxY = Math.max(maxY, y)
        const after = (at + 2) % outer.length
        twice += x * (outer[after + 1] ?? 0) - y * (outer[after] ?? 0)
      }
      const columns = Math.min(width, maxX) - Math.max(0, minX)
      const rows = Math.min(height, maxY) - Math.max(0, minY)
      if (columns > 0 && rows > 0) area += Math.min(columns * rows, Math.abs(twice) / 2)
    }
    return area
  }

  #fillPattern(geometry: PixelGeometry, layer: PatternLayer, opacity: number): void {
    const key = `${opacity} ${JSON.stringify(layer)}`
    const pattern =
      this.#patterns.get(key) ?? drawPattern(this.#canvas, layer, { opacity, markers: this.#markers })
    // Patterns that depend on attributes may be many; each is as large as the surface.
    if (this.#patterns.size < maxPatterns) this.#patterns.set(key, pattern)
    this.#canvas.addWork?.(this.#visibleArea(geometry))
    addRings(geometry, this.#canvas.coverage)
    this.#canvas.coverage.flush('evenodd', patternRuns(this.#canvas.surface, pattern))
  }

  #drawCentroid(geometry: PixelGeometry, layer: CentroidFill<number>, opacity: number): void {
    const marker = withOpacity(layer.marker, opacity)
    for (const point of centroidsOf(geometry, layer)) this.#markers.drawUpright(marker, ...point)
  }
}

/** Work of each symbol layer of a feature, in pixels. */
const layerWork = 256

/** Pixels that are filled in the time of blending one. */
const fillRate = 2

/** Maximum number of patterns that are kept for the features of a layer. */
const maxPatterns = 16

function withOpacity(symbol: PixelSymbol, opacity: number): PixelSymbol {
  return opacity === 1 ? symbol : { ...symbol, opacity: symbol.opacity * opacity }
}

function moveGeometry(geometry: PixelGeometry, [dx, dy]: readonly [number, number]): PixelGeometry {
  if (dx === 0 && dy === 0) return geometry
  const move = (value: number, at: number) => value + (at % 2 === 0 ? dx : dy)
  return { ...geometry, parts: geometry.parts.map((part) => part.map((sequence) => sequence.map(move))) }
}
