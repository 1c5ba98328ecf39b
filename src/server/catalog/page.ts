import { catalogLimits } from '../../contract/catalog/catalog.ts'
import { type Parameters, textOf } from './parameter.ts'

/** Page of a list, as the client asks for it. */
export interface AskedPage {
  readonly limit: number
  readonly offset: number
}

/** Parses the page of a list; undefined for the complete list, which has no usable limit. */
export function pageOf(query: Parameters): AskedPage | undefined {
  const limit = countOf(query, 'limit')
  if (limit === undefined || limit === 0) return undefined
  return { limit: Math.min(limit, catalogLimits.page), offset: countOf(query, 'offset') ?? 0 }
}

/** Parses the page of a list that is never complete. */
export function pageOfStatuses(query: Parameters): AskedPage {
  return pageOf(query) ?? { limit: catalogLimits.statusPage, offset: countOf(query, 'offset') ?? 0 }
}

/** Numbers beyond this are equal to it, for any database of the world. */
const maxOffset = 2 ** 53 - 1

/** Parses a natural number; undefined for anything else. */
function countOf(query: Parameters, name: string): number | undefined {
  const text = textOf(query, name)?.trim() ?? ''
  return /^\+?\d+$/.test(text) ? Math.min(Number(text), maxOffset) : undefined
}

/** Result of a page: the records as JSON texts, and the number of all. */
export interface PageContent {
  /** URL of the request. */
  readonly url: string
  readonly page: AskedPage
  readonly count: number
  readonly records: readonly string[]
}

/** Writes the body of a page. */
export function writePage({ url, page, count, records }: PageContent): Uint8Array {
  const { limit, offset } = page
  const next = offset + limit < count ? linkTo(url, { limit, offset: offset + limit }) : null
  const previous = offset > 0 ? linkTo(url, { limit, offset: Math.max(0, offset - limit) }) : null
  const head = JSON.stringify({ count, next, previous }).slice(0, -1)
  return Buffer.from(`${head},"results":[${records.join(',')}]}`)
}

/** Returns the URL of another page; the first one has no offset. */
function linkTo(url: string, { limit, offset }: AskedPage): string {
  // The host is what the client sent, which need not be a valid one.
  const [address = '', query] = url.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  parameters.set('limit', String(limit))
  if (offset > 0) parameters.set('offset', String(offset))
  else parameters.delete('offset')
  return `${address}?${parameters}`
}
