import { maxResourceIds } from '../contract/limits.ts'
import type { AnswerOf } from '../contract/route.ts'
import type { inventoryRoutes } from '../contract/routes/inventory.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'
import { supportsRoute } from './detect_server.ts'

/** What a resource holds, and its last change. */
export type ResourceContents = AnswerOf<(typeof inventoryRoutes)['resource.contents']>[number]

/**
 * Reads what resources hold and who changed them last; undefined if the server does not tell, as to guests.
 *
 * @throws {Problem} http/*, auth/*
 */
export async function readContents(
  api: Api,
  ids: readonly number[],
  signal?: AbortSignal,
): Promise<readonly ResourceContents[] | undefined> {
  if (!(await supportsRoute(api, 'resource.contents', signal))) return undefined
  const found: ResourceContents[] = []
  try {
    for (let at = 0; at < ids.length; at += maxResourceIds) {
      const body = { resources: ids.slice(at, at + maxResourceIds) }
      found.push(...(await api.call('resource.contents', { body, signal })))
    }
  } catch (error) {
    if (isProblem(error) && (error.status === 401 || error.status === 403)) return undefined
    throw error
  }
  return found
}
