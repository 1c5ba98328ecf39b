import { problem } from '../../contract/problems.ts'
import { loadSharp } from '../image_preview.ts'

/** Maximum height of legends below each other, and maximum width of one, in pixels. */
const limits = { height: 16_000, width: 8192 } as const

/**
 * Puts the pictures of legends below each other, on white, as PNG.
 *
 * @throws {Problem} render/too-large
 */
export async function stackLegends(pictures: readonly Uint8Array[]): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const sizes = await Promise.all(pictures.map((picture) => sharp(picture).metadata()))
  let [width, height] = [1, 0]
  const placed = pictures.map((picture, at) => {
    const top = height
    width = Math.max(width, sizes[at]?.width ?? 0)
    height += sizes[at]?.height ?? 0
    return { input: Buffer.from(picture), left: 0, top }
  })
  if (height > limits.height || width > limits.width)
    throw problem('render/too-large', `The legend of the map has ${width} × ${height} pixels.`, {
      hint: 'Use fewer layers, or request the legends of single layers.',
    })
  const create = { width, height: Math.max(1, height), channels: 3, background: '#ffffff' } as const
  return new Uint8Array(await sharp({ create }).composite(placed).png().toBuffer())
}
