import PQueue from 'p-queue'
import type { Api } from '../../api/api.ts'
import { findCatalogUrl, readCatalog } from '../../api/read_catalog.ts'
import { catalogLimits, type GeoserviceItem } from '../../contract/catalog/catalog.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'

/** Filters of a search; absent ones do not filter. */
export interface SearchFilters {
  readonly words: readonly string[]
  readonly type?: string | undefined
  readonly epsg?: number | undefined
  /** Result of the last check; `unchecked` for services without one. */
  readonly status?: string | undefined
  /** Box as WKT. */
  readonly bbox?: string | undefined
  /** Maximum number of services; infinite for all. */
  readonly limit: number
}

/** Geoservices of a search, and the number of all that match. */
export interface SearchResult {
  readonly count: number
  readonly results: readonly GeoserviceItem[]
}

/** Status of services that have never been checked. The API has no filter for it. */
export const unchecked = 'unchecked'

/** Searches a catalog through its public API, page by page. */
export async function searchCatalog(api: Api, filters: SearchFilters): Promise<SearchResult> {
  if (filters.status !== unchecked) return readPages(api, filters)
  const all = await readPages(api, { ...filters, status: undefined, limit: Number.POSITIVE_INFINITY })
  const found = all.results.filter(({ cumulative_status: status }) => status === null)
  return { count: found.length, results: found.slice(0, filters.limit) }
}

async function readPages(
  api: Api,
  { words, type, epsg, status, bbox, limit }: SearchFilters,
): Promise<SearchResult> {
  const filter = {
    search: words.join(' '),
    ...(type === undefined ? {} : { type }),
    ...(epsg === undefined ? {} : { epsg: String(epsg) }),
    ...(status === undefined ? {} : { cumulative_status: status }),
    ...(bbox === undefined ? {} : { intersects_boundary: bbox }),
  }
  const results: GeoserviceItem[] = []
  for (;;) {
    const size = Math.min(limit - results.length, catalogLimits.page)
    const query = { ...filter, limit: String(size), offset: String(results.length) }
    const page = await api.call('catalog.geoservices', { query })
    if (Array.isArray(page)) return { count: page.length, results: page.slice(0, limit) }
    results.push(...page.results)
    const isLast = page.results.length === 0 || results.length >= Math.min(limit, page.count)
    if (isLast) return { count: page.count, results }
  }
}

/**
 * Runs an action with a client of the catalog of a server, wherever the server says that its catalog is.
 *
 * @param connectTo creates a client without credentials
 * @throws {Problem} catalog/absent if the server has no catalog
 */
export async function withCatalog<T>(
  api: Api,
  connectTo: (url: string) => Api,
  work: (catalog: Api) => Promise<T>,
): Promise<T> {
  const own = await unlessAbsent(work(api))
  if (own !== undefined) return own.value
  const url = await findCatalogUrl(api)
  const catalog = url === undefined || url === api.url ? undefined : connectTo(url)
  try {
    const found = catalog === undefined ? undefined : await unlessAbsent(work(catalog))
    if (found !== undefined) return found.value
  } finally {
    await catalog?.close()
  }
  throw problem('catalog/absent', `${url ?? api.url} has no catalog of geoservices.`)
}

async function unlessAbsent<T>(answer: Promise<T>): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await answer }
  } catch (error) {
    if (isProblem(error) && [404, 501].includes(error.status ?? 0)) return undefined
    throw error
  }
}

/** Members that lists of the API do not have. */
export interface MoreMembers {
  readonly keyname?: string | null
  readonly url?: string
}

/** Reads keys and addresses by id, if the account may manage the catalog. */
export async function readMore(api: Api): Promise<ReadonlyMap<number, MoreMembers>> {
  const records = await readCatalog(api)
  if (typeof records === 'string') return new Map()
  return new Map(records.geoservices.map(({ id, keyname = null, url }) => [id, { keyname, url }] as const))
}

/** Maximum number of concurrent requests for details. */
const maxRequests = 8

/** Reads the addresses of services by id, which everybody may. */
export async function readUrls(
  catalog: Api,
  services: readonly GeoserviceItem[],
): Promise<ReadonlyMap<number, MoreMembers>> {
  const queue = new PQueue({ concurrency: maxRequests })
  const read = services.map(({ id }) => async () => {
    // A service may have been deleted in the meantime.
    const detail = await unlessAbsent(catalog.call('catalog.geoservice', { params: { id } }))
    const { url, origin_url: origin = url } = detail?.value ?? {}
    return [id, origin === undefined ? {} : { url: origin }] as const
  })
  return new Map(await queue.addAll(read).finally(() => queue.clear()))
}
