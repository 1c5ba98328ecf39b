import { overPixel } from './pixel.ts'
import type { Surface } from './surface.ts'

/** A small image that is put on many places. */
export interface Sprite {
  readonly surface: Surface
  /** Column and row of the sprite that lie at the pixel of its position. */
  readonly centre: number
}

/** Steps within a pixel at which sprites are drawn, in each direction: a quarter of a pixel is not seen. */
export const spritePhases = 4

/** Pixel and step of a position. */
export interface SpritePosition {
  readonly column: number
  readonly row: number
  /** 0 to 3, in quarters of a pixel. */
  readonly phaseX: number
  readonly phaseY: number
}

const rounded: { -readonly [Name in keyof SpritePosition]: number } = {
  column: 0,
  row: 0,
  phaseX: 0,
  phaseY: 0,
}

/** Rounds a position to steps. Returns the same object for all, since markers are many. */
export function spritePosition(x: number, y: number): SpritePosition {
  // A little more than half, so that positions between two steps are rounded the same in all tiles.
  const stepX = Math.floor(x * spritePhases + 0.5001)
  const stepY = Math.floor(y * spritePhases + 0.5001)
  rounded.column = Math.floor(stepX / spritePhases)
  rounded.row = Math.floor(stepY / spritePhases)
  rounded.phaseX = stepX - rounded.column * spritePhases
  rounded.phaseY = stepY - rounded.row * spritePhases
  return rounded
}

/** Puts a sprite over a surface. What lies outside is left out. */
export function blitSprite(
  { words, width, height }: Surface,
  { surface, centre }: Sprite,
  position: { readonly column: number; readonly row: number },
): void {
  const left = position.column - centre
  const top = position.row - centre
  const first = Math.max(0, -left)
  const last = Math.min(surface.width, width - left)
  const lastRow = Math.min(surface.height, height - top)
  for (let row = Math.max(0, -top); row < lastRow; row += 1) {
    const from = row * surface.width
    const to = (row + top) * width + left
    for (let column = first; column < last; column += 1) {
      const pixel = surface.words[from + column] ?? 0
      if (pixel >>> 24 === 255) words[to + column] = pixel
      else if (pixel !== 0) words[to + column] = overPixel(pixel, words[to + column] ?? 0)
    }
  }
}

/** Sprites by key; the oldest are dropped when they take too much memory. */
export class SpriteCache {
  readonly #sprites = new Map<string, Sprite>()
  readonly #maxPixels: number
  #pixels = 0

  constructor(maxPixels = 2 ** 21) {
    this.#maxPixels = maxPixels
  }

  /** Returns a sprite, and draws it if it is not cached. */
  get(key: string, draw: () => Sprite): Sprite {
    const known = this.#sprites.get(key)
    if (known !== undefined) return known
    const sprite = draw()
    this.#sprites.set(key, sprite)
    this.#pixels += pixelsOf(sprite)
    for (const [oldest, dropped] of this.#sprites) {
      if (this.#pixels <= this.#maxPixels || oldest === key) break
      this.#sprites.delete(oldest)
      this.#pixels -= pixelsOf(dropped)
    }
    return sprite
  }
}

const pixelsOf = ({ surface }: Sprite) => surface.width * surface.height
