import type { Dialect } from '../contract/dialect/dialect.ts'
import { problem } from '../contract/problems.ts'
import { type RouteName, routeOf } from '../contract/routes.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'

/**
 * Detects whether a server uses the names of the documents or those of NextGIS Web, by the path of its version.
 *
 * @throws {Problem} http/unexpected if it is not a landform or NextGIS Web server
 */
export async function detectDialect(api: Api, signal: AbortSignal | undefined): Promise<Dialect> {
  for (const dialect of ['document', 'nextgis'] as const) {
    api.setDialect(dialect)
    const versions = await findVersions(api, signal)
    if (versions !== undefined) return dialect === 'nextgis' || !isNextgis(versions) ? dialect : 'nextgis'
  }
  throw problem('http/unexpected', `${api.url} is not a landform or NextGIS Web server.`)
}

/** Returns whether a server lists an operation among its routes. A server that does not list routes supports none. */
export async function supportsRoute(
  api: Api,
  name: RouteName,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    return Object.hasOwn(await api.call('instance.routes', { signal }), routeOf(name).route)
  } catch (error) {
    if (isProblem(error) && [401, 403, 404].includes(error.status ?? 0)) return false
    throw error
  }
}

async function findVersions(api: Api, signal: AbortSignal | undefined) {
  try {
    const versions = await api.call('instance.version', { signal })
    return typeof versions === 'object' ? versions : undefined
  } catch (error) {
    if (isProblem(error) && (error.status === 404 || error.code === 'http/unexpected')) return undefined
    throw error
  }
}

// landform reports both names, and reads both dialects.
function isNextgis(versions: Readonly<Record<string, string>>): boolean {
  return versions.nextgisweb !== undefined && versions.landform === undefined
}
