import type { Bbox } from '../../geo/bbox.ts'
import type { Rule, Style } from '../../style/style_model.ts'
import type { MapSymbol, Stroke, SymbolLayer } from '../../style/symbol_layer.ts'
import { symbolReach } from './layer.ts'
import type { DrawScale } from './prepare_style.ts'

/** Size and scale of an image. */
export interface ImageScale extends DrawScale {
  readonly width: number
  readonly height: number
}

/**
 * Returns the box, in device pixels, outside of which the course of lines and rings does not change an image: the image with
 * a margin for symbols. Undefined for styles that depend on all of a geometry: dashes and markers along lines start at its
 * first position, and centroids and labels are at its middle.
 */
export function visibleBoxOf(style: Style, image: ImageScale): Bbox | undefined {
  if (style.labels.length > 0 || !style.rules.every(isLocalRule)) return undefined
  const { width, height, pixelsPerMapUnit, pixelRatio = 1 } = image
  // Miters reach further than their lines.
  const margin = 4 * pixelRatio * symbolReach(style, pixelsPerMapUnit) + 4
  return [-margin, -margin, width + margin, height + margin]
}

function isLocalRule({ symbol, labels, children }: Rule): boolean {
  return labels.length === 0 && (symbol === undefined || isLocalSymbol(symbol)) && children.every(isLocalRule)
}

const isLocalSymbol = ({ layers }: MapSymbol) => layers.every(isLocalLayer)

function isLocalLayer(layer: SymbolLayer): boolean {
  if (layer.kind === 'fill') return layer.stroke === undefined || isSolid(layer.stroke)
  return layer.kind === 'line' && isSolid(layer.stroke)
}

const isSolid = ({ dash }: Stroke) => dash.length === 0
