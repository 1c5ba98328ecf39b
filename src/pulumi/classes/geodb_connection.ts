// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule } from './block_types.ts'

/** Properties of `GeodbConnection`. */
export interface GeodbConnectionProperties {
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
  readonly geodb_connection: {
    /** Host name or IP address. A change requires the password in the same request. */
    readonly hostname: string
    /** Port; defaults to 5432. A change requires the password in the same request. */
    readonly port?: number | string | null
    /** Name of the database. */
    readonly database: string
    /** User name. */
    readonly username: string
    /** Password. */
    readonly password: string
    /** SSL mode, as in libpq; null means prefer. A change requires the password in the same request. */
    readonly sslmode?: "disable" | "allow" | "prefer" | "require" | "verify-ca" | "verify-full" | null
  }
}

/** A connection to a PostGIS database. */
export class GeodbConnection extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<GeodbConnectionProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<GeodbConnectionProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<GeodbConnectionProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<GeodbConnectionProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<GeodbConnectionProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<GeodbConnectionProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<GeodbConnectionProperties['unmanaged']>
  declare readonly geodb_connection: Output<GeodbConnectionProperties['geodb_connection']>

  constructor(name: string, args: Inputs<GeodbConnectionProperties>, options?: CustomResourceOptions) {
    super('geodb_connection', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): GeodbConnection {
    return new GeodbConnection(name, {} as Inputs<GeodbConnectionProperties>, lookUp(id, options))
  }
}
