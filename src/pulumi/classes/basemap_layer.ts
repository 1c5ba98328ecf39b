// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule } from './block_types.ts'

/** Properties of `BasemapLayer`. */
export interface BasemapLayerProperties {
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
  readonly basemap_layer?: {
    /** Address of the tiles, with {z}, {x} and {y}, or with {q}; either url or qms is required. */
    readonly url?: string | null
    /** Service of tiles: key or guid of a geoservice in the catalog, or a QMS description, a JSON object with url. */
    readonly qms?: string | null
    /** Attribution. */
    readonly copyright_text?: string | null
    /** Link of the attribution; an http or https URL. */
    readonly copyright_url?: string | null
    /** Minimum zoom level of the tiles. */
    readonly z_min?: number | null
    /** Maximum zoom level of the tiles. */
    readonly z_max?: number | null
  }
}

/** Tiles of an external service, shown below the layers of a map. */
export class BasemapLayer extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<BasemapLayerProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<BasemapLayerProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<BasemapLayerProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<BasemapLayerProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<BasemapLayerProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<BasemapLayerProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<BasemapLayerProperties['unmanaged']>
  declare readonly basemap_layer: Output<BasemapLayerProperties['basemap_layer']>

  constructor(name: string, args: Inputs<BasemapLayerProperties>, options?: CustomResourceOptions) {
    super('basemap_layer', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): BasemapLayer {
    return new BasemapLayer(name, {} as Inputs<BasemapLayerProperties>, lookUp(id, options))
  }
}
