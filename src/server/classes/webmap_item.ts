import type { Static, TObject } from 'typebox'
import {
  BasemapSchema,
  type WebmapGroup,
  type WebmapItem,
  type WebmapLayer,
  WebmapLayerSchema,
} from '../../contract/classes/webmap.ts'
import { formatScale } from '../../contract/scale.ts'
import type { BasemapRow, ItemRow } from '../../store/classes/webmap.ts'

/** Rows of a layer tree by their group; null for the top level. */
export type Branches = ReadonlyMap<number | null, readonly ItemRow[]>

/** Groups the rows of a layer tree by their group, siblings in order. */
export function branchesOf(rows: readonly ItemRow[]): Branches {
  const branches = Map.groupBy(rows, ({ parentId }) => parentId)
  for (const siblings of branches.values()) siblings.sort((a, b) => a.position - b.position)
  return branches
}

/** Encodes a layer tree for answers: all members, with defaults. */
export function wireItems(branches: Branches, parentId: number | null = null): WebmapItem[] {
  return (branches.get(parentId) ?? []).map((row) => wireItem(branches, row))
}

/** Normalises an item and its children: removes unknown members, and formats scales as in answers. */
export function normaliseItem(item: WebmapItem): WebmapItem {
  return item.item_type === 'group' ? normaliseGroup(item) : normaliseLayer(item)
}

/** Encodes a base map for answers. */
export function wireBasemap({ resourceId, item }: BasemapRow): WireBasemap {
  const { position = 0, display_name: name = '', ...rest } = item as Partial<WireBasemap>
  return { ...basemapDefaults, ...rest, position, display_name: name, resource_id: resourceId }
}

type WireBasemap = Static<typeof BasemapSchema>

const layerDefaults = defaultsOf(WebmapLayerSchema)
const basemapDefaults = defaultsOf(BasemapSchema)

/** Members of a layer that clients write; the others are computed. */
const layerFields = Object.keys(WebmapLayerSchema.properties).filter(
  (name) => name !== 'style_parent_id' && name !== 'payload',
)

function wireItem(branches: Branches, { id, item, styleId, styleParentId }: ItemRow): WebmapItem {
  if (item.item_type === 'group') return { group_expanded: false, ...item, children: wireItems(branches, id) }
  return {
    ...layerDefaults,
    ...item,
    layer_style_id: styleId ?? 0,
    style_parent_id: styleParentId,
    payload: null,
  }
}

function normaliseGroup({ display_name, group_expanded, children }: WebmapGroup): WebmapGroup {
  return {
    item_type: 'group',
    display_name,
    group_expanded: group_expanded ?? false,
    children: children.map(normaliseItem),
  }
}

function normaliseLayer(item: WebmapLayer): WebmapLayer {
  const given = Object.entries(item).filter(([name]) => layerFields.includes(name))
  const { layer_min_scale_denom: min, layer_max_scale_denom: max } = item
  return {
    ...(Object.fromEntries(given) as WebmapLayer),
    ...(min === undefined || min === null ? {} : { layer_min_scale_denom: formatScale(min) }),
    ...(max === undefined || max === null ? {} : { layer_max_scale_denom: formatScale(max) }),
  }
}

/** Returns the defaults of the contract for the members of an object. */
function defaultsOf({ properties }: TObject): Readonly<Record<string, unknown>> {
  const entries = Object.entries(properties).map(([name, schema]) => [
    name,
    (schema as { default?: unknown }).default,
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
