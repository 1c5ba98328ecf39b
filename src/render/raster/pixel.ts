/**
 * A premultiplied colour as a word: red in the lowest byte, alpha in the highest, as a pixel of a surface. Words are signed:
 * numbers beyond 2 ** 31 would be objects for the garbage collector.
 */
export type Pixel = number

/** Returns the pixel of a colour `#rrggbb` or `#rrggbbaa` and an opacity from 0 to 1. */
export function pixelOf(color: string, opacity = 1): Pixel {
  const value = Number.parseInt(color.slice(1, 7), 16)
  const alpha = color.length > 7 ? Number.parseInt(color.slice(7, 9), 16) : 255
  const [red, green, blue] = [value >> 16, (value >> 8) & 255, value & 255]
  const opaque = red | (green << 8) | (blue << 16) | 0xff000000
  return scalePixel(opaque, Math.round(alpha * Math.min(1, Math.max(0, opacity || 0))))
}

/** Returns a pixel times `factor / 255`, each channel rounded. */
export function scalePixel(pixel: Pixel, factor: number): Pixel {
  if (factor === 255) return pixel
  return scaleLanes(pixel, factor) | (scaleLanes(pixel >>> 8, factor) << 8)
}

/** Returns a pixel that lies over another one. */
export function overPixel(source: Pixel, below: Pixel): Pixel {
  return (source + scalePixel(below, 255 - (source >>> 24))) | 0
}

// Two channels at once: each lane has 16 bits, of which the product of two bytes and the rounding use all.
function scaleLanes(pixel: Pixel, factor: number): number {
  const product = Math.imul(pixel & 0xff00ff, factor) + 0x800080
  return ((product + ((product >>> 8) & 0xff00ff)) >>> 8) & 0xff00ff
}
