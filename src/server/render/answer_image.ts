import { createHash } from 'node:crypto'
import { imageMediaTypes } from '../../contract/image_format.ts'
import type { DrawnImage } from '../../render/image/draw_job.ts'
import { matchesTag } from '../http/byte_range.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { openSources } from './open_sources.ts'
import { type ImageOptions, openImage } from './opened_image.ts'

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
  const { key, find } = openImage(context, { ids, sources }, options)
  if (key === undefined) return answerDrawn(await find(signal), options, {})
  const etag = `"${createHash('sha256').update(key).digest('base64url').slice(0, 22)}"`
  if (matchesTag(headers['if-none-match'], etag)) return { empty: true, status: 304, headers: { etag } }
  return answerDrawn(await find(signal), options, { etag })
}

function answerDrawn(
  { bytes, isEmpty }: DrawnImage,
  { nd, format }: RenderOptions,
  tags: Readonly<Record<string, string>>,
): Answer {
  // Permissions may change at any time, so clients must revalidate.
  const headers = { ...tags, 'cache-control': 'private, no-cache', vary: 'Accept' }
  if (isEmpty && nd !== 200) return { empty: true, status: nd, headers }
  return { bytes, mediaType: imageMediaTypes[format], headers }
}
