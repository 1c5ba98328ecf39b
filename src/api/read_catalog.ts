import type { GeoserviceRecord, IconRecord } from '../contract/catalog/catalog_edit.ts'
import { catalogRoute } from '../contract/routes.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'

/** All records of a catalog. */
export interface CatalogRecords {
  readonly icons: readonly IconRecord[]
  readonly geoservices: readonly GeoserviceRecord[]
}

/** All records of a catalog, or the reason why they cannot be read: access denied, or a server without a catalog. */
export type CatalogReading = CatalogRecords | 'denied' | 'absent'

const timeoutMs = 300_000

/** Reads all records of the catalog in one request. Requires an editor of the catalog. */
export async function readCatalog(api: Api, signal?: AbortSignal): Promise<CatalogReading> {
  try {
    return await api.call('catalog.records', { signal, timeoutMs })
  } catch (error) {
    if (!isProblem(error)) throw error
    if (error.status === 403) return 'denied'
    if ([404, 405, 501].includes(error.status ?? 0)) return 'absent'
    throw error
  }
}

/** Finds the address of the catalog of a server, as the server lists it; undefined if it lists none. */
export async function findCatalogUrl(api: Api, signal?: AbortSignal): Promise<string | undefined> {
  try {
    const [address] = (await api.call('instance.routes', { signal }))[catalogRoute] ?? []
    if (address === undefined) return undefined
    const url = address.startsWith('/') ? `${api.url}${address}` : address
    return /^https?:\/\//.test(url) ? url.replace(/\/api\/v1\/$/, '') : undefined
  } catch (error) {
    if (isProblem(error) && [401, 403, 404].includes(error.status ?? 0)) return undefined
    throw error
  }
}
