// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule, WebmapItem } from './block_types.ts'

/** Properties of `Webmap`. */
export interface WebmapProperties {
  /** Key, unique on the server; the name of the resource if absent. */
  readonly key?: string
  /** Whether the resource is protected from deletion, even after this block is removed. */
  readonly protect?: boolean
  /** Key of the parent resource; the root of the server if absent. */
  readonly parent?: string
  /** Display name; unique among siblings. */
  readonly display_name?: string
  /** Description, HTML. */
  readonly description?: string | null
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  readonly owner?: string
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  readonly permissions?: readonly (Rule)[] | {
    readonly include: readonly (Rule)[]
  }
  /** Metadata by key; null removes a key. */
  readonly resmeta?: { readonly [name: string]: string | number | boolean | null }
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  readonly unmanaged?: readonly (string)[]
  readonly webmap?: {
    /** Western edge of the initial extent, in degrees. */
    readonly extent_left?: number | null
    /** Eastern edge of the initial extent, in degrees. */
    readonly extent_right?: number | null
    /** Southern edge of the initial extent, in degrees. */
    readonly extent_bottom?: number | null
    /** Northern edge of the initial extent, in degrees. */
    readonly extent_top?: number | null
    /** Whether layers are drawn in the order of draw_order_position. */
    readonly draw_order_enabled?: boolean | null
    /** Layer whose features are the bookmarks of the map. */
    readonly bookmark_resource?: string | {
      readonly id: number
    } | null
    /** Tree of groups and layers. */
    readonly root_item?: {
      /** Type of the item. */
      readonly item_type: "root"
      /** Items, from top to bottom; at most 5000 in the whole tree, on at most 32 levels. */
      readonly children: readonly (WebmapItem)[]
    }
  }
  readonly basemap_webmap?: {
    /** Available base maps. */
    readonly basemaps?: readonly ({
      /** Opacity from 0 to 1. */
      readonly opacity?: number | null
      /** Whether it is shown first; of several, the first one is. */
      readonly enabled?: boolean
      /** Position in the list. */
      readonly position: number
      /** Name in the list. */
      readonly display_name: string
      /** Base map. */
      readonly resource_id: string | {
        readonly id: number
      }
    })[]
  }
}

/** An interactive map: a tree of layers with an initial extent. A map whose extent is the whole world, as by default, opens with the extent of its visible layers. */
export class Webmap extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<WebmapProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<WebmapProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<WebmapProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<WebmapProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<WebmapProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<WebmapProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<WebmapProperties['unmanaged']>
  declare readonly webmap: Output<WebmapProperties['webmap']>
  declare readonly basemap_webmap: Output<WebmapProperties['basemap_webmap']>

  constructor(name: string, args: Inputs<WebmapProperties>, options?: CustomResourceOptions) {
    super('webmap', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): Webmap {
    return new Webmap(name, {} as Inputs<WebmapProperties>, lookUp(id, options))
  }
}
