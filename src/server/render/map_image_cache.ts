import { createHash } from 'node:crypto'
import type { DrawnImage } from '../../render/image/draw_job.ts'
import { type CurrentCache, createCurrentCache } from '../map/current_cache.ts'

/** An image of a map with its entity tag. */
export interface MapImage extends DrawnImage {
  /** Undefined if changes of what is drawn are not tracked. */
  readonly etag: string | undefined
}

/** Maximum size of all images, and of one. */
const limits = { bytes: 64 * 2 ** 20, imageBytes: 2 ** 20 }

/** Creates an empty cache. */
export function createMapImageCache(): CurrentCache<MapImage> {
  const { bytes, imageBytes: tileBytes } = limits
  return createCurrentCache({ bytes, tileBytes, sizeOf: (image) => image.bytes.length })
}

/** Returns the entity tag of an image that was drawn of versions of the data of its layers. */
export function imageTag(key: string, versions: readonly number[]): string {
  const digest = createHash('sha256').update(`${versions.join()} ${key}`).digest('base64url')
  return `"${digest.slice(0, 22)}"`
}
