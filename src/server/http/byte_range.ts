/** Byte range from `start` (inclusive) to `end` (exclusive). */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Parses a Range header for content of a given size. Returns undefined if the full content must be sent (no header, an
 * invalid one, another unit, or several ranges), and `unsatisfiable` if the range lies outside the content.
 *
 * @see RFC 9110 clause 14.2
 */
export function parseRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes }
  }
  const start = Number(first)
  const end = last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes)
  if (last !== '' && Number(last) < start) return undefined
  return start >= sizeBytes ? 'unsatisfiable' : { start, end }
}

/** Tells whether an If-None-Match header contains an entity tag. @see RFC 9110 clause 13.1.2 */
export function matchesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
