// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule } from './block_types.ts'

/** Properties of `WmsclientConnection`. */
export interface WmsclientConnectionProperties {
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
  readonly wmsclient_connection: {
    /** URL of the service, http or https, without credentials. A change requires a stored password in the same request. */
    readonly url: string
    /** User name. */
    readonly username?: string | null
    /** Password; never returned; null removes it. */
    readonly password?: string | null
    /** Version of WMS. */
    readonly version: "1.1.1" | "1.3.0"
  }
}

/** A connection to an external web map service. */
export class WmsclientConnection extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<WmsclientConnectionProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<WmsclientConnectionProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<WmsclientConnectionProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<WmsclientConnectionProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<WmsclientConnectionProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<WmsclientConnectionProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<WmsclientConnectionProperties['unmanaged']>
  declare readonly wmsclient_connection: Output<WmsclientConnectionProperties['wmsclient_connection']>

  constructor(name: string, args: Inputs<WmsclientConnectionProperties>, options?: CustomResourceOptions) {
    super('wmsclient_connection', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): WmsclientConnection {
    return new WmsclientConnection(name, {} as Inputs<WmsclientConnectionProperties>, lookUp(id, options))
  }
}
