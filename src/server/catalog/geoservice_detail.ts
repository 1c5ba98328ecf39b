import { randomInt } from 'node:crypto'
import { alternativeUrls, type GeoserviceDetail } from '../../contract/catalog/catalog.ts'
import { isResourceId } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { findGeoservice, type StoredGeoservice } from '../../store/catalog/geoservice.ts'

/**
 * Returns a record of the catalog.
 *
 * @throws {Problem} request/not-found
 */
export async function found<T>(id: number, find: (id: number) => Promise<T | undefined>): Promise<T> {
  const record = isResourceId(id) ? await find(id) : undefined
  if (record === undefined) throw problem('request/not-found', 'Not found.')
  return record
}

/**
 * Reads a geoservice as the catalog serves it.
 *
 * @throws {Problem} request/not-found
 */
export async function readGeoservice(database: Queryable, id: number): Promise<GeoserviceDetail> {
  return withHosts(await found(id, (own) => findGeoservice(database, own)))
}

/** Adds the addresses of each host to a service of tiles, and chooses one of them. */
function withHosts(service: StoredGeoservice): GeoserviceDetail {
  if (service.type !== 'tms') return service
  const alternatives = alternativeUrls(service.url)
  const url = alternatives.length === 0 ? service.url : alternatives[randomInt(alternatives.length)]
  return { ...service, url: url ?? service.url, alt_urls: alternatives, origin_url: service.url }
}
