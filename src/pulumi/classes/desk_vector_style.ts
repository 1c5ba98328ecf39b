// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule } from './block_types.ts'

/** Properties of `DeskVectorStyle`. */
export interface DeskVectorStyleProperties {
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
  readonly desk_vector_style?: {
    /** Content of the QML or SLD file; defaults to a simple style for the geometry type. */
    readonly qml?: string
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

/** A style for the features of a layer, as a QML or SLD file. */
export class DeskVectorStyle extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<DeskVectorStyleProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<DeskVectorStyleProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<DeskVectorStyleProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<DeskVectorStyleProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<DeskVectorStyleProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<DeskVectorStyleProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<DeskVectorStyleProperties['unmanaged']>
  declare readonly desk_vector_style: Output<DeskVectorStyleProperties['desk_vector_style']>
  declare readonly tile_cache: Output<DeskVectorStyleProperties['tile_cache']>

  constructor(name: string, args: Inputs<DeskVectorStyleProperties>, options?: CustomResourceOptions) {
    super('desk_vector_style', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): DeskVectorStyle {
    return new DeskVectorStyle(name, {} as Inputs<DeskVectorStyleProperties>, lookUp(id, options))
  }
}
