import { overPixel } from './pixel.ts'
import type { Surface } from './surface.ts'

/** A small image that is put on many places, without transparent rows and columns around it. */
export interface Sprite {
  readonly words: Int32Array
  readonly width: number
  readonly height: number
  /** Columns and rows from the pixel of its position to its top left pixel. */
  readonly left: number
  readonly top: number
}

/**
 * Cuts a sprite out of a surface, of which most is transparent: markers are many, and each pixel is read for each of them.
 *
 * @param centre column and row of the pixel of the position
 */
export function cutSprite({ words, width, height }: Surface, centre: number): Sprite {
  let [minX, minY, maxX, maxY] = [width, height, -1, -1]
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] === 0) continue
    const [x, y] = [at % width, Math.floor(at / width)]
    minX = Math.min(minX, x)
    maxX = Math.max(maxX, x)
    minY = Math.min(minY, y)
    maxY = y
  }
  if (maxX < 0) return { words: new Int32Array(), width: 0, height: 0, left: 0, top: 0 }
  const size = { width: maxX - minX + 1, height: maxY - minY + 1 }
  const cut = new Int32Array(size.width * size.height)
  for (let row = 0; row < size.height; row += 1) {
    const from = (minY + row) * width + minX
    cut.set(words.subarray(from, from + size.width), row * size.width)
  }
  return { words: cut, ...size, left: minX - centre, top: minY - centre }
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
  sprite: Sprite,
  position: { readonly column: number; readonly row: number },
): void {
  const left = position.column + sprite.left
  const top = position.row + sprite.top
  const first = Math.max(0, -left)
  const last = Math.min(sprite.width, width - left)
  const lastRow = Math.min(sprite.height, height - top)
  for (let row = Math.max(0, -top); row < lastRow; row += 1) {
    const from = row * sprite.width
    const to = (row + top) * width + left
    for (let column = first; column < last; column += 1) {
      const pixel = sprite.words[from + column] ?? 0
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

/** The least counts for sprites that are empty. */
const pixelsOf = ({ words }: Sprite) => Math.max(16, words.length)
