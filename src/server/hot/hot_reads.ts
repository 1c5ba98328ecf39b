import type { PermissionMask } from '../../access/permission_mask.ts'
import type { PermissionCache } from '../../store/access/effective_permission.ts'
import type { PermissionSubject } from '../../store/access/permission_subject.ts'
import { findRenderSources, type RenderSource } from '../../store/classes/render_source.ts'
import { findTrackedLayers, type TrackedLayer } from '../../store/layer/stored_layer.ts'
import type { ServerContext } from '../context.ts'
import type { HotMemory } from './hot_memory.ts'

type HotContext = Pick<ServerContext, 'hot' | 'database'>

type ById<T> = ReadonlyMap<number, T>

const layersKey = (ids: readonly number[]) => `layers ${ids.join()}`
const sourcesKey = (ids: readonly number[]) => `sources ${ids.join()}`
const masksKey = ({ id, superuser, principalIds }: PermissionSubject, ids: readonly number[]) =>
  `masks ${id} ${superuser} ${principalIds.join()} ${ids.join()}`

/** Finds layers as `findTrackedLayers`; takes no statement if they are remembered. */
export function findHotLayers({ hot, database }: HotContext, ids: readonly number[]) {
  return hot.get<ById<TrackedLayer>>(layersKey(ids), () => findTrackedLayers(database, ids))
}

/** Finds resources to render as `findRenderSources`; takes no statement if they are remembered. */
export function findHotSources({ hot, database }: HotContext, ids: readonly number[]) {
  return hot.get<ById<RenderSource>>(sourcesKey(ids), () => findRenderSources(database, ids))
}

/** Requests for more resources are not those of tiles. */
const maxIds = 20

/** Remembers permissions on up to 20 resources at once. */
export function rememberMasks(permissions: PermissionCache, hot: HotMemory): PermissionCache {
  return {
    findMasks(subject, ids) {
      if (ids.length > maxIds) return permissions.findMasks(subject, ids)
      return hot.get(masksKey(subject, ids), () => permissions.findMasks(subject, ids))
    },
  }
}

/** Returns layers, resources to render and permissions that are remembered; undefined for what has to be read. */
export const remembered = {
  layers: ({ hot }: Pick<HotContext, 'hot'>, ids: readonly number[]) =>
    hot.known<ById<TrackedLayer>>(layersKey(ids)),
  sources: ({ hot }: Pick<HotContext, 'hot'>, ids: readonly number[]) =>
    hot.known<ById<RenderSource>>(sourcesKey(ids)),
  masks: ({ hot }: Pick<HotContext, 'hot'>, subject: PermissionSubject, ids: readonly number[]) =>
    hot.known<ById<PermissionMask>>(masksKey(subject, ids)),
}
