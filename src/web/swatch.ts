import type Geometry from 'ol/geom/Geometry'
import LineString from 'ol/geom/LineString'
import Point from 'ol/geom/Point'
import { fromExtent } from 'ol/geom/Polygon'
import { toContext } from 'ol/render'
import type OlStyle from 'ol/style/Style'
import { type GeometryFamily, geometryParts } from '../contract/geometry.ts'
import { element } from './element.ts'
import { drawnRules, sampleStyles } from './paint.ts'
import type { MapLayer } from './tree_walk.ts'

/** Maximum side in pixels; larger symbols are scaled down. */
const maxSide = 64

/** Draws a sample of each rule of a layer as on the map. All samples of a layer have the same size. */
export function swatchesOf({ landform: { features }, opacity }: MapLayer): HTMLCanvasElement[] {
  if (features === null) return []
  const { style, geometryType } = features
  const { family } = geometryParts(geometryType)
  const drawings = drawnRules(style).map((rule) => sampleStyles(style, rule, family))
  const reach = Math.ceil(Math.max(0, ...drawings.flat().map(reachOf)))
  const size = [Math.max(26, reach + 10), Math.max(18, reach + 6)] as const
  const sample = sampleOf(family, size, reach)
  return drawings.map((styles) => {
    const swatch = drawSwatch(styles, sample, size)
    // Opacity of the layer, as on the map.
    swatch.style.opacity = String(opacity ?? 1)
    return swatch
  })
}

/** Returns the extent of a style: the size of its marker, or the width of its line. */
function reachOf(style: OlStyle): number {
  return Math.max(...(style.getImage()?.getSize() ?? [0]), style.getStroke()?.getWidth() ?? 0)
}

type Size = readonly [width: number, height: number]

/** Returns the geometry of a swatch: a point, a bent line or an area, with a margin for the symbol. */
function sampleOf(family: GeometryFamily, [width, height]: Size, reach: number): Geometry {
  if (family === 'POINT') return new Point([width / 2, height / 2])
  const inset = reach / 2 + 2
  if (family === 'POLYGON') return fromExtent([inset, inset, width - inset, height - inset])
  const xs = [0, 0.3, 0.7, 1].map((part) => inset + part * (width - 2 * inset))
  const [top, bottom] = [inset, height - inset]
  const ys = [bottom, top, bottom, top]
  return new LineString(xs.map((x, at) => [x, ys[at] ?? top]))
}

function drawSwatch(styles: readonly OlStyle[], sample: Geometry, [width, height]: Size): HTMLCanvasElement {
  const canvas = element('canvas', { class: 'swatch', 'aria-hidden': 'true' })
  const context = canvas.getContext('2d')
  if (context === null) return canvas
  const pen = toContext(context, { size: [width, height], pixelRatio: Math.max(2, devicePixelRatio) })
  for (const style of styles) {
    pen.setStyle(style)
    pen.drawGeometry(sample)
  }
  const scale = Math.min(1, maxSide / Math.max(width, height))
  canvas.style.width = `${width * scale}px`
  canvas.style.height = `${height * scale}px`
  return canvas
}
