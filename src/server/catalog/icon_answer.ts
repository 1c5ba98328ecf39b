import { iconSizes } from '../../contract/catalog/catalog.ts'
import { createIcon, type IconSize } from '../../render/icon_image.ts'
import type { IconImage } from '../../store/catalog/catalog_icon.ts'
import { matchesTag } from '../http/byte_range.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { type Parameters, textOf } from './parameter.ts'

type Request = Pick<ApiRequest, 'context' | 'headers'> & { readonly query: Parameters }

/** Answers with an icon as PNG in the size of the request. */
export async function answerIcon({ context, headers, query }: Request, icon: IconImage): Promise<Answer> {
  const size = { width: sideOf(query, 'width'), height: sideOf(query, 'height') }
  const key = `${icon.digest.slice(0, 32)}-${size.width}x${size.height}`
  const etag = `"${key}"`
  const shared = { etag, 'cache-control': `public, max-age=${maxAgeSeconds}` }
  if (matchesTag(headers['if-none-match'], etag)) return { status: 304, headers: shared, empty: true }
  const bytes = context.iconImages.get(key) ?? (await createIcon(icon.image, size))
  context.iconImages.set(key, bytes)
  return { headers: shared, bytes, mediaType: 'image/png' }
}

const maxAgeSeconds = 300

/** Parses a width or height in pixels; anything else than an integer in the range is the default. */
function sideOf(query: Parameters, name: keyof IconSize): number {
  const text = textOf(query, name)?.trim() ?? ''
  const side = /^\+?\d{1,4}$/.test(text) ? Number(text) : iconSizes.default
  return side >= iconSizes.minimum && side <= iconSizes.maximum ? side : iconSizes.default
}
