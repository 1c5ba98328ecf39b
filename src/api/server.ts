import type { Dialect } from '../contract/dialect.ts'
import { problem } from '../contract/problems.ts'
import { type RouteName, routeOf } from '../contract/routes.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'

/**
 * Finds out whether a server reads the documents' names or the sisters': it names its components under one path or
 * the other.
 *
 * @throws {Problem} http/unexpected where it is no resource service at all
 */
export async function detectDialect(api: Api, signal: AbortSignal | undefined): Promise<Dialect> {
  for (const dialect of ['document', 'sister'] as const) {
    api.speak(dialect)
    const versions = await findVersions(api, signal)
    if (versions !== undefined) return dialect === 'sister' || !isSister(versions) ? dialect : 'sister'
  }
  throw problem('http/unexpected', `${api.url} is no resource service.`)
}

/** Returns whether a server lists an operation among its routes. One that shows its routes to nobody offers none. */
export async function offers(api: Api, name: RouteName, signal: AbortSignal | undefined): Promise<boolean> {
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

// Our own server says both; it reads every spelling.
function isSister(versions: Readonly<Record<string, string>>): boolean {
  return versions.nextgisweb !== undefined && versions.landform === undefined
}
