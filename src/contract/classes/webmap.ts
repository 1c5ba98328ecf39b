import type { Static } from 'typebox'
import { type ClassDescriptor, nullable, oneOf, referenceId } from '../descriptor.ts'
import { scaleField } from '../scale.ts'
import { Type } from '../type.ts'
import { featureLayerClasses, renderableClasses } from './style.ts'

/** A layer of a web map. */
export const WebmapLayerSchema = Type.Object({
  item_type: oneOf(['layer'], { description: 'What the item is.' }),
  display_name: Type.String({ minLength: 1, description: 'Name in the layer tree.' }),
  layer_style_id: referenceId(renderableClasses, { description: 'Style that draws it.' }),
  style_parent_id: Type.Optional(
    nullable(Type.Integer(), { 'x-wire': true, description: 'Accepted, and computed.' }),
  ),
  layer_adapter: Type.Optional(
    oneOf(['image', 'tile'], {
      default: 'tile',
      description: 'Whether it is fetched as one image or as tiles.',
    }),
  ),
  layer_enabled: Type.Optional(
    nullable(Type.Boolean(), { default: true, description: 'Whether it is checked at first.' }),
  ),
  layer_identifiable: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether a click finds its features.' }),
  ),
  draw_order_position: Type.Optional(
    nullable(Type.Integer(), {
      default: null,
      description: 'Place in the draw order, where that is enabled.',
    }),
  ),
  layer_min_scale_denom: scaleField('Smallest scale it is shown at, as "1 : 10000".'),
  layer_max_scale_denom: scaleField('Largest scale it is shown at, as "1 : 10000".'),
  layer_transparency: Type.Optional(
    nullable(Type.Number({ minimum: 0, maximum: 100 }), {
      default: null,
      description: 'Transparency in percent.',
    }),
  ),
  payload: Type.Optional(Type.Null({ 'x-wire': true, description: 'Accepted.' })),
})

/** A layer of a web map, as on the wire. */
export type WebmapLayer = Static<typeof WebmapLayerSchema>

/** A group of a web map, as on the wire. */
export interface WebmapGroup {
  item_type: 'group'
  display_name: string
  group_expanded?: boolean | null
  children: WebmapItem[]
}

/** An item of a web map's layer tree, as on the wire. */
export type WebmapItem = WebmapLayer | WebmapGroup

/** Most items of a web map's layer tree. */
export const maxWebmapItems = 5000

/** Deepest level of a web map's layer tree. */
export const maxWebmapDepth = 32

/** The items of one level of the layer tree; the reference reaches the levels below. */
const items = {
  type: 'array',
  items: { $ref: 'webmap_item' },
  maxItems: maxWebmapItems,
  description: `Items, from top to bottom; up to ${maxWebmapItems} in the whole tree, on up to ${maxWebmapDepth} levels.`,
}

/** A group or a layer of a web map. */
export const WebmapItemSchema = Type.Unsafe<WebmapItem>({
  $id: 'webmap_item',
  type: 'object',
  required: ['item_type'],
  discriminator: { propertyName: 'item_type' },
  oneOf: [
    WebmapLayerSchema,
    {
      type: 'object',
      required: ['item_type', 'display_name', 'children'],
      properties: {
        item_type: oneOf(['group'], { description: 'What the item is.' }),
        display_name: Type.String({ minLength: 1, description: 'Name in the layer tree.' }),
        group_expanded: nullable(Type.Boolean(), {
          default: false,
          description: 'Whether it is unfolded at first.',
        }),
        children: items,
      },
    },
  ],
})

/** Root of a web map's layer tree, as on the wire. */
export interface WebmapRoot {
  item_type: 'root'
  children: WebmapItem[]
}

const RootItemSchema = Type.Unsafe<WebmapRoot>({
  type: 'object',
  required: ['item_type', 'children'],
  properties: { item_type: oneOf(['root'], { description: 'What the item is.' }), children: items },
  default: { item_type: 'root', children: [] },
  description: 'Tree of groups and layers.',
})

const degrees = (limit: number, fallback: number, what: string) =>
  Type.Optional(
    nullable(Type.Number({ minimum: -limit, maximum: limit }), {
      default: fallback,
      description: `${what} of the initial extent, in degrees.`,
    }),
  )

/** One base map of a web map. */
export const BasemapSchema = Type.Object({
  opacity: Type.Optional(
    nullable(Type.Number({ minimum: 0, maximum: 1 }), { default: null, description: 'Opacity from 0 to 1.' }),
  ),
  enabled: Type.Optional(Type.Boolean({ default: true, description: 'Whether it can be chosen.' })),
  position: Type.Integer({ description: 'Place in the list.' }),
  display_name: Type.String({ minLength: 1, description: 'Name in the list.' }),
  resource_id: referenceId(['basemap_layer'], { description: 'The base map.' }),
})

/** Class webmap. */
export const webmap = {
  label: 'Web map',
  meaning: 'A map people look at: styles in a tree, with an initial extent.',
  scopes: ['resource', 'webmap', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 20,
  links: [{ route: 'webmap.display', text: 'Open the map' }],
  members: {
    webmap: Type.Object({
      extent_left: degrees(180, -180, 'Western edge'),
      extent_right: degrees(180, 180, 'Eastern edge'),
      extent_bottom: degrees(90, -90, 'Southern edge'),
      extent_top: degrees(90, 90, 'Northern edge'),
      draw_order_enabled: Type.Optional(
        nullable(Type.Boolean(), {
          default: null,
          description: 'Whether layers are drawn by their draw order position.',
        }),
      ),
      bookmark_resource: Type.Optional(
        nullable(referenceId(featureLayerClasses, { onDelete: 'clear' }), {
          default: null,
          description: 'Layer whose features are bookmarks.',
        }),
      ),
      root_item: Type.Optional(RootItemSchema),
    }),
    basemap_webmap: Type.Object({
      basemaps: Type.Optional(
        Type.Array(BasemapSchema, {
          maxItems: 200,
          default: [],
          'x-key': ['resource_id'],
          description: 'Base maps to choose from.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
