import type { Api } from '../../api/api.ts'
import { resolveResource } from '../../api/resolve_resource.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import { tileCacheDefaults } from '../../contract/classes/tile_cache.ts'
import { problem } from '../../contract/problems.ts'
import { clsNames, descriptorOf } from '../../contract/registry.ts'

/** A style whose tiles a server may keep. */
export interface CachedStyle {
  readonly id: number
  readonly keyname: string | null
  readonly displayName: string
  readonly layerId: number
  readonly enabled: boolean
  /** Highest zoom level of kept tiles; null for all. */
  readonly maxZ: number | null
}

/**
 * Finds a style by keyname, id or path.
 *
 * @throws {Problem} resource/not-found, usage/bad-argument if it is no style
 */
export async function findStyle(api: Api, name: string, signal?: AbortSignal): Promise<CachedStyle> {
  const found = await resolveResource(api, name, signal)
  const style = readStyle(found)
  if (style !== undefined) return style
  const { display_name, cls, id } = found.resource
  throw problem('usage/bad-argument', `"${display_name}" is a ${cls}, of which no tiles are kept.`, {
    hint: 'Name a style.',
    resource: id,
  })
}

/** Lists the styles whose tiles the server keeps. */
export async function listCachedStyles(api: Api, signal?: AbortSignal): Promise<CachedStyle[]> {
  const styles: CachedStyle[] = []
  for (const cls of cachedClasses) {
    const query = { serialization: 'full' }
    const found = await api.call('resource.search', { query, more: [['cls', cls]], signal })
    for (const one of found) {
      const style = readStyle(one as unknown as Representation)
      if (style?.enabled) styles.push(style)
    }
  }
  return styles
}

const cachedClasses = clsNames.filter((cls) => 'tile_cache' in descriptorOf(cls).members)

function readStyle({ resource, ...members }: Representation): CachedStyle | undefined {
  if (!('tile_cache' in members)) return undefined
  const { enabled, max_z: maxZ } = { ...tileCacheDefaults, ...(members.tile_cache as Settings) }
  const { id = 0, keyname = null, display_name: displayName = '', parent } = resource
  return { id, keyname, displayName, layerId: parent?.id ?? 0, enabled, maxZ }
}

type Settings = { readonly enabled?: boolean; readonly max_z?: number | null }

/** Names a style for a person: its keyname, or its display name and id. */
export function nameStyle({ id, keyname, displayName }: CachedStyle): string {
  return keyname ?? `${displayName} (id ${id})`
}
