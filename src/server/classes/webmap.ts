import type { Static } from 'typebox'
import {
  maxWebmapDepth,
  maxWebmapItems,
  type WebmapItem,
  type webmap,
} from '../../contract/classes/webmap.ts'
import type { Members } from '../../contract/registry.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import {
  type BasemapRow,
  findWebmaps,
  replaceBasemaps,
  replaceItems,
  type WebmapColumns,
  type WebmapRow,
  writeWebmaps,
} from '../../store/classes/webmap.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { requireReferences } from '../resource/references.ts'
import { type Behaviour, idOf, type MemberChange } from './behaviour.ts'
import { branchesOf, normaliseItem, wireBasemap, wireItems } from './webmap_item.ts'

type Change = MemberChange<'webmap'>
type WebmapMember = Partial<Static<(typeof webmap)['members']['webmap']>>

/** Web maps: a tree of groups and styles, with an initial extent. */
export const webmapBehaviour: Behaviour<'webmap'> = {
  async readMembers(tx, ids) {
    const rows = await findWebmaps(tx, ids)
    return new Map([...rows.values()].map((row) => [row.id, membersOf(row)]))
  },
  async create(tx, changes) {
    await write(tx, changes, new Map())
  },
  async update(tx, changes) {
    await write(tx, changes, await findWebmaps(tx, changes.map(idOf)))
  },
}

/** Defaults of the contract: the extent of the world, and no items. */
const emptyRow: Omit<WebmapRow, 'id'> = {
  extentLeft: -180,
  extentRight: 180,
  extentBottom: -90,
  extentTop: 90,
  drawOrderEnabled: null,
  bookmarkResourceId: null,
  items: [],
  basemaps: [],
}

async function write(
  tx: Queryable,
  changes: readonly Change[],
  current: ReadonlyMap<number, WebmapRow>,
): Promise<void> {
  const [caller] = changes.map((change) => change.caller)
  if (caller === undefined) return
  const maps = changes.map(({ id, members }) => ({ members, row: current.get(id) ?? { ...emptyRow, id } }))
  for (const { members } of maps) checkMembers(members)
  const checks = maps.map(({ members, row }) => ({ members, current: referencesOf(row) }))
  await requireReferences(tx, { caller, cls: 'webmap', checks })
  await writeWebmaps(
    tx,
    new Map(maps.map(({ members, row }) => [row.id, columnsOf(members.webmap ?? {}, row)])),
  )
  await replaceItems(tx, new Map(maps.flatMap(({ members, row }) => itemsOf(row.id, members))))
  await replaceBasemaps(tx, new Map(maps.flatMap(({ members, row }) => basemapsOf(row.id, members))))
}

function checkMembers({ webmap: own, basemap_webmap: base }: Change['members']): void {
  if (own?.root_item !== undefined) checkTree(own.root_item.children)
  if (base?.basemaps !== undefined) checkDistinct(base.basemaps.map(({ resource_id }) => resource_id))
}

function itemsOf(id: number, { webmap: own }: Change['members']): [number, WebmapItem[]][] {
  return own?.root_item === undefined ? [] : [[id, own.root_item.children.map(normaliseItem)]]
}

function basemapsOf(id: number, { basemap_webmap: base }: Change['members']): [number, BasemapRow[]][] {
  if (base?.basemaps === undefined) return []
  const ordered = [...base.basemaps].sort((a, b) => a.position - b.position)
  return [[id, ordered.map(({ resource_id: resourceId, ...item }) => ({ resourceId, item }))]]
}

function columnsOf(given: WebmapMember, row: WebmapRow): WebmapColumns {
  const columns = {
    extentLeft: given.extent_left === undefined ? row.extentLeft : given.extent_left,
    extentRight: given.extent_right === undefined ? row.extentRight : given.extent_right,
    extentBottom: given.extent_bottom === undefined ? row.extentBottom : given.extent_bottom,
    extentTop: given.extent_top === undefined ? row.extentTop : given.extent_top,
    drawOrderEnabled:
      given.draw_order_enabled === undefined ? row.drawOrderEnabled : given.draw_order_enabled,
    bookmarkResourceId:
      given.bookmark_resource === undefined ? row.bookmarkResourceId : given.bookmark_resource,
  }
  const { extentBottom, extentTop } = columns
  if (extentBottom !== null && extentTop !== null && extentBottom > extentTop) {
    throw invalidAt(
      '/webmap/extent_bottom',
      `${extentBottom} is greater than extent_top, which is ${extentTop}`,
    )
  }
  return columns
}

function referencesOf({ items, basemaps, bookmarkResourceId }: WebmapRow): Set<number> {
  const ids = [...items.map(({ styleId }) => styleId), ...basemaps.map(({ resourceId }) => resourceId)]
  return new Set([...ids, bookmarkResourceId].filter((id) => id !== null))
}

/** Checks the depth and the number of items of a layer tree. */
function checkTree(items: readonly WebmapItem[]): void {
  const root: Pointer = '/webmap/root_item/children'
  const count = countItems(items, root, 1)
  if (count > maxWebmapItems)
    throw invalidAt(root, `the layer tree has ${count} items; the limit is ${maxWebmapItems}`)
}

function countItems(items: readonly WebmapItem[], pointer: Pointer, depth: number): number {
  if (depth > maxWebmapDepth)
    throw invalidAt(pointer, `the layer tree has more than ${maxWebmapDepth} levels`)
  let count = items.length
  for (const [index, item] of items.entries()) {
    if (item.item_type === 'group')
      count += countItems(item.children, joinPointer(pointer, index, 'children'), depth + 1)
  }
  return count
}

function membersOf(row: WebmapRow): Members<'webmap'> {
  return {
    webmap: {
      extent_left: row.extentLeft,
      extent_right: row.extentRight,
      extent_bottom: row.extentBottom,
      extent_top: row.extentTop,
      draw_order_enabled: row.drawOrderEnabled,
      bookmark_resource: row.bookmarkResourceId,
      root_item: { item_type: 'root', children: wireItems(branchesOf(row.items)) },
    },
    basemap_webmap: { basemaps: row.basemaps.map(wireBasemap) },
  }
}

function checkDistinct(basemapIds: readonly number[]): void {
  const index = basemapIds.findIndex((id, at) => basemapIds.indexOf(id) !== at)
  if (index < 0) return
  throw invalidAt(
    `/basemap_webmap/basemaps/${index}/resource_id`,
    `base map ${basemapIds[index]} is listed twice`,
  )
}
