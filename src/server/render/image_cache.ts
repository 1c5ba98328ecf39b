import { LRUCache } from 'lru-cache'
import { SharedWorks } from '../../core/shared_work.ts'
import type { DrawnImage } from '../../render/image/draw_job.ts'

/** Cache of images, with keys that contain everything an image depends on. */
export interface ImageCache {
  /**
   * Returns an image, and draws it if it is not cached. Requests for the same image share the work, which ends when the
   * clients of all of them are gone.
   */
  get(
    key: string,
    signal: AbortSignal,
    draw: (signal: AbortSignal) => Promise<DrawnImage>,
  ): Promise<DrawnImage>
}

/** Maximum size of all images, and of one. */
const limits = { bytes: 64 * 2 ** 20, imageBytes: 2 ** 20 }

/** Memory of an image in addition to its bytes. */
const overheadBytes = 500

/** Creates an empty cache. */
export function createImageCache(limitBytes = limits.bytes): ImageCache {
  const images = new LRUCache<string, DrawnImage>({
    maxSize: limitBytes,
    maxEntrySize: Math.min(limitBytes, limits.imageBytes),
    sizeCalculation: ({ bytes }) => bytes.length + overheadBytes,
  })
  const drawings = new SharedWorks<DrawnImage>()
  return {
    get: async (key, signal, draw) =>
      images.get(key) ??
      drawings.run(key, signal, async (stop) => {
        const image = await draw(stop)
        images.set(key, image)
        return image
      }),
  }
}
