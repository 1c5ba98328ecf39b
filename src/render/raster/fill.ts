import type { RunSink } from './coverage.ts'
import { overPixel, type Pixel, scalePixel } from './pixel.ts'
import type { Surface } from './surface.ts'

/** Returns a sink that paints covered pixels over a surface. */
export function paintRuns(surface: Surface, pixel: Pixel): RunSink {
  return new OverRuns(surface, pixel)
}

/**
 * Returns a sink that paints the fills of a layer of polygons. A pixel that several polygons cover partly gets the sum of
 * their parts, as long as the parts fit next to each other: neighbours with a common edge fill its pixels completely, and
 * nothing below shines through. What does not fit lies over the rest.
 */
export function paintFills(surface: Surface, pixel: Pixel): RunSink {
  return surface.covered === undefined
    ? new OverRuns(surface, pixel)
    : new NeighbourRuns(surface, surface.covered, pixel)
}

/**
 * Returns a part as a number from 0 to 255. Halves are rounded up despite errors of computation, so that two parts of a
 * pixel never sum to less than the pixel.
 */
export function quantize(coverage: number): number {
  return (coverage * 255 + 0.5002) | 0
}

class OverRuns implements RunSink {
  readonly #surface: Surface
  readonly #pixel: Pixel
  #rowStart = 0

  constructor(surface: Surface, pixel: Pixel) {
    this.#surface = surface
    this.#pixel = pixel
  }

  startRow(row: number): void {
    this.#rowStart = row * this.#surface.width
  }

  addRun(start: number, end: number, coverage: number): void {
    const { words, covered } = this.#surface
    const part = quantize(coverage)
    if (part === 0) return
    const [from, to] = [this.#rowStart + start, this.#rowStart + end]
    overRun(words, { from, to, pixel: scalePixel(this.#pixel, part) })
    if (covered === undefined) return
    for (let at = from; at < to; at += 1)
      covered[at] = 255 - ((((255 - (covered[at] ?? 0)) * (255 - part) + 127) / 255) | 0)
  }
}

interface Run {
  readonly from: number
  readonly to: number
  readonly pixel: Pixel
}

function overRun(words: Uint32Array, { from, to, pixel }: Run): void {
  if (pixel >>> 24 === 255) {
    words.fill(pixel, from, to)
    return
  }
  for (let at = from; at < to; at += 1) {
    const below = words[at] ?? 0
    words[at] = below === 0 ? pixel : overPixel(pixel, below)
  }
}

class NeighbourRuns implements RunSink {
  readonly #surface: Surface
  readonly #covered: Uint8Array
  readonly #pixel: Pixel
  #rowStart = 0

  constructor(surface: Surface, covered: Uint8Array, pixel: Pixel) {
    this.#surface = surface
    this.#covered = covered
    this.#pixel = pixel
  }

  startRow(row: number): void {
    this.#rowStart = row * this.#surface.width
  }

  addRun(start: number, end: number, coverage: number): void {
    const { words } = this.#surface
    const part = quantize(coverage)
    if (part === 0) return
    const [from, to] = [this.#rowStart + start, this.#rowStart + end]
    if (part === 255) {
      overRun(words, { from, to, pixel: this.#pixel })
      this.#covered.fill(255, from, to)
      return
    }
    const pixel = scalePixel(this.#pixel, part)
    for (let at = from; at < to; at += 1) this.#addPart(at, part, pixel)
  }

  #addPart(at: number, part: number, pixel: Pixel): void {
    const { words } = this.#surface
    const covered = this.#covered[at] ?? 0
    const below = words[at] ?? 0
    this.#covered[at] = Math.min(255, covered + part)
    const overlap = covered + part - 255
    if (below === 0) words[at] = pixel
    else if (overlap <= 0) words[at] = (below + pixel) >>> 0
    else if (covered === 255) words[at] = overPixel(pixel, below)
    else words[at] = this.#overlapping({ below, pixel, hidden: overlap / covered })
  }

  /** Combines a pixel with one below, a part of which it hides. */
  #overlapping({ below, pixel, hidden }: { below: Pixel; pixel: Pixel; hidden: number }): Pixel {
    const kept = 255 - Math.round((this.#pixel >>> 24) * hidden)
    const rest = scalePixel(below, kept)
    let sum = 0
    // Channel by channel, because roundings may exceed the maximum.
    for (let shift = 0; shift < 32; shift += 8)
      sum |= Math.min(255, ((pixel >>> shift) & 255) + ((rest >>> shift) & 255)) << shift
    return sum >>> 0
  }
}
