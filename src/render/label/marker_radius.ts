import type { PixelLayer, PixelSymbol } from '../draw/pixel_symbol.ts'
import { anchorOffset } from '../draw/simple_marker.ts'

/** Returns the radius of the circle around a position that a marker symbol covers, in pixels; 0 for other symbols. */
export function markerRadius({ layers }: PixelSymbol): number {
  return layers.reduce((most, layer) => Math.max(most, radiusOf(layer)), 0)
}

function radiusOf(layer: PixelLayer): number {
  if (layer.kind === 'svg')
    return (layer.size / 2) * Math.max(1, layer.aspectRatio) + Math.hypot(...layer.offset)
  if (layer.kind !== 'marker' && layer.kind !== 'text') return 0
  const { size, offset, anchor, stroke } = layer
  const [x, y] = anchorOffset(anchor)
  const centre = Math.hypot(offset[0] + (x * size) / 2, offset[1] + (y * size) / 2)
  return centre + size / 2 + (stroke?.width ?? 0) / 2
}
