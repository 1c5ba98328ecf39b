import type { Anchor, SimpleMarker } from '../../style/symbol_layer.ts'
import { paintRuns } from '../raster/fill.ts'
import { pixelOf } from '../raster/pixel.ts'
import type { StrokeLine } from '../raster/stroke.ts'
import { type Canvas, strokeLines } from './canvas.ts'
import { markerOutline } from './marker_outline.ts'

/** Position and appearance of a marker on a canvas. */
export interface MarkerPlace {
  readonly x: number
  readonly y: number
  /** Rotation in degrees, clockwise, in addition to that of the marker. */
  readonly angle: number
  readonly opacity: number
}

/** Draws a marker: its fill, then its outline. */
export function drawSimpleMarker(canvas: Canvas, marker: SimpleMarker<number>, place: MarkerPlace): void {
  const radius = Math.max(0, marker.size) / 2
  if (!(radius > 0 && Number.isFinite(radius))) return
  const { contours, isArea } = markerOutline(marker.shape, radius)
  const transform = placeMarker(marker, place, radius)
  const lines = contours.map((contour): StrokeLine => ({ coordinates: transform(contour), isClosed: isArea }))
  if (isArea && marker.fill !== undefined) {
    for (const { coordinates } of lines) addContour(canvas, coordinates)
    canvas.coverage.flush('nonzero', paintRuns(canvas.surface, pixelOf(marker.fill, place.opacity)))
  }
  const stroke = marker.stroke ?? lineOf(marker, isArea)
  if (stroke !== undefined) strokeLines(canvas, lines, { ...stroke, opacity: place.opacity })
}

/** Shapes without area that have no stroke are drawn as hairlines in the colour of their fill. */
function lineOf({ fill }: SimpleMarker<number>, isArea: boolean): SimpleMarker<number>['stroke'] {
  if (isArea || fill === undefined) return undefined
  return {
    color: fill,
    ...{ width: 1, dash: [], isDashRelative: false, dashOffset: 0 },
    ...{ join: 'bevel', cap: 'flat' },
  }
}

/** Returns how far a marker reaches from its position, in pixels. */
export function simpleMarkerReach({ size, offset, stroke }: SimpleMarker<number>): number {
  const radius = size * Math.SQRT2
  return radius + Math.hypot(...offset) + (stroke === undefined ? 1 : Math.max(1, stroke.width) * 2)
}

const anchorShift = { left: 1, center: 0, right: -1, top: 1, bottom: -1 } as const

/** Returns the offset of the centre of a marker because of its anchor, as a multiple of half its size. */
export function anchorOffset({ x, y }: Anchor): [x: number, y: number] {
  return [anchorShift[x], anchorShift[y]]
}

/** Returns the transformation of positions within -1 to 1 to pixels. */
function placeMarker(marker: SimpleMarker<number>, place: MarkerPlace, radius: number) {
  const angle = ((marker.angle + place.angle) * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [anchorX, anchorY] = anchorOffset(marker.anchor)
  const [dx, dy] = [marker.offset[0] + anchorX * radius, marker.offset[1] + anchorY * radius]
  return (contour: readonly number[]): Float64Array => {
    const moved = new Float64Array(contour.length)
    for (let at = 0; at < contour.length; at += 2) {
      const [x, y] = [(contour[at] ?? 0) * radius + dx, (contour[at + 1] ?? 0) * radius + dy]
      moved[at] = place.x + x * cos - y * sin
      moved[at + 1] = place.y + x * sin + y * cos
    }
    return moved
  }
}

function addContour({ coverage }: Canvas, coordinates: Float64Array): void {
  coverage.moveTo(coordinates[0] ?? 0, coordinates[1] ?? 0)
  for (let at = 2; at < coordinates.length; at += 2)
    coverage.lineTo(coordinates[at] ?? 0, coordinates[at + 1] ?? 0)
  coverage.close()
}
