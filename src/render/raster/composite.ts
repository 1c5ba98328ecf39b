import type { BlendMode } from '../../style/style_model.ts'
import { overPixel, scalePixel } from './pixel.ts'
import type { Surface } from './surface.ts'

/** How a surface is put over another one. */
export interface CompositeOptions {
  /** From 0 to 1. */
  readonly opacity?: number
  readonly blendMode?: BlendMode
}

/** Puts a surface over another one of the same size. */
export function composite(target: Surface, source: Surface, options: CompositeOptions = {}): void {
  const { opacity = 1, blendMode = 'normal' } = options
  const factor = Math.round(255 * Math.min(1, Math.max(0, opacity || 0)))
  if (factor === 0) return
  const { words } = target
  const blend = separable[blendMode]
  for (let at = 0; at < words.length; at += 1) {
    const word = source.words[at] ?? 0
    if (word === 0) continue
    const pixel = factor === 255 ? word : scalePixel(word, factor)
    const below = words[at] ?? 0
    if (below === 0) words[at] = pixel
    else words[at] = blend === undefined ? overPixel(pixel, below) : blendPixel(pixel, below, blend)
  }
}

/**
 * Blends two channels from 0 to 1, not premultiplied: source and below.
 *
 * @see https://www.w3.org/TR/compositing-1/#blending
 */
type BlendChannel = (source: number, below: number) => number

const multiply: BlendChannel = (s, b) => s * b
const screen: BlendChannel = (s, b) => s + b - s * b
const hardLight: BlendChannel = (s, b) => (s <= 0.5 ? multiply(2 * s, b) : screen(2 * s - 1, b))

const separable: Readonly<Record<BlendMode, BlendChannel | undefined>> = {
  normal: undefined,
  multiply,
  screen,
  overlay: (s, b) => hardLight(b, s),
  darken: Math.min,
  lighten: Math.max,
  dodge: (s, b) => (b === 0 ? 0 : s >= 1 ? 1 : Math.min(1, b / (1 - s))),
  burn: (s, b) => (b >= 1 ? 1 : s <= 0 ? 0 : 1 - Math.min(1, (1 - b) / s)),
  hard_light: hardLight,
  soft_light: (s, b) => (s <= 0.5 ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (softRoot(b) - b)),
  difference: (s, b) => Math.abs(s - b),
  addition: (s, b) => Math.min(1, s + b),
  subtract: (s, b) => Math.max(0, b - s),
}

const softRoot = (b: number) => (b <= 0.25 ? ((16 * b - 12) * b + 4) * b : Math.sqrt(b))

function blendPixel(source: number, below: number, blend: BlendChannel): number {
  const [sourceAlpha, belowAlpha] = [(source >>> 24) / 255, (below >>> 24) / 255]
  let result = overPixel(source & 0xff000000, below & 0xff000000) & 0xff000000
  for (let shift = 0; shift < 24; shift += 8) {
    const s = ((source >>> shift) & 255) / 255
    const b = ((below >>> shift) & 255) / 255
    const mixed = blend(Math.min(1, s / sourceAlpha), Math.min(1, b / belowAlpha))
    const channel = s * (1 - belowAlpha) + b * (1 - sourceAlpha) + sourceAlpha * belowAlpha * mixed
    result |= Math.min(255, Math.round(channel * 255)) << shift
  }
  return result
}
