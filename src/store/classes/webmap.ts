import type { WebmapGroup, WebmapItem, WebmapLayer } from '../../contract/classes/webmap.ts'
import type { Queryable } from '../../database/database.ts'

/** A stored item of a layer tree: a group, or a layer without its style, which has its own column. */
export type StoredItem = Omit<WebmapGroup, 'children'> | Omit<WebmapLayer, 'layer_style_id'>

/** A row of a layer tree. */
export interface ItemRow {
  /** Number within the map, from 2 in the order of the tree; 1 is the root. */
  readonly id: number
  /** Number of the parent group; null at the top level. */
  readonly parentId: number | null
  /** Position among its siblings. */
  readonly position: number
  readonly styleId: number | null
  /** Parent resource of the style. */
  readonly styleParentId: number | null
  readonly item: StoredItem
}

/** A base map of a web map. */
export interface BasemapRow {
  readonly resourceId: number
  /** Item in the wire format, without the resource. */
  readonly item: Readonly<Record<string, unknown>>
}

/** Columns of a web map. Edges are in degrees; null if a client has sent null. */
export interface WebmapColumns {
  readonly extentLeft: number | null
  readonly extentRight: number | null
  readonly extentBottom: number | null
  readonly extentTop: number | null
  readonly drawOrderEnabled: boolean | null
  readonly bookmarkResourceId: number | null
}

/** A web map with its tree and base maps. */
export interface WebmapRow extends WebmapColumns {
  readonly id: number
  /** Parents before children, siblings in order. */
  readonly items: readonly ItemRow[]
  readonly basemaps: readonly BasemapRow[]
}

/** Reads web maps with their content, in one statement; omits ids of other resources. */
export async function findWebmaps(tx: Queryable, ids: readonly number[]): Promise<Map<number, WebmapRow>> {
  const rows = await tx.query<WebmapRow>(
    `select w.resource_id as id, w.extent_left as "extentLeft", w.extent_right as "extentRight",
            w.extent_bottom as "extentBottom", w.extent_top as "extentTop",
            w.draw_order_enabled as "drawOrderEnabled", w.bookmark_resource_id as "bookmarkResourceId",
            coalesce(i.items, '[]') as items, coalesce(b.basemaps, '[]') as basemaps
       from webmap w
       left join (
         select i.webmap_id,
                json_agg(json_build_object('id', i.id, 'parentId', i.parent_id, 'position', i.position,
                         'styleId', i.style_id, 'styleParentId', s.parent_id, 'item', i.item) order by i.id) as items
           from webmap_item i left join resource s on s.id = i.style_id
          where i.webmap_id = any($1::int[]) group by i.webmap_id) i on i.webmap_id = w.resource_id
       left join (
         select b.webmap_id,
                json_agg(json_build_object('resourceId', b.resource_id, 'item', b.item) order by b.position) as basemaps
           from webmap_basemap b
          where b.webmap_id = any($1::int[]) group by b.webmap_id) b on b.webmap_id = w.resource_id
      where w.resource_id = any($1::int[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Inserts or updates the columns of web maps, by id. */
export async function writeWebmaps(
  tx: Queryable,
  columns: ReadonlyMap<number, WebmapColumns>,
): Promise<void> {
  const rows = [...columns].map(([id, row]) => ({ ...row, id }))
  await tx.query(
    `insert into webmap (resource_id, extent_left, extent_right, extent_bottom, extent_top, draw_order_enabled,
                         bookmark_resource_id)
     select id, "extentLeft", "extentRight", "extentBottom", "extentTop", "drawOrderEnabled", "bookmarkResourceId"
       from json_to_recordset($1::text::json) as r (
         id int, "extentLeft" float8, "extentRight" float8, "extentBottom" float8, "extentTop" float8,
         "drawOrderEnabled" boolean, "bookmarkResourceId" int)
     on conflict (resource_id) do update
        set extent_left = excluded.extent_left, extent_right = excluded.extent_right,
            extent_bottom = excluded.extent_bottom, extent_top = excluded.extent_top,
            draw_order_enabled = excluded.draw_order_enabled,
            bookmark_resource_id = excluded.bookmark_resource_id`,
    [JSON.stringify(rows)],
  )
}

/** Replaces the layer trees of web maps, by id. */
export async function replaceItems(
  tx: Queryable,
  roots: ReadonlyMap<number, readonly WebmapItem[]>,
): Promise<void> {
  if (roots.size === 0) return
  await tx.query('delete from webmap_item where webmap_id = any($1::int[])', [[...roots.keys()]])
  const rows = [...roots].flatMap(([webmapId, root]) =>
    flatten(root).map((row) => ({ webmap_id: webmapId, ...row })),
  )
  if (rows.length === 0) return
  await tx.query(
    `insert into webmap_item (webmap_id, id, parent_id, position, style_id, item)
     select * from json_to_recordset($1::text::json) as r (
       webmap_id int, id int, parent_id int, position int, style_id int, item jsonb)`,
    [JSON.stringify(rows)],
  )
}

/** Replaces the base maps of web maps, by id. */
export async function replaceBasemaps(
  tx: Queryable,
  basemaps: ReadonlyMap<number, readonly BasemapRow[]>,
): Promise<void> {
  if (basemaps.size === 0) return
  await tx.query('delete from webmap_basemap where webmap_id = any($1::int[])', [[...basemaps.keys()]])
  const rows = [...basemaps].flatMap(([webmapId, list]) =>
    list.map(({ resourceId, item }, position) => ({
      webmap_id: webmapId,
      position,
      resource_id: resourceId,
      item,
    })),
  )
  if (rows.length === 0) return
  await tx.query(
    `insert into webmap_basemap (webmap_id, position, resource_id, item)
     select * from json_to_recordset($1::text::json) as r (
       webmap_id int, position int, resource_id int, item jsonb)`,
    [JSON.stringify(rows)],
  )
}

interface FlatItem {
  readonly id: number
  readonly parent_id: number | null
  readonly position: number
  readonly style_id: number | null
  readonly item: StoredItem
}

function flatten(root: readonly WebmapItem[]): FlatItem[] {
  const rows: FlatItem[] = []
  const add = (items: readonly WebmapItem[], parentId: number | null) => {
    for (const [position, wire] of items.entries()) {
      const id = rows.length + 2
      const at = { id, parent_id: parentId, position }
      if (wire.item_type === 'layer') {
        const { layer_style_id: styleId, ...item } = wire
        rows.push({ ...at, style_id: styleId, item })
      } else {
        const { children, ...item } = wire
        rows.push({ ...at, style_id: null, item })
        add(children, id)
      }
    }
  }
  add(root, null)
  return rows
}
