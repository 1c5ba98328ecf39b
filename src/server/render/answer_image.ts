import { imageMediaTypes } from '../../contract/formats/image_format.ts'
import type { PermissionSubject } from '../../store/access/permission_subject.ts'
import { matchesTag } from '../http/byte_range.ts'
import type { Answer, ApiRequest, QuickAnswer } from '../http/handler.ts'
import type { MapImage } from './map_image_cache.ts'
import { type ImageOptions, type OpenedImage, openImage } from './opened_image.ts'
import { openSources } from './sources/open_sources.ts'

/** Parameters of a rendering. */
export interface RenderOptions extends ImageOptions {
  /** Status of an empty image. */
  readonly nd: number
}

interface ImageCall extends Pick<ApiRequest, 'context' | 'headers' | 'signal'> {
  readonly caller: PermissionSubject
}

/**
 * Renders resources from bottom to top as an image, or returns 304 if the client has the current version.
 *
 * @throws {Problem} render/*, resource/not-found
 */
export async function answerImage(
  { context, caller, headers, signal }: ImageCall,
  ids: readonly number[],
  options: RenderOptions,
): Promise<Answer> {
  const sources = await openSources(context, { ids, caller, choice: options.choice })
  const image = openImage(context, { ids, sources }, options)
  // Answered without an image, which may have to be drawn first.
  return answerUnchanged(image, headers) ?? answerDrawn(await image.find(signal), headers, options)
}

/** Answers that the client has an image of the current data. */
export function answerUnchanged(
  { findCurrentTag }: Pick<OpenedImage, 'findCurrentTag'>,
  headers: ApiRequest['headers'],
): QuickAnswer | undefined {
  const known = headers['if-none-match']
  const current = known === undefined ? undefined : findCurrentTag()
  return current !== undefined && matchesTag(known, current) ? notModified(current) : undefined
}

const notModified = (etag: string): QuickAnswer => ({
  empty: true,
  status: 304,
  headers: { etag, ...ownHeaders },
})

/** Permissions may change at any time, so clients must revalidate. */
const ownHeaders = { 'cache-control': 'private, no-cache', vary: 'Accept' } as const

/** Answers with an image, or 304 if the client has it. */
export function answerDrawn(
  { bytes, isEmpty, etag }: MapImage,
  requestHeaders: ApiRequest['headers'],
  { nd, format }: Pick<RenderOptions, 'nd' | 'format'>,
): QuickAnswer {
  if (etag !== undefined && matchesTag(requestHeaders['if-none-match'], etag)) return notModified(etag)
  const headers = { ...(etag === undefined ? {} : { etag }), ...ownHeaders }
  if (isEmpty && nd !== 200) return { empty: true, status: nd, headers }
  return { bytes, mediaType: imageMediaTypes[format], headers }
}
