import { loadSharp } from '../image_preview.ts'

/** An image with the opacity at which it lies over those below, 0 to 1. */
export interface Overlay {
  readonly image: Uint8Array
  readonly opacity: number
}

/** Puts images of one size over each other, on white, as PNG. */
export async function overlayImages(
  overlays: readonly Overlay[],
  size: { readonly width: number; readonly height: number },
): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const fade = (image: Uint8Array, opacity: number) =>
    sharp(image).ensureAlpha().linear([1, 1, 1, opacity], [0, 0, 0, 0]).png().toBuffer()
  const layers = await Promise.all(
    overlays.map(async ({ image, opacity }) => ({
      input: opacity === 1 ? Buffer.from(image) : await fade(image, opacity),
    })),
  )
  const create = { ...size, channels: 3, background: '#ffffff' } as const
  return new Uint8Array(await sharp({ create }).composite(layers).png().toBuffer())
}
