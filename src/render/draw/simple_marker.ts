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
    for (const { coordinates } of lines) canvas.coverage.addContour(coordinates)
    canvas.coverage.flush('nonzero', paintRuns(canvas.surface, pixelOf(marker.fill, place.opacity)))
  }
  if (marker.stroke !== undefined) strokeLines(canvas, lines, { ...marker.stroke, opacity: place.opacity })
}

/**
 * Moves the centre of a marker so that it lies on a corner or at the middle of a pixel: the position where QGIS puts the
 * image of a marker that is the same for all features. Returns the new position of the marker.
 */
export function snapMarker(marker: SimpleMarker<number>, x: number, y: number): [x: number, y: number] {
  const radius = Math.max(0, marker.size) / 2
  const angle = (marker.angle * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [anchorX, anchorY] = anchorOffset(marker.anchor)
  const [dx, dy] = [marker.offset[0] + anchorX * radius, marker.offset[1] + anchorY * radius]
  const [moveX, moveY] = [dx * cos - dy * sin, dx * sin + dy * cos]
  // The images of QGIS have an even number of pixels where the whole part of the size is odd.
  const middle = Math.trunc(2 * radius * (Math.abs(sin) + Math.abs(cos))) % 2 === 1 ? 0 : 0.5
  const snap = (value: number) => Math.floor(value - middle + 0.5001) + middle
  return [snap(x + moveX) - moveX, snap(y + moveY) - moveY]
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
