import { hasPermission } from '../../access/permission_mask.ts'
import type { ConfigBasemap } from '../../contract/bodies/webmap_config.ts'
import { serviceNameOf } from '../../contract/classes/basemap_layer.ts'
import type { Queryable } from '../../database/database.ts'
import { findTileServices, type TileServices } from '../../store/catalog/tile_service.ts'
import { type MemberRow, memberTable } from '../../store/classes/member_table.ts'
import type { BasemapRow, WebmapRow } from '../../store/classes/webmap.ts'
import { directUrls, tilesOf } from '../classes/layers/basemap_tiles.ts'
import { wireBasemap } from '../classes/webmap_item.ts'
import type { Masks } from './layer_drawing.ts'

/** Base maps of a web map that the caller may read. */
export interface Basemaps {
  /** In the order of their positions. */
  readonly list: readonly ConfigBasemap[]
  /** Id of the base map that is shown first; null for none. */
  readonly initial: number | null
}

/** Reads the base maps of a web map whose data the caller may read, in a constant number of statements. */
export async function readBasemaps(
  tx: Queryable,
  { basemaps }: Pick<WebmapRow, 'basemaps'>,
  masks: Masks,
): Promise<Basemaps> {
  const allowed = basemaps.filter(({ resourceId }) => hasPermission(masks.get(resourceId) ?? 0, 'data.read'))
  if (allowed.length === 0) return { list: [], initial: null }
  const ids = allowed.map(({ resourceId }) => resourceId)
  const layers = await memberTable('basemap_layer').find(tx, ids)
  const names = [...layers.values()].flatMap(({ qms }) => serviceNameOf(qms) ?? [])
  const services = await findTileServices(tx, names)
  const found = allowed.flatMap((row) => {
    const layer = layers.get(row.resourceId)
    const basemap = layer === undefined ? undefined : configBasemap(row, layer, services)
    return basemap === undefined ? [] : [{ basemap, wire: wireBasemap(row) }]
  })
  // Sorting is stable: base maps of one position keep their order.
  const sorted = found.toSorted((a, b) => a.wire.position - b.wire.position)
  return {
    list: sorted.map(({ basemap }) => basemap),
    initial: sorted.find(({ wire }) => wire.enabled !== false)?.basemap.id ?? null,
  }
}

/** Returns the base map for the page; undefined if the service that it names does not exist. */
function configBasemap(
  row: BasemapRow,
  layer: MemberRow<'basemap_layer'>,
  services: TileServices,
): ConfigBasemap | undefined {
  const tiles = tilesOf(layer, services)
  if (tiles === null) return undefined
  const { copyright_text: text, copyright_url: url, z_min: minZoom, z_max: maxZoom } = tiles
  const { display_name: label, opacity } = wireBasemap(row)
  const isLink = url !== null && /^https?:\/\//i.test(url) && URL.canParse(url)
  return {
    id: row.resourceId,
    label,
    opacity: opacity ?? 1,
    urls: directUrls(layer, services),
    minZoom,
    maxZoom,
    attribution: text || isLink ? { text: text || (url ?? ''), url: isLink ? url : null } : null,
  }
}

/** Lists the origins from which a page loads the tiles of base maps. */
export function tileOrigins(basemaps: readonly ConfigBasemap[]): string[] {
  return [...new Set(basemaps.flatMap(({ urls }) => urls.map((url) => originOf(url))))]
}

// The place of a tile is not in the host name, which directUrls ensures.
const originOf = (url: string) => new URL(url.replaceAll(/[{}]/g, '')).origin
