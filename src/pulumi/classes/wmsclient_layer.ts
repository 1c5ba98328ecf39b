// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule } from './block_types.ts'

/** Properties of `WmsclientLayer`. */
export interface WmsclientLayerProperties {
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
  readonly wmsclient_layer: {
    /** Connection to the service. */
    readonly connection: string | {
      readonly id: number
    }
    /** Coordinate reference system of the requests. */
    readonly srs: {
      /** EPSG code. */
      readonly id: number
    }
    /** Layers of the service, separated by commas. */
    readonly wmslayers: string
    /** Media type of the images. */
    readonly imgformat: string
    /** Additional parameters of each request. */
    readonly vendor_params?: { readonly [name: string]: string }
  }
}

/** Layers of an external web map service. */
export class WmsclientLayer extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<WmsclientLayerProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<WmsclientLayerProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<WmsclientLayerProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<WmsclientLayerProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<WmsclientLayerProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<WmsclientLayerProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<WmsclientLayerProperties['unmanaged']>
  declare readonly wmsclient_layer: Output<WmsclientLayerProperties['wmsclient_layer']>

  constructor(name: string, args: Inputs<WmsclientLayerProperties>, options?: CustomResourceOptions) {
    super('wmsclient_layer', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): WmsclientLayer {
    return new WmsclientLayer(name, {} as Inputs<WmsclientLayerProperties>, lookUp(id, options))
  }
}
