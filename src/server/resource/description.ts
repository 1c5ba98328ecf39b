import sanitizeHtml from 'sanitize-html'

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
