import type { Length, MapSymbol, Offset, Stroke, SymbolLayer } from './symbol_layer.ts'

/** Converts a length to pixels. */
export function pixelsOf(length: Length, pixelsPerMapUnit: number): number {
  if (typeof length === 'number') return length
  const { mapUnits, minPixels = Number.NEGATIVE_INFINITY, maxPixels = Number.POSITIVE_INFINITY } = length
  return Math.min(maxPixels, Math.max(minPixels, mapUnits * pixelsPerMapUnit))
}

/** Multiplies a length, with its limits. */
export function scaleLength(length: Length, factor: number): Length {
  if (typeof length === 'number') return length * factor
  const { mapUnits, minPixels, maxPixels } = length
  return {
    mapUnits: mapUnits * factor,
    ...(minPixels === undefined ? {} : { minPixels: minPixels * factor }),
    ...(maxPixels === undefined ? {} : { maxPixels: maxPixels * factor }),
  }
}

/** Converts all lengths of a symbol to pixels. */
export function scaleSymbol(
  { type, opacity, layers }: MapSymbol,
  pixelsPerMapUnit: number,
): MapSymbol<number> {
  return { type, opacity, layers: layers.map((layer) => scaleLayer(layer, pixelsPerMapUnit)) }
}

/** Multiplies all lengths of a symbol, for images with several device pixels per pixel. Hairlines stay hairlines. */
export function magnifySymbol(symbol: MapSymbol<number>, ratio: number): MapSymbol<number> {
  if (ratio === 1) return symbol
  return { ...symbol, layers: symbol.layers.map((layer) => convertLayer(layer, (px) => Number(px) * ratio)) }
}

/** Converts all lengths of a symbol layer to pixels, and those of dashes from multiples of the width. */
export function scaleLayer(layer: SymbolLayer, pixelsPerMapUnit: number): SymbolLayer<number> {
  return convertLayer(layer, (length) => pixelsOf(length, pixelsPerMapUnit))
}

function convertLayer({ dataDefined: _, ...layer }: SymbolLayer, px: ToPixels): SymbolLayer<number> {
  const both = ([x, y]: Offset): Offset<number> => [px(x), px(y)]
  const symbol = ({ type, opacity, layers }: MapSymbol): MapSymbol<number> => ({
    ...{ type, opacity },
    layers: layers.map((inner) => convertLayer(inner, px)),
  })
  switch (layer.kind) {
    case 'fill': {
      const { stroke, ...fill } = layer
      return { ...fill, offset: both(fill.offset), ...strokeOf(stroke, px) }
    }
    case 'line':
      return { ...layer, stroke: scaleStroke(layer.stroke, px), offset: px(layer.offset) }
    case 'marker_line': {
      const { interval, offsetAlong, averageLength } = layer
      const lengths = {
        interval: px(interval),
        offsetAlong: px(offsetAlong),
        averageLength: px(averageLength),
      }
      return { ...layer, ...lengths, offset: px(layer.offset), marker: symbol(layer.marker) }
    }
    case 'marker':
    case 'text': {
      const { stroke, ...marker } = layer
      return { ...marker, size: px(marker.size), offset: both(marker.offset), ...strokeOf(stroke, px) }
    }
    case 'svg': {
      const { size, offset, outlineWidth } = layer
      return { ...layer, size: px(size), offset: both(offset), outlineWidth: px(outlineWidth) }
    }
    case 'line_pattern':
      return { ...layer, line: symbol(layer.line), distance: px(layer.distance), offset: px(layer.offset) }
    case 'point_pattern': {
      const { marker, distance, displacement, offset } = layer
      const lengths = { distance: both(distance), displacement: both(displacement), offset: both(offset) }
      return { ...layer, ...lengths, marker: symbol(marker) }
    }
    case 'centroid':
      return { ...layer, marker: symbol(layer.marker) }
  }
}

type ToPixels = (length: Length) => number

function strokeOf(stroke: Stroke | undefined, px: ToPixels): { readonly stroke?: Stroke<number> } {
  return stroke === undefined ? {} : { stroke: scaleStroke(stroke, px) }
}

/** Dashes of hairlines are in multiples of one pixel. */
function scaleStroke(stroke: Stroke, px: ToPixels): Stroke<number> {
  const width = px(stroke.width)
  const unit = stroke.isDashRelative ? width || 1 : 1
  const dash = stroke.dash.map((length) => px(length) * unit)
  return { ...stroke, width, dash, isDashRelative: false, dashOffset: px(stroke.dashOffset) }
}
