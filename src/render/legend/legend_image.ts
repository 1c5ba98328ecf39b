import { putSurface } from '../raster/crop.ts'
import { createSurface, type Surface } from '../raster/surface.ts'
import { type CaptionLine, layOutCaption, lineHeight } from './caption.ts'
import type { LegendItem, LegendJob } from './legend_job.ts'
import type { LegendSamples } from './legend_samples.ts'

/** Distances in pixels: around the legend, between rows, and between symbols and captions. */
const spacing = { margin: 8, rows: 4, caption: 8 } as const

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
  const { drawn, leftOut } = drawSymbols(job.items, samples)
  const [first] = drawn
  const isSingle = drawn.length === 1 && first?.title === '' && first.isSymbol && leftOut === 0
  const rows: LegendRow[] = isSingle
    ? [{ symbol: first.symbol, caption: layOutCaption({ text: job.title }) }]
    : [
        { caption: layOutCaption({ text: job.title, isBold: true }) },
        ...drawn.map(({ symbol, title }) => ({ symbol, caption: layOutCaption({ text: title }) })),
      ]
  if (leftOut > 0) rows.push({ caption: layOutCaption({ text: `… and ${leftOut} more` }) })
  return { surface: drawRows(rows), isEmpty: drawn.length === 0 }
}

interface DrawnSymbol {
  readonly symbol: Surface
  readonly title: string
  readonly isSymbol: boolean
}

/** Draws symbols as long as there is room. */
function drawSymbols(items: readonly LegendItem[], samples: LegendSamples) {
  const drawn: DrawnSymbol[] = []
  let [pixels, height] = [0, 0]
  for (const [at, item] of items.entries()) {
    if (pixels > limits.symbolPixels || height > limits.height) return { drawn, leftOut: items.length - at }
    const symbol = samples.draw(item)
    if (symbol === undefined) continue
    drawn.push({ symbol, title: item.title, isSymbol: 'symbol' in item })
    pixels += symbol.width * symbol.height
    height += Math.max(lineHeight, symbol.height) + spacing.rows
  }
  return { drawn, leftOut: 0 }
}

interface Layout {
  readonly width: number
  readonly height: number
  /** Width of the column of symbols. */
  readonly symbolWidth: number
}

const heightOf = ({ symbol }: LegendRow) => Math.max(lineHeight, symbol?.height ?? 0)

function captionColumn({ symbol }: LegendRow, symbolWidth: number): number {
  return spacing.margin + (symbol === undefined ? 0 : symbolWidth + spacing.caption)
}

function layOut(rows: readonly LegendRow[]): Layout {
  const symbolWidth = rows.reduce((widest, { symbol }) => Math.max(widest, symbol?.width ?? 0), 0)
  const right = rows.map((row) => captionColumn(row, symbolWidth) + row.caption.width)
  const heights = rows.map(heightOf)
  return {
    width: right.reduce((most, x) => Math.max(most, x), 0) + spacing.margin,
    height: heights.reduce((sum, height) => sum + height + spacing.rows, -spacing.rows) + 2 * spacing.margin,
    symbolWidth,
  }
}

function drawRows(rows: readonly LegendRow[]): Surface {
  const { width, height, symbolWidth } = layOut(rows)
  const surface = createSurface(width, height)
  surface.words.fill(0xffffffff)
  let top: number = spacing.margin
  for (const row of rows) {
    const { symbol, caption } = row
    const rowHeight = heightOf(row)
    if (symbol !== undefined) {
      const left = spacing.margin + ((symbolWidth - symbol.width) >> 1)
      putSurface(surface, symbol, [left, top + ((rowHeight - symbol.height) >> 1)])
    }
    caption.draw(surface, captionColumn(row, symbolWidth), top + rowHeight / 2)
    top += rowHeight + spacing.rows
  }
  return surface
}
