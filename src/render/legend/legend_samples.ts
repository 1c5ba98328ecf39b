import { compileSymbol } from '../../style/resolve_symbol.ts'
import type { MapSymbol } from '../../style/symbol_layer.ts'
import type { AddWork } from '../draw/draw_work.ts'
import { symbolReach } from '../draw/layer.ts'
import type { PixelSymbol } from '../draw/pixel_symbol.ts'
import type { SvgImages } from '../draw/svg_marker.ts'
import type { TextPen } from '../draw/text_marker.ts'
import type { JobWindow } from '../image/draw_job.ts'
import { drawSvgImages, premultiplied } from '../image/svg_images.ts'
import type { SpriteCache } from '../raster/sprite.ts'
import type { Surface } from '../raster/surface.ts'
import type { LegendItem, LegendJob } from './legend_job.ts'
import { drawSample, sampleContext } from './symbol_sample.ts'

/** Size of lines and areas in legends, in pixels: 7 × 4 millimetres, as in QGIS. */
const patchSize = [26, 15] as const

/** Width of the widest symbol in map units, in pixels, where the scale of the map is not known. */
const mapUnitPixels = 20

/** Samples of the items of a legend. */
export interface LegendSamples {
  /**
   * Draws an item; undefined if it draws nothing.
   *
   * @param patch size of lines and areas in pixels; by default, one that shows their patterns
   */
  draw(item: LegendItem, patch?: readonly [width: number, height: number]): Surface | undefined
}

/** Cache and check of drawing. */
export interface SampleTools {
  readonly sprites: SpriteCache
  readonly textPen?: TextPen
  /** Called with the work of drawing; throws to stop it. */
  readonly check: AddWork
}

/** Prepares the symbols of a legend. */
export async function prepareSamples(
  { items, family, opacity, ...job }: LegendJob,
  { sprites, check, textPen }: SampleTools,
): Promise<LegendSamples> {
  const drawn = items.filter((item) => 'symbol' in item)
  const pixelsPerMapUnit = job.pixelsPerMapUnit ?? nominalScale(drawn.map(({ symbol }) => symbol))
  const view = { context: sampleContext, pixelsPerMapUnit }
  const symbols = new Map<LegendItem, PixelSymbol>(
    drawn.map((item) => [item, compileSymbol(item.symbol).resolve(view)]),
  )
  const images: SvgImages = await drawSvgImages(symbols.values(), check)
  return {
    draw(item, patch) {
      if ('picture' in item) return surfaceOf(item.picture)
      const symbol = symbols.get(item)
      if (symbol === undefined) return undefined
      const reach = symbolReach({ rules: [ruleOf(symbol)] }, pixelsPerMapUnit)
      return drawSample({
        symbol,
        family,
        opacity,
        patch: patch ?? patchOf(symbol),
        reach,
        sprites,
        images,
        textPen,
        addWork: check,
      })
    },
  }
}

const surfaceOf = ({ pixels, width, height }: JobWindow) => premultiplied(pixels, width, height)

const ruleOf = (symbol: MapSymbol) =>
  ({ isElse: false, isDrawn: true, labels: [], children: [], symbol }) as const

/** Lines and areas are large enough to show the markers along them and the patterns in them. */
function patchOf({ layers }: PixelSymbol): readonly [width: number, height: number] {
  const distances = layers.flatMap((layer) => {
    if (layer.kind === 'line_pattern') return [layer.distance]
    if (layer.kind === 'marker_line') return [layer.interval]
    return layer.kind === 'point_pattern' ? [...layer.distance] : []
  })
  const least = Math.ceil(Math.min(64, 2 * Math.max(0, ...distances.filter(Number.isFinite))))
  return [Math.max(patchSize[0], least), Math.max(patchSize[1], least)]
}

/** Returns a scale at which the largest length in map units has a usual size. */
function nominalScale(symbols: readonly MapSymbol[]): number {
  const largest = Math.max(0, ...symbols.map(largestMapLength))
  return largest > 0 ? mapUnitPixels / largest : 1
}

// Generic over all places of lengths in symbols.
function largestMapLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if ('mapUnits' in value) return Math.abs(Number(value.mapUnits)) || 0
  return Math.max(0, ...Object.values(value).map(largestMapLength))
}
