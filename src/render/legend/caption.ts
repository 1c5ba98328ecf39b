import { createRequire } from 'node:module'
import { createCanvas, GlobalFonts } from '@napi-rs/canvas'
import { overPixel, scalePixel } from '../raster/pixel.ts'
import type { Surface } from '../raster/surface.ts'

/** A line of text. */
export interface Caption {
  readonly text: string
  readonly isBold?: boolean
}

/** Height of a line of captions, in pixels. */
export const lineHeight = 16

/** Size of letters, in pixels. */
const fontSize = 12

/** Maximum width of captions, in pixels; longer ones end with an ellipsis. */
const maxWidth = 400

/** A caption that is laid out. */
export interface CaptionLine {
  readonly width: number
  /** Draws the caption with its left edge at a column, in the middle of a row of pixels. */
  draw(surface: Surface, x: number, middle: number): void
}

/** Lays out a caption in black, on one line. Control characters are left out. */
export function layOutCaption({ text, isBold = false }: Caption): CaptionLine {
  registerFonts()
  const font = `${isBold ? 'bold ' : ''}${fontSize}px "${family}"`
  const shown = shorten(text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim(), font)
  const width = Math.ceil(widthOf(shown, font))
  return {
    width,
    draw(surface, x, middle) {
      if (width === 0) return
      const canvas = createCanvas(width + 2, lineHeight)
      const context = canvas.getContext('2d')
      context.font = font
      context.fillText(shown, 1, baseline)
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
      putInk(surface, { data, width: canvas.width }, [x - 1, Math.round(middle - lineHeight / 2)])
    },
  }
}

/** Distance of the base line from the top of a line. */
const baseline = 12

const family = 'Landform Legend'

let isRegistered = false

function registerFonts(): void {
  if (isRegistered) return
  const { resolve } = createRequire(import.meta.url)
  for (const file of ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'])
    GlobalFonts.registerFromPath(resolve(`dejavu-fonts-ttf/ttf/${file}`), family)
  isRegistered = true
}

let measuring: ReturnType<ReturnType<typeof createCanvas>['getContext']> | undefined

function widthOf(text: string, font: string): number {
  measuring ??= createCanvas(1, 1).getContext('2d')
  measuring.font = font
  return measuring.measureText(text).width
}

function shorten(text: string, font: string): string {
  // No font has so many letters in the maximum width.
  const letters = [...text.slice(0, 1000)]
  if (letters.length === text.length && widthOf(text, font) <= maxWidth) return text
  let [fits, tooLong] = [0, letters.length + 1]
  while (tooLong - fits > 1) {
    const count = (fits + tooLong) >> 1
    if (widthOf(`${letters.slice(0, count).join('')}…`, font) <= maxWidth) fits = count
    else tooLong = count
  }
  return `${letters.slice(0, fits).join('').trimEnd()}…`
}

/** Puts black pixels with the alpha of an image over a surface. */
function putInk(
  { words, width, height }: Surface,
  ink: { readonly data: Uint8ClampedArray; readonly width: number },
  [left, top]: readonly [x: number, y: number],
): void {
  for (let at = 0; at < ink.data.length / 4; at += 1) {
    const [column, row] = [left + (at % ink.width), top + Math.floor(at / ink.width)]
    const alpha = ink.data[4 * at + 3] ?? 0
    if (alpha === 0 || column < 0 || row < 0 || column >= width || row >= height) continue
    const to = row * width + column
    words[to] = overPixel(scalePixel(0xff000000, alpha), words[to] ?? 0)
  }
}
