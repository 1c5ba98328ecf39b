import { tileCacheDefaults } from '../../contract/classes/tile_cache.ts'
import type { Cls, Members } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { flushTiles, type TileCacheRow, tileCaches } from '../../store/classes/tile_cache.ts'
import { type Behaviour, idOf, type MemberChange } from './behaviour.ts'

/** Name of a class with member `tile_cache`. */
type StyleCls = {
  [C in Cls]: 'tile_cache' extends keyof Members<C> ? C : never
}[Cls]

/** Adds member `tile_cache` to the behaviour of a class of styles. */
export function withTileCache<C extends StyleCls>(behaviour: Behaviour<C>): Behaviour<C> {
  return {
    ...behaviour,
    async readMembers(tx, ids) {
      const own = await behaviour.readMembers(tx, ids)
      const rows = await tileCaches.find(tx, ids)
      return new Map(
        [...own].map(([id, members]) => [id, { ...members, tile_cache: rows.get(id) ?? tileCacheDefaults }]),
      )
    },
    async create(tx, changes) {
      await behaviour.create(tx, changes)
      await writeTileCaches(tx, changes)
    },
    async update(tx, changes) {
      await behaviour.update(tx, changes)
      await writeTileCaches(tx, changes)
    },
  }
}

async function writeTileCaches(tx: Queryable, changes: readonly MemberChange<StyleCls>[]): Promise<void> {
  const given = changes.filter(({ members }) => members.tile_cache !== undefined)
  if (given.length === 0) return
  const stored = await tileCaches.find(tx, given.map(idOf))
  const rows = given.map(({ id, members }): [number, TileCacheRow] => {
    const { flush: _, ...fields } = members.tile_cache ?? {}
    return [id, { ...tileCacheDefaults, ...stored.get(id), ...fields }]
  })
  await tileCaches.write(tx, new Map(rows))
  await flushTiles(tx, given.filter(({ members }) => members.tile_cache?.flush === true).map(idOf))
}
