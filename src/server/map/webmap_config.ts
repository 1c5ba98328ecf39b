import { hasPermission } from '../../access/permission_mask.ts'
import type { ConfigItem, ConfigLayer, DegreeBox, WebmapConfig } from '../../contract/bodies/webmap_config.ts'
import { scaleDenominator } from '../../contract/scale.ts'
import type { PermissionSubject } from '../../store/access/permission_subject.ts'
import { findWebmaps, type ItemRow, type WebmapRow } from '../../store/classes/webmap.ts'
import { findResources, type ResourceRow } from '../../store/resource/resource_row.ts'
import { type Branches, branchesOf } from '../classes/webmap_item.ts'
import type { ServerContext } from '../context.ts'
import { sanitiseDescription } from '../resource/description.ts'
import { notFound } from '../resource/require_permission.ts'
import { findHomeExtent, isWorld, worldExtent } from './home_extent.ts'
import { type Drawing, type Masks, readDrawings } from './layer_drawing.ts'
import { readBasemaps } from './webmap_basemaps.ts'

interface MapResource {
  readonly map: WebmapRow
  readonly resource: ResourceRow
}

/**
 * Finds a web map.
 *
 * @throws {Problem} resource/not-found
 */
export async function findMap(
  { database }: Pick<ServerContext, 'database'>,
  id: number,
): Promise<MapResource> {
  const map = (await findWebmaps(database, [id])).get(id)
  const [resource] = await findResources(database, [id])
  if (map === undefined || resource === undefined) throw notFound(id)
  return { map, resource }
}

/**
 * Reads the configuration of a web map for a caller.
 *
 * @throws {Problem} resource/not-found
 */
export async function readOwnConfig(
  context: Pick<ServerContext, 'database' | 'permissions' | 'layerCaches'>,
  caller: PermissionSubject,
  id: number,
): Promise<WebmapConfig> {
  const { map, resource } = await findMap(context, id)
  const masks = await context.permissions.findMasks(caller, listShownResources(map))
  const config = await readWebmapConfig(context, { map, resource, masks })
  return isWorld(config.initialExtent)
    ? { ...config, initialExtent: await findHomeExtent(context, config) }
    : config
}

/** Input of a web map configuration. */
interface ConfigSource {
  readonly map: WebmapRow
  readonly resource: Pick<ResourceRow, 'displayName' | 'description'>
  /** Permissions of the caller on the resources that determine the content. */
  readonly masks: Masks
}

/** Lists the resources whose permissions determine the content: the map, its base maps, its styles and their parents, its bookmarks. */
export function listShownResources({ id, items, basemaps, bookmarkResourceId }: WebmapRow): number[] {
  const styles = items.flatMap(({ styleId, styleParentId }) => [styleId, styleParentId])
  const ids = [id, bookmarkResourceId, ...styles, ...basemaps.map(({ resourceId }) => resourceId)]
  return [...new Set(ids.filter((id) => id !== null))]
}

/**
 * Reads the configuration of a web map page: the layers whose style and features the caller may read, and the groups that
 * contain any of them. Executes a constant number of statements.
 */
async function readWebmapConfig(
  context: Pick<ServerContext, 'database' | 'layerCaches'>,
  source: ConfigSource,
): Promise<WebmapConfig> {
  const { map, resource, masks } = source
  const drawings = await readDrawings(context, map.items, masks)
  const basemaps = await readBasemaps(context.database, map, masks)
  const children = configItems({ branches: branchesOf(map.items), drawings }, null)
  const listed = listItems(children)
  return {
    webmapId: map.id,
    webmapTitle: resource.displayName,
    webmapDescription: descriptionOf(source),
    initialExtent: extentOf(map),
    constrainingExtent: null,
    rootItem: { type: 'root', id: 1, children },
    checkedItems: listed.filter((item) => item.type === 'layer' && item.visibility).map(({ id }) => id),
    expandedItems: listed.filter((item) => item.type === 'group' && item.expanded).map(({ id }) => id),
    mid: {
      adapter: [...new Set(listed.flatMap((item) => (item.type === 'layer' ? [item.adapter] : [])))],
      plugin: [],
    },
    annotations: { enabled: false, default: 'no', scope: { read: false, write: false, manage: false } },
    webmapPlugin: {},
    webmapEditable: false,
    webmapLegendVisible: 'collapse',
    drawOrderEnabled: map.drawOrderEnabled ?? false,
    measureSrsId: null,
    bookmarkLayerId: findBookmarkLayer(source),
    printMaxSize: 500,
    landform: { basemaps: basemaps.list, initialBasemap: basemaps.initial },
  }
}

