import type { ServerContext } from '../context.ts'
import { catalogRoot } from '../http/catalog_service.ts'

/**
 * Returns the address of the catalog: a path, or a URL if the catalog has a port of its own; undefined if the server has no
 * catalog.
 *
 * @param url URL of the request, with the host that the client uses
 */
export function findCatalogAddress(
  { catalog, ownUrls }: Pick<ServerContext, 'catalog' | 'ownUrls'>,
  url: string,
): string | undefined {
  if (catalog === 'off') return undefined
  if ('path' in catalog) return `${catalog.path}${catalogRoot}/`
  const own = URL.parse(ownUrls[1] ?? '')
  if (own === null) return undefined
  // A client does not reach a machine by the address of all its interfaces, nor another machine by its own.
  const isOfMachine = ['0.0.0.0', '[::]', '127.0.0.1', '[::1]', 'localhost'].includes(own.hostname)
  const host = isOfMachine ? new URL(url).hostname : own.hostname
  return `${own.protocol}//${host}:${own.port}${catalogRoot}/`
}
