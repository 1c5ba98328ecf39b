import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import { scaleDenominator } from '../../contract/scale.ts'
import type {
  ConfigItem,
  ConfigLayer,
  DegreeBox,
  LayerDrawing,
  WebmapConfig,
} from '../../contract/webmap_config.ts'
import type { Queryable } from '../../database/database.ts'
import type { ItemRow, WebmapRow } from '../../store/classes/webmap.ts'
import { findLayers, type Layer } from '../../store/layer/stored_layer.ts'
import { findResources, type ResourceRow } from '../../store/resource/resource_row.ts'
import type { Style } from '../../style/style_model.ts'
import { type Branches, branchesOf } from '../classes/webmap_item.ts'
import { sanitiseDescription } from '../resource/description.ts'
import { findStyles } from './stored_style.ts'

/** Input of a web map configuration. */
export interface ConfigSource {
  readonly map: WebmapRow
  readonly resource: Pick<ResourceRow, 'displayName' | 'description'>
  /** Permissions of the caller on the map, its styles and their layers. */
  readonly masks: ReadonlyMap<number, PermissionMask>
}

/** Lists the resources whose permissions determine the content: the map, its styles and their parents. */
export function listShownResources({ id, items }: WebmapRow): number[] {
  const ids = [id, ...items.flatMap(({ styleId, styleParentId }) => [styleId, styleParentId])]
  return [...new Set(ids.filter((id) => id !== null))]
}

/**
 * Reads the configuration of a web map page: the layers whose style and features the caller may read, and the groups that
 * contain any of them. Executes a constant number of statements.
 */
export async function readWebmapConfig(tx: Queryable, source: ConfigSource): Promise<WebmapConfig<Style>> {
  const { map, resource } = source
  const drawings = await readDrawings(tx, source)
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
    bookmarkLayerId: map.bookmarkResourceId,
    printMaxSize: 500,
    landform: { undrawn: listUndrawn(source, drawings) },
  }
}

function descriptionOf({ map, resource: { description }, masks }: ConfigSource): string | null {
  const shown = description !== null && hasPermission(masks.get(map.id) ?? 0, 'metadata.read')
  return shown ? sanitiseDescription(description) : null
}

interface Drawing extends LayerDrawing<Style> {
  readonly layerId: number
}

/** Reads the drawing of styles by style id. Omits styles of classes that cannot be drawn. */
async function readDrawings(tx: Queryable, { map, masks }: ConfigSource): Promise<Map<number, Drawing>> {
  const rows = map.items.filter((row) => isShown(row, masks))
  const layerIds = [...new Set(rows.map(({ styleParentId }) => styleParentId ?? 0))]
  const layers = await findLayers(tx, layerIds)
  const styles = await findStyles(
    tx,
    rows.map(({ styleId }) => styleId ?? 0),
  )
  const resources = new Map((await findResources(tx, layerIds)).map((row) => [row.id, row]))
  const drawings = new Map<number, Drawing>()
  for (const { styleId, styleParentId } of rows) {
    const layer = layers.get(styleParentId ?? 0)
    const parse = styles.get(styleId ?? 0)
    if (styleId === null || layer === undefined || parse === undefined) continue
    const mask = masks.get(layer.resourceId) ?? 0
    const { style, issues } = parse(layer)
    const undrawnParts = issues.slice(0, maxUndrawnParts).map(({ message }) => message)
    const attribution = hasPermission(mask, 'metadata.read')
      ? attributionOf(resources.get(layer.resourceId))
      : null
    drawings.set(styleId, { ...drawingOf(layer, mask), style, undrawnParts, attribution })
  }
  return drawings
}

/** Maximum number of messages about a style. */
const maxUndrawnParts = 20

/** Lists the display names of layers that the caller may read but whose style cannot be drawn. */
function listUndrawn({ map, masks }: ConfigSource, drawings: ReadonlyMap<number, Drawing>): string[] {
  return map.items
    .filter((row) => isShown(row, masks) && !drawings.has(row.styleId ?? 0))
    .flatMap(({ item }) => (item.item_type === 'layer' ? [item.display_name] : []))
}

// Requires data.read on both the style and its layer.
function isShown({ styleId, styleParentId }: ItemRow, masks: ConfigSource['masks']): boolean {
  return [styleId, styleParentId].every((id) => id !== null && hasPermission(masks.get(id) ?? 0, 'data.read'))
}

function drawingOf(
  layer: Layer,
  mask: PermissionMask,
): Omit<Drawing, 'style' | 'undrawnParts' | 'attribution'> {
  const fields = hasPermission(mask, 'datastruct.read') ? layer.fields : []
  return {
    layerId: layer.resourceId,
    geometryType: layer.geometryType,
    dataVersion: layer.dataVersion,
    fields: fields.map(({ keyname, displayName, datatype }) => ({ keyname, label: displayName, datatype })),
  }
}

/** Metadata keys of the attribution; the first one present applies. */
const attributionKeys = ['attribution', 'source', 'copyright']

function attributionOf(resource: ResourceRow | undefined): string | null {
  const values = attributionKeys.map((key) => resource?.metadata[key])
  const found = values.find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof found === 'string' ? found.trim() : null
}

interface ItemTree {
  readonly branches: Branches
  readonly drawings: ReadonlyMap<number, Drawing>
}

function configItems(tree: ItemTree, parentId: number | null): ConfigItem<Style>[] {
  return (tree.branches.get(parentId) ?? []).flatMap((row) => configItem(tree, row))
}

function configItem(tree: ItemTree, row: ItemRow): ConfigItem<Style>[] {
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

function configLayer({ id, styleId }: ItemRow, item: LayerItem, drawing: Drawing): ConfigLayer<Style> {
  const { layerId, ...landform } = drawing
  const identifiable = item.layer_identifiable ?? true
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
    legendInfo: { visible: 'collapse', has_legend: true },
    identification: identifiable ? { mode: 'feature_layer', resource: { id: layerId } } : null,
    landform,
  }
}

const denominator = (scale: string | number | null | undefined) =>
  scale === null || scale === undefined ? null : scaleDenominator(scale)

function listItems(items: readonly ConfigItem<Style>[]): ConfigItem<Style>[] {
  return items.flatMap((item) => (item.type === 'group' ? [item, ...listItems(item.children)] : [item]))
}

function extentOf({ extentLeft, extentBottom, extentRight, extentTop }: WebmapRow): DegreeBox {
  return [extentLeft ?? -180, extentBottom ?? -90, extentRight ?? 180, extentTop ?? 90]
}
