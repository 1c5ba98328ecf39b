import sanitizeHtml from 'sanitize-html'
import { hasPermission } from '../../access/permission_mask.ts'
import { findDescriptions } from '../../store/resource/resource_name.ts'
import type { ApiRequest } from '../http/handler.ts'

/** Sanitises the HTML of a description: keeps text, basic markup, and web and mail links. */
export function sanitiseDescription(html: string): string {
  return sanitizeHtml(html, {
    allowedTags: ['a', 'b', 'br', 'code', 'em', 'i', 'li', 'ol', 'p', 'strong', 'sub', 'sup', 'u', 'ul'],
    allowedAttributes: { a: ['href', 'target', 'rel'] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowProtocolRelative: false,
    transformTags: { a: sanitizeHtml.simpleTransform('a', { target: '_blank', rel: 'noopener noreferrer' }) },
  })
}

/** Elements whose end is the end of a line. */
const lineEnds = /<(?:br|\/p|\/li|\/div|\/h[1-6]|\/tr)\b[^>]*>/gi

/** What is escaped in HTML without markup. */
const escapes: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }

/** Returns the text of a description without its markup; empty if there is none. */
export function plainDescription(html: string): string {
  const escaped = sanitizeHtml(html.replaceAll(lineEnds, '$&\n'), { allowedTags: [], allowedAttributes: {} })
  return escaped
    .replaceAll(/&(?:lt|gt|quot|amp);/g, (written) => escapes[written] ?? written)
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}

/** Reads the descriptions of resources as plain text, of those whose metadata the caller may read. */
export async function readDescriptions(
  { context, caller }: Pick<ApiRequest, 'context' | 'caller'>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const masks = await context.permissions.findMasks(caller, ids)
  const readable = ids.filter((id) => hasPermission(masks.get(id) ?? 0, 'metadata.read'))
  const found = await findDescriptions(context.database, readable)
  const texts = [...found].map(([id, html]) => [id, plainDescription(html)] as const)
  return new Map(texts.filter(([, text]) => text !== ''))
}
