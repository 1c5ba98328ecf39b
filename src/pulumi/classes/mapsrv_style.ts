// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule } from './block_types.ts'

/** Properties of `MapsrvStyle`. */
export interface MapsrvStyleProperties {
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
  readonly mapsrv_style?: {
    /** Style as XML; defaults to a simple style for the geometry type. */
    readonly xml?: string
  }
  readonly tile_cache?: {
    /** Whether the server keeps drawn tiles on disk. They are drawn again when the style or the data changes. */
    readonly enabled?: boolean
    /** Whether images with the scale of a zoom level, and as many pixels as at most 100 tiles, are composed of kept tiles. They are moved to whole pixels of the tiles, by at most half a pixel. */
    readonly image_compose?: boolean
    /** Highest zoom level of kept tiles; null for all. */
    readonly max_z?: number | null
    /** Seconds after which tiles are drawn again at the latest; null for no limit. */
    readonly ttl?: number | null
  }
}

/** A style for the features of a layer, as MapServer XML. */
export class MapsrvStyle extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<MapsrvStyleProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<MapsrvStyleProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<MapsrvStyleProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<MapsrvStyleProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<MapsrvStyleProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<MapsrvStyleProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<MapsrvStyleProperties['unmanaged']>
  declare readonly mapsrv_style: Output<MapsrvStyleProperties['mapsrv_style']>
  declare readonly tile_cache: Output<MapsrvStyleProperties['tile_cache']>

  constructor(name: string, args: Inputs<MapsrvStyleProperties>, options?: CustomResourceOptions) {
    super('mapsrv_style', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): MapsrvStyle {
    return new MapsrvStyle(name, {} as Inputs<MapsrvStyleProperties>, lookUp(id, options))
  }
}
