import { problem } from '../../contract/problems.ts'
import { giveBytes, takeBytes } from './scratch.ts'

/**
 * An image in memory: RGBA with 8 bits a channel, premultiplied, rows from the top. A layer of polygons also has a plane with the
 * part of each pixel that its geometries cover, so that neighbours with a common edge leave no gap.
 */
export interface Surface {
  readonly width: number
  readonly height: number
  /** Four bytes a pixel: red, green, blue, alpha. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The same memory, a word a pixel; red in the lowest byte. */
  readonly words: Int32Array<ArrayBuffer>
  /** Covered part of each pixel, from 0 to 255. */
  readonly covered?: Uint8Array<ArrayBuffer>
}

/** Maximum number of pixels of a surface. Larger images are drawn in strips. */
export const maxSurfacePixels = 2 ** 24

/**
 * Creates a transparent surface.
 *
 * @throws {Problem} request/invalid for sides that are not positive integers, or too many pixels
 */
export function createSurface(width: number, height: number): Surface {
  const isValid = Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0
  if (!isValid || width * height > maxSurfacePixels)
    throw problem('request/invalid', `A surface cannot have ${width} × ${height} pixels.`)
  const bytes = takeBytes(4 * width * height)
  return { width, height, bytes, words: new Int32Array(bytes.buffer) }
}

/** Creates a transparent surface with a plane of covered parts, as large as another surface. */
export function createGroup({ width, height }: Surface): Surface {
  return { ...createSurface(width, height), covered: takeBytes(width * height) }
}

/** Gives back the memory of a surface, which must not be used any more. */
export function releaseSurface({ bytes, covered }: Surface): void {
  giveBytes(bytes)
  if (covered !== undefined) giveBytes(covered)
}

/** Makes all pixels transparent. */
export function clearSurface({ words, covered }: Surface): void {
  words.fill(0)
  covered?.fill(0)
}

/** Returns whether all pixels are transparent. */
export function isTransparent({ words }: Surface): boolean {
  for (let at = 0; at < words.length; at += 1) if (words[at] !== 0) return false
  return true
}