function descriptionOf({ map, resource: { description }, masks }: ConfigSource): string | null {
  const shown = description !== null && hasPermission(masks.get(map.id) ?? 0, 'metadata.read')
  return shown ? sanitiseDescription(description) : null
}

/** The bookmarks are features of a layer, which not all readers of the map may see. */
function findBookmarkLayer({ map: { bookmarkResourceId: id }, masks }: ConfigSource): number | null {
  return id !== null && hasPermission(masks.get(id) ?? 0, 'data.read') ? id : null
}

interface ItemTree {
  readonly branches: Branches
  readonly drawings: ReadonlyMap<number, Drawing>
}

function configItems(tree: ItemTree, parentId: number | null): ConfigItem[] {
  return (tree.branches.get(parentId) ?? []).flatMap((row) => configItem(tree, row))
}

function configItem(tree: ItemTree, row: ItemRow): ConfigItem[] {
  const { id, item } = row
  if (item.item_type === 'layer') {
    const drawing = tree.drawings.get(row.styleId ?? 0)
    return drawing === undefined ? [] : [configLayer(row, item, drawing)]
  }
  const children = configItems(tree, id)
  if (children.length === 0) return []
  const expanded = item.group_expanded ?? false
  return [{ type: 'group', id, key: id, label: item.display_name, expanded, exclusive: false, children }]
}

type LayerItem = Extract<ItemRow['item'], { item_type: 'layer' }>

function configLayer({ id, styleId }: ItemRow, item: LayerItem, drawing: Drawing): ConfigLayer {
  const { layerId, isIdentifiable, hasLegend, ...landform } = drawing
  const identifiable = isIdentifiable && (item.layer_identifiable ?? true)
  const transparency = item.layer_transparency ?? null
  return {
    type: 'layer',
    id,
    key: id,
    label: item.display_name,
    layerId,
    styleId: styleId ?? 0,
    visibility: item.layer_enabled ?? true,
    identifiable,
    opacity: transparency === null ? null : (100 - transparency) / 100,
    minScaleDenom: denominator(item.layer_min_scale_denom),
    maxScaleDenom: denominator(item.layer_max_scale_denom),
    drawOrderPosition: item.draw_order_position ?? null,
    adapter: item.layer_adapter ?? 'tile',
    plugin: {},
    legendInfo: { visible: 'collapse', has_legend: hasLegend },
    identification: identifiable ? identificationOf(drawing) : null,
    landform,
  }
}

function identificationOf({ layerId, hasFeatures, hasExtent }: Drawing): ConfigLayer['identification'] {
  const isRaster = !hasFeatures && hasExtent
  return { mode: isRaster ? 'raster_layer' : 'feature_layer', resource: { id: layerId } }
}

const denominator = (scale: string | number | null | undefined) =>
  scale === null || scale === undefined ? null : scaleDenominator(scale)

function listItems(items: readonly ConfigItem[]): ConfigItem[] {
  return items.flatMap((item) => (item.type === 'group' ? [item, ...listItems(item.children)] : [item]))
}

function extentOf({ extentLeft, extentBottom, extentRight, extentTop }: WebmapRow): DegreeBox {
  const [west, south, east, north] = worldExtent
  return [extentLeft ?? west, extentBottom ?? south, extentRight ?? east, extentTop ?? north]
}
