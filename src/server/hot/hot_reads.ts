import type { PermissionCache } from '../../store/access/effective_permission.ts'
import { findRenderSources, type RenderSource } from '../../store/classes/render_source.ts'
import { findTrackedLayers, type TrackedLayer } from '../../store/layer/stored_layer.ts'
import type { ServerContext } from '../context.ts'
import type { HotMemory } from './hot_memory.ts'

type HotContext = Pick<ServerContext, 'hot' | 'database'>

/** Finds layers as `findTrackedLayers`; takes no statement if they are remembered. */
export function findHotLayers(
  { hot, database }: HotContext,
  ids: readonly number[],
): Promise<ReadonlyMap<number, TrackedLayer>> {
  return hot.get(`layers ${ids.join()}`, () => findTrackedLayers(database, ids))
}

/** Finds resources to render as `findRenderSources`; takes no statement if they are remembered. */
export function findHotSources(
  { hot, database }: HotContext,
  ids: readonly number[],
): Promise<ReadonlyMap<number, RenderSource>> {
  return hot.get(`sources ${ids.join()}`, () => findRenderSources(database, ids))
}

/** Requests for more resources are not those of tiles. */
const maxIds = 20

/** Remembers permissions on up to 20 resources at once. */
export function rememberMasks(permissions: PermissionCache, hot: HotMemory): PermissionCache {
  return {
    findMasks(subject, ids) {
      if (ids.length > maxIds) return permissions.findMasks(subject, ids)
      const { id, superuser, principalIds } = subject
      const key = `masks ${id} ${superuser} ${principalIds.join()} ${ids.join()}`
      return hot.get(key, () => permissions.findMasks(subject, ids))
    },
  }
}
