// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule } from './block_types.ts'

/** Properties of `WmsserverService`. */
export interface WmsserverServiceProperties {
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
  readonly wmsserver_service: {
    /** Published layers, from top to bottom where all are shown at once, as by TileJSON. */
    readonly layers: readonly ({
      /** Name of the layer in the service; ASCII without spaces. */
      readonly keyname: string
      /** Title of the layer. */
      readonly display_name: string
      /** Style or layer to publish. */
      readonly resource_id: string | {
        readonly id: number
      }
      /** Minimum scale, as "1 : 100000". */
      readonly min_scale_denom?: string | number | null
      /** Maximum scale, as "1 : 100000". */
      readonly max_scale_denom?: string | number | null
    })[]
  }
}

/** Styles published as a web map service. */
export class WmsserverService extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<WmsserverServiceProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<WmsserverServiceProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<WmsserverServiceProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<WmsserverServiceProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<WmsserverServiceProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<WmsserverServiceProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<WmsserverServiceProperties['unmanaged']>
  declare readonly wmsserver_service: Output<WmsserverServiceProperties['wmsserver_service']>

  constructor(name: string, args: Inputs<WmsserverServiceProperties>, options?: CustomResourceOptions) {
    super('wmsserver_service', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): WmsserverService {
    return new WmsserverService(name, {} as Inputs<WmsserverServiceProperties>, lookUp(id, options))
  }
}
