import type { Static } from 'typebox'
import { type ClassDescriptor, nullable, oneOf, referenceId } from '../descriptor.ts'
import { scaleField } from '../scale.ts'
import { Type } from '../schema/type.ts'
import { featureLayerClasses, renderableClasses } from './style.ts'

/** A layer of a web map. */
export const WebmapLayerSchema = Type.Object({
  item_type: oneOf(['layer'], { description: 'Type of the item.' }),
  display_name: Type.String({ minLength: 1, description: 'Name in the layer tree.' }),
  layer_style_id: referenceId(renderableClasses, { description: 'Style or layer to show.' }),
  style_parent_id: Type.Optional(
    nullable(Type.Integer(), {
      'x-wire': true,
      description: 'Computed by the server; accepted and ignored.',
    }),
  ),
  layer_adapter: Type.Optional(
    oneOf(['image', 'tile'], {
      default: 'tile',
      description: 'Whether it is requested as one image or as tiles.',
    }),
  ),
  layer_enabled: Type.Optional(
    nullable(Type.Boolean(), { default: true, description: 'Whether it is initially visible.' }),
  ),
  layer_identifiable: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether its features can be identified with a click.' }),
  ),
  draw_order_position: Type.Optional(
    nullable(Type.Integer(), {
      default: null,
      description: 'Position in the draw order, if draw_order_enabled is true.',
    }),
  ),
  layer_min_scale_denom: scaleField('Minimum scale, as "1 : 10000".'),
  layer_max_scale_denom: scaleField('Maximum scale, as "1 : 10000".'),
  layer_transparency: Type.Optional(
    nullable(Type.Number({ minimum: 0, maximum: 100 }), {
      default: null,
      description: 'Transparency in percent.',
    }),
  ),
  payload: Type.Optional(Type.Null({ 'x-wire': true, description: 'Accepted and ignored.' })),
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

/** Maximum number of items in the layer tree of a web map. */
export const maxWebmapItems = 5000

/** Maximum depth of the layer tree of a web map. */
export const maxWebmapDepth = 32

/** Items of one level of the layer tree; the `$ref` is recursive. */
const items = {
  type: 'array',
  items: { $ref: 'webmap_item' },
  maxItems: maxWebmapItems,
  description: `Items, from top to bottom; at most ${maxWebmapItems} in the whole tree, on at most ${maxWebmapDepth} levels.`,
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
        item_type: oneOf(['group'], { description: 'Type of the item.' }),
        display_name: Type.String({ minLength: 1, description: 'Name in the layer tree.' }),
        group_expanded: nullable(Type.Boolean(), {
          default: false,
          description: 'Whether it is initially expanded.',
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
  properties: { item_type: oneOf(['root'], { description: 'Type of the item.' }), children: items },
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
  enabled: Type.Optional(
    Type.Boolean({ default: true, description: 'Whether it is shown first; of several, the first one is.' }),
  ),
  position: Type.Integer({ description: 'Position in the list.' }),
  display_name: Type.String({ minLength: 1, description: 'Name in the list.' }),
  resource_id: referenceId(['basemap_layer'], { description: 'Base map.' }),
})

/** Class webmap. */
export const webmap = {
  label: 'Web map',
  meaning:
    'An interactive map: a tree of layers with an initial extent. A map whose extent is the whole world, as by default, opens with the extent of its visible layers.',
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
          description: 'Whether layers are drawn in the order of draw_order_position.',
        }),
      ),
      bookmark_resource: Type.Optional(
        nullable(referenceId(featureLayerClasses, { onDelete: 'clear' }), {
          default: null,
          description: 'Layer whose features are the bookmarks of the map.',
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
          'x-order': 'position',
          description: 'Available base maps.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
