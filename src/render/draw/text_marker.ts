import type { TextMarker } from '../../style/symbol_layer.ts'
import { overPixel } from '../raster/pixel.ts'
import type { Surface } from '../raster/surface.ts'
import type { Canvas } from './canvas.ts'
import { anchorOffset, type MarkerPlace } from './simple_marker.ts'

/** Letters with their place on a surface. */
export interface MarkerText extends Pick<TextMarker<number>, 'text' | 'font' | 'fill' | 'stroke'> {
  /** Height of the em square, in pixels. */
  readonly size: number
  /** Middle of the letters on the surface. */
  readonly x: number
  readonly y: number
  /** Rotation in degrees, clockwise. */
  readonly angle: number
  readonly opacity: number
  /** Shift of the letters before the rotation, in pixels. */
  readonly offset: readonly [x: number, y: number]
}

/** Draws the letters of markers: the only part of markers that depends on a library. */
export interface TextPen {
  /** Draws letters on a transparent surface. */
  readonly drawText: (text: MarkerText, size: { readonly width: number; readonly height: number }) => Surface
}

/** Largest size of letters, in pixels, and number of letters of a marker. */
const limits = { size: 400, letters: 40 }

/** Work of a pixel of the surface of letters. */
const letterWork = 2

/** Returns how far a marker reaches from its position, in pixels. */
export function textMarkerReach({ size, text, offset, stroke }: TextMarker<number>): number {
  const letters = Math.min(limits.letters, text.length) + 1
  return (sizeOf(size) * letters) / 2 + sizeOf(size) + Math.hypot(...offset) + (stroke?.width ?? 0)
}

/** Draws a marker. Without a pen, or without letters, it draws nothing. */
export function drawTextMarker(
  { surface, addWork }: Canvas,
  marker: TextMarker<number>,
  options: TextOptions,
): void {
  const { pen, place } = options
  const { text, font, fill, stroke, anchor, size, angle } = marker
  if (pen === undefined || text === '' || !(size > 0)) return
  // The letters are drawn on a surface of their own.
  addWork?.(letterWork * surface.words.length)
  const [anchorX, anchorY] = anchorOffset(anchor)
  const offset = [
    marker.offset[0] + (anchorX * sizeOf(size)) / 2,
    marker.offset[1] + (anchorY * sizeOf(size)) / 2,
  ] as const
  const drawn = pen.drawText(
    {
      ...{ font, fill, offset, size: sizeOf(size), text: text.slice(0, limits.letters) },
      ...(stroke === undefined ? {} : { stroke }),
      ...{ x: place.x, y: place.y, angle: angle + place.angle, opacity: place.opacity },
    },
    surface,
  )
  for (let at = 0; at < drawn.words.length; at += 1) {
    const pixel = drawn.words[at] ?? 0
    if (pixel !== 0) surface.words[at] = overPixel(pixel, surface.words[at] ?? 0)
  }
}

/** Pen and place of a marker. */
export interface TextOptions {
  readonly pen: TextPen | undefined
  readonly place: MarkerPlace
}

/** Fonts have whole sizes, as in QGIS, so that a dot of two pixels is left of the smallest. */
const sizeOf = (size: number) => Math.min(limits.size, Math.max(2, Math.round(size)))
