import { createCanvas } from '@napi-rs/canvas'
import { inkColor, setFont } from '../label/canvas_font.ts'
import { putSurface } from '../raster/crop.ts'
import { overPixel, scalePixel } from '../raster/pixel.ts'
import { createSurface, type Surface } from '../raster/surface.ts'
import type { LegendItem, LegendJob } from './legend_job.ts'
import type { LegendSamples } from './legend_samples.ts'

/** A line of text. */
interface Caption {
  readonly text: string
  readonly isBold?: boolean
}

/** Lengths in pixels, times the device pixels per pixel. */
interface Lengths {
  /** Height of a line of captions. */
  readonly line: number
  /** Size of letters. */
  readonly font: number
  /** Distance of the base line from the top of a line. */
  readonly base: number
  /** Maximum width of captions; longer ones end with an ellipsis. */
  readonly maxWidth: number
  /** Distances around the legend, between rows, and between symbols and captions. */
  readonly margin: number
  readonly rows: number
  readonly caption: number
}

function lengthsAt(scale: number): Lengths {
  const times = (length: number) => Math.round(length * scale)
  return {
    ...{ line: times(16), font: 12 * scale, base: times(12), maxWidth: times(400) },
    ...{ margin: times(8), rows: times(4), caption: times(8) },
  }
}

/** A caption that is laid out. */
interface CaptionLine {
  readonly width: number
  /** Draws the caption with its left edge at a column, in the middle of a row of pixels. */
  draw(surface: Surface, x: number, middle: number): void
}

let measuring: ReturnType<ReturnType<typeof createCanvas>['getContext']> | undefined

/** A row of a legend: a symbol with its caption, or a heading. */
interface LegendRow {
  readonly symbol?: Surface
  readonly caption: CaptionLine
}

/** Maximum number of pixels of all symbols and of all rows of a legend. */
const limits = { symbolPixels: 2 ** 21, height: 16_000 } as const

/**
 * Draws a legend on white: a heading, and a row for each symbol that draws anything, in its size on the map. Rows for
 * which there is no room are counted in the last one.
 */
export function drawLegendImage(
  job: LegendJob,
  samples: LegendSamples,
): { readonly surface: Surface; readonly isEmpty: boolean } {
  const lengths = lengthsAt(job.legend.scale ?? 1)
  const { drawn, leftOut } = drawSymbols(job.items, samples, lengths)
  const [first] = drawn
  const isSingle = drawn.length === 1 && first?.title === '' && first.isSymbol && leftOut === 0
  const rows: LegendRow[] = isSingle
    ? [{ symbol: first.symbol, caption: layOutCaption({ text: job.title }, lengths) }]
    : [
        { caption: layOutCaption({ text: job.title, isBold: true }, lengths) },
        ...drawn.map(({ symbol, title }) => ({ symbol, caption: layOutCaption({ text: title }, lengths) })),
      ]
  if (leftOut > 0) rows.push({ caption: layOutCaption({ text: `… and ${leftOut} more` }, lengths) })
  return { surface: drawRows(rows, lengths), isEmpty: drawn.length === 0 }
}

interface DrawnSymbol {
  readonly symbol: Surface
  readonly title: string
  readonly isSymbol: boolean
}

/** Draws symbols as long as there is room. */
function drawSymbols(items: readonly LegendItem[], samples: LegendSamples, { line, rows }: Lengths) {
  const drawn: DrawnSymbol[] = []
  let [pixels, height] = [0, 0]
  for (const [at, item] of items.entries()) {
    if (pixels > limits.symbolPixels || height > limits.height) return { drawn, leftOut: items.length - at }
    const symbol = samples.draw(item)
    if (symbol === undefined) continue
    drawn.push({ symbol, title: item.title, isSymbol: 'symbol' in item })
    pixels += symbol.width * symbol.height
    height += Math.max(line, symbol.height) + rows
  }
  return { drawn, leftOut: 0 }
}

interface Layout {
  readonly width: number
  readonly height: number
  /** Width of the column of symbols. */
  readonly symbolWidth: number
}

const heightOf = ({ symbol }: LegendRow, { line }: Lengths) => Math.max(line, symbol?.height ?? 0)

function captionColumn({ symbol }: LegendRow, symbolWidth: number, { margin, caption }: Lengths): number {
  return margin + (symbol === undefined ? 0 : symbolWidth + caption)
}

function layOut(rows: readonly LegendRow[], lengths: Lengths): Layout {
  const symbolWidth = rows.reduce((widest, { symbol }) => Math.max(widest, symbol?.width ?? 0), 0)
  const right = rows.map((row) => captionColumn(row, symbolWidth, lengths) + row.caption.width)
  const heights = rows.map((row) => heightOf(row, lengths))
  return {
    width: right.reduce((most, x) => Math.max(most, x), 0) + lengths.margin,
    height: heights.reduce((sum, height) => sum + height + lengths.rows, -lengths.rows) + 2 * lengths.margin,
    symbolWidth,
  }
}

function drawRows(rows: readonly LegendRow[], lengths: Lengths): Surface {
  const { width, height, symbolWidth } = layOut(rows, lengths)
  const surface = createSurface(width, height)
  surface.words.fill(0xffffffff)
  let top = lengths.margin
  for (const row of rows) {
    const { symbol, caption } = row
    const rowHeight = heightOf(row, lengths)
    if (symbol !== undefined) {
      const left = lengths.margin + ((symbolWidth - symbol.width) >> 1)
      putSurface(surface, symbol, [left, top + ((rowHeight - symbol.height) >> 1)])
    }
    caption.draw(surface, captionColumn(row, symbolWidth, lengths), top + rowHeight / 2)
    top += rowHeight + lengths.rows
  }
  return surface
}

/** Lays out a caption in black, on one line. Control characters are left out. */
function layOutCaption({ text, isBold = false }: Caption, lengths: Lengths): CaptionLine {
  const { line, font, base, maxWidth } = lengths
  const face = { family: 'sans', size: font, weight: isBold ? 700 : 400, isItalic: false }
  const shown = shorten(text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim(), { face, maxWidth })
  const width = Math.ceil(widthOf(shown, face))
  return {
    width,
    draw(surface, x, middle) {
      if (width === 0) return
      const canvas = createCanvas(width + 2, line)
      const context = canvas.getContext('2d')
      setFont(context, face, shown)
      context.fillStyle = inkColor
      context.fillText(shown, 1, base)
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height)
      putInk(surface, { data, width: canvas.width }, [x - 1, Math.round(middle - line / 2)])
    },
  }
}

type CaptionFace = Parameters<typeof setFont>[1]

function widthOf(text: string, face: CaptionFace): number {
  measuring ??= createCanvas(1, 1).getContext('2d')
  setFont(measuring, face, text)
  return measuring.measureText(text).width
}

interface CaptionRoom {
  readonly face: CaptionFace
  readonly maxWidth: number
}

function shorten(text: string, { face, maxWidth }: CaptionRoom): string {
  // No font has so many letters in the maximum width.
  const letters = [...text.slice(0, 1000)]
  if (letters.length === text.length && widthOf(text, face) <= maxWidth) return text
  let [fits, tooLong] = [0, letters.length + 1]
  while (tooLong - fits > 1) {
    const count = (fits + tooLong) >> 1
    if (widthOf(`${letters.slice(0, count).join('')}…`, face) <= maxWidth) fits = count
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
