import { blitSprite, type Sprite, SpriteCache, spritePhases, spritePosition } from '../raster/sprite.ts'
import { createSurface } from '../raster/surface.ts'
import { type Canvas, createCanvas } from './canvas.ts'
import type { PixelSymbol } from './pixel_symbol.ts'
import { drawSimpleMarker, type MarkerPlace, simpleMarkerReach } from './simple_marker.ts'

/** Maximum size of a sprite in pixels; larger markers are drawn one by one. */
const maxSpriteSize = 256

/** Angles of rotated sprites, in degrees. */
const angleStep = 2

/** Draws marker symbols on a canvas, each appearance once. */
export class MarkerPen {
  readonly #canvas: Canvas
  readonly #sprites: SpriteCache
  readonly #keys = new WeakMap<PixelSymbol, string>()

  constructor(canvas: Canvas, sprites = new SpriteCache()) {
    this.#canvas = canvas
    this.#sprites = sprites
  }

  /** Draws a symbol at a position, rotated clockwise by an angle in degrees. */
  draw(symbol: PixelSymbol, [x, y]: readonly [x: number, y: number], angle = 0): void {
    const { width, height } = this.#canvas.surface
    const reach = markerReach(symbol)
    // Also false for positions that are not numbers.
    if (!(x > -reach && y > -reach && x < width + reach && y < height + reach)) return
    const opacity = Math.min(1, Math.max(0, symbol.opacity))
    if (2 * reach > maxSpriteSize) {
      drawLayers(this.#canvas, symbol, { x, y, angle, opacity })
      return
    }
    const rounded = Math.round(angle / angleStep) * angleStep
    const { phaseX, phaseY, ...position } = spritePosition(x, y)
    const key = `${phaseX} ${phaseY} ${rounded} ${this.#keyOf(symbol)}`
    const shift = [phaseX / spritePhases, phaseY / spritePhases] as const
    const sprite = this.#sprites.get(key, () => drawSprite(symbol, { reach, shift, angle: rounded, opacity }))
    blitSprite(this.#canvas.surface, sprite, position)
  }

  #keyOf(symbol: PixelSymbol): string {
    const known = this.#keys.get(symbol)
    if (known !== undefined) return known
    const key = JSON.stringify(symbol)
    this.#keys.set(symbol, key)
    return key
  }
}

/** Returns how far a marker symbol reaches from its position, in pixels. */
export function markerReach({ layers }: PixelSymbol): number {
  return Math.max(0, ...layers.map((layer) => (layer.kind === 'marker' ? simpleMarkerReach(layer) : 0)))
}

interface SpriteOptions {
  readonly reach: number
  readonly shift: readonly [x: number, y: number]
  readonly angle: number
  readonly opacity: number
}

function drawSprite(symbol: PixelSymbol, { reach, shift, angle, opacity }: SpriteOptions): Sprite {
  const centre = Math.ceil(reach) + 1
  const surface = createSurface(2 * centre + 1, 2 * centre + 1)
  const place = { x: centre + shift[0], y: centre + shift[1], angle, opacity }
  drawLayers(createCanvas(surface), symbol, place)
  return { surface, centre }
}

function drawLayers(canvas: Canvas, { layers }: PixelSymbol, place: MarkerPlace): void {
  for (const layer of layers) if (layer.kind === 'marker') drawSimpleMarker(canvas, layer, place)
}
