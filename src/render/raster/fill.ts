import type { RunSink, Runs } from './coverage.ts'
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
    : new NeighbourRuns(surface, pixel, surface.covered)
}

/**
 * Returns the covered part of a run as a number from 0 to 255. Halves are rounded up despite errors of computation, so that
 * two parts of a pixel never sum to less than the pixel. Takes the place of the part and not the part, which as an argument would be
 * an object for the garbage collector.
 */
export function quantize(coverage: Float64Array, run: number): number {
  return ((coverage[run] ?? 0) * 255 + 0.5002) | 0
}

class OverRuns implements RunSink {
  readonly #surface: Surface
  readonly #pixel: Pixel

  constructor(surface: Surface, pixel: Pixel) {
    this.#surface = surface
    this.#pixel = pixel
  }

  addRow(row: number, { count, starts, ends, coverage }: Runs): void {
    const base = row * this.#surface.width
    for (let run = 0; run < count; run += 1) {
      const part = quantize(coverage, run)
      if (part !== 0) this.addRun(part, base + (starts[run] ?? 0), base + (ends[run] ?? 0))
    }
  }

  /** Paints the pixels from `from` to `to`, exclusive, of which a part from 1 to 255 is covered. */
  protected addRun(part: number, from: number, to: number): void {
    this.paintOver(part, from, to)
    const { covered } = this.#surface
    if (covered === undefined) return
    for (let at = from; at < to; at += 1)
      covered[at] = 255 - ((((255 - (covered[at] ?? 0)) * (255 - part) + 127) / 255) | 0)
  }

  protected paintOver(part: number, from: number, to: number): void {
    const { words } = this.#surface
    const pixel = scalePixel(this.#pixel, part)
    if (pixel >>> 24 === 255) {
      words.fill(pixel, from, to)
      return
    }
    for (let at = from; at < to; at += 1) {
      const below = words[at] ?? 0
      words[at] = below === 0 ? pixel : overPixel(pixel, below)
    }
  }
}

class NeighbourRuns extends OverRuns {
  readonly #words: Int32Array
  readonly #covered: Uint8Array
  readonly #pixel: Pixel

  constructor(surface: Surface, pixel: Pixel, covered: Uint8Array) {
    super(surface, pixel)
    this.#words = surface.words
    this.#covered = covered
    this.#pixel = pixel
  }

  protected override addRun(part: number, from: number, to: number): void {
    if (part === 255) {
      this.paintOver(part, from, to)
      this.#covered.fill(255, from, to)
      return
    }
    const words = this.#words
    const plane = this.#covered
    const pixel = scalePixel(this.#pixel, part)
    for (let at = from; at < to; at += 1) {
      const covered = plane[at] ?? 0
      const below = words[at] ?? 0
      const overlap = covered + part - 255
      plane[at] = Math.min(255, covered + part)
      if (below === 0) words[at] = pixel
      else if (overlap <= 0) words[at] = (below + pixel) | 0
      else if (covered === 255) words[at] = overPixel(pixel, below)
      else words[at] = this.#overlapping({ below, pixel, hidden: overlap / covered })
    }
  }

  /** Combines a pixel with one below, a part of which it hides. */
  #overlapping({ below, pixel, hidden }: { below: Pixel; pixel: Pixel; hidden: number }): Pixel {
    const kept = 255 - Math.round((this.#pixel >>> 24) * hidden)
    const rest = scalePixel(below, kept)
    let sum = 0
    // Channel by channel, because roundings may exceed the maximum.
    for (let shift = 0; shift < 32; shift += 8)
      sum |= Math.min(255, ((pixel >>> shift) & 255) + ((rest >>> shift) & 255)) << shift
    return sum
  }
}
