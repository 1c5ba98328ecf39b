import { imageMediaTypes } from '../../contract/formats/image_format.ts'
import { matchesTag } from '../http/byte_range.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import type { MapImage } from './map_image_cache.ts'
import { type ImageOptions, openImage } from './opened_image.ts'
import { openSources } from './sources/open_sources.ts'

/** Parameters of a rendering. */
export interface RenderOptions extends ImageOptions {
  /** Status of an empty image. */
  readonly nd: number
}

/**
 * Renders resources from bottom to top as an image, or returns 304 if the client has the current version.
 *
 * @throws {Problem} render/*, resource/not-found
 */
export async function answerImage(
  { context, headers, signal }: Pick<ApiRequest, 'context' | 'headers' | 'signal'>,
  ids: readonly number[],
  options: RenderOptions,
): Promise<Answer> {
  const sources = await openSources(context, ids, options.choice)
  const { findCurrentTag, find } = openImage(context, { ids, sources }, options)
  const known = headers['if-none-match']
  // Answered without an image, which may have to be drawn first.
  const current = known === undefined ? undefined : findCurrentTag()
  if (current !== undefined && matchesTag(known, current)) return notModified(current)
  const image = await find(signal)
  const { etag } = image
  return etag !== undefined && matchesTag(known, etag) ? notModified(etag) : answerDrawn(image, options)
}

const notModified = (etag: string): Answer => ({ empty: true, status: 304, headers: { etag } })

function answerDrawn({ bytes, isEmpty, etag }: MapImage, { nd, format }: RenderOptions): Answer {
  // Permissions may change at any time, so clients must revalidate.
  const tags = etag === undefined ? {} : { etag }
  const headers = { ...tags, 'cache-control': 'private, no-cache', vary: 'Accept' }
  if (isEmpty && nd !== 200) return { empty: true, status: nd, headers }
  return { bytes, mediaType: imageMediaTypes[format], headers }
}
