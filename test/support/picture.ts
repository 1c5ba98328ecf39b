import sharp from 'sharp'
import type { Ask } from './server.ts'

/** A decoded image. */
export interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of a pixel. */
  at(x: number, y: number): number[]
}

/** Requests an image; throws the message of an error response. */
export async function readPicture(ask: Ask, path: string): Promise<Picture> {
  const answer = await ask('GET', path)
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  const { data, info } = await sharp(Buffer.from(await answer.arrayBuffer()))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const { width, height } = info
  return { width, height, at: (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)] }
}

/** Returns the path of an image of an extent in EPSG:3857. */
export function imagePath(
  resources: string | number,
  extent: readonly number[],
  size: readonly number[] = [256, 256],
): string {
  return `/api/component/render/image?resource=${resources}&extent=${extent.join()}&size=${size.join()}`
}

/** The largest difference of a channel of RGBA, with colors multiplied by their opacity. */
export function largestDifference(one: Uint8Array, other: Uint8Array): number {
  const value = (bytes: Uint8Array, at: number) =>
    at % 4 === 3 ? (bytes[at] ?? 0) : ((bytes[at] ?? 0) * (bytes[at - (at % 4) + 3] ?? 0)) / 255
  let largest = one.length === other.length ? 0 : 256
  for (let at = 0; at < one.length; at += 1)
    largest = Math.max(largest, Math.abs(value(one, at) - value(other, at)))
  return largest
}
