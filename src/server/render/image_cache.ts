import { LRUCache } from 'lru-cache'
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
  const drawings = new Map<string, SharedDrawing>()
  return {
    async get(key, signal, draw) {
      const known = images.get(key)
      if (known !== undefined) return known
      const running = drawings.get(key)
      if (running !== undefined) return running.join(signal)
      // An abandoned drawing may end after the next one for the same key was started.
      const forget = () => {
        if (drawings.get(key) === drawing) drawings.delete(key)
      }
      const drawing = new SharedDrawing(draw, forget)
      drawings.set(key, drawing)
      drawing.image
        .then((image) => images.set(key, image))
        .catch(() => undefined)
        .finally(forget)
      return drawing.join(signal)
    },
  }
}

class SharedDrawing {
  readonly image: Promise<DrawnImage>
  readonly #stopper = new AbortController()
  readonly #onAbandoned: () => void
  #clients = 0

  constructor(draw: (signal: AbortSignal) => Promise<DrawnImage>, onAbandoned: () => void) {
    this.#onAbandoned = onAbandoned
    this.image = draw(this.#stopper.signal)
  }

  async join(signal: AbortSignal): Promise<DrawnImage> {
    signal.throwIfAborted()
    this.#clients += 1
    const leave = () => {
      this.#clients -= 1
      if (this.#clients > 0) return
      this.#onAbandoned()
      this.#stopper.abort(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await this.image
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }
}
