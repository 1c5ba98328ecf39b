// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { Rule } from './block_types.ts'

/** Properties of `LookupTable`. */
export interface LookupTableProperties {
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
  readonly lookup_table?: {
    /** Value by key. Reading the table is enough to read them. */
    readonly items?: { readonly [name: string]: string }
    /** Sort order of the items: by key, by value, or custom. */
    readonly sort?: "KEY_ASC" | "KEY_DESC" | "VALUE_ASC" | "VALUE_DESC" | "CUSTOM"
    /** All keys in custom order; null for the order of items, where JSON objects put integer keys first. */
    readonly order?: readonly (string)[] | null
  }
}

/** Labels for coded field values. */
export class LookupTable extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<LookupTableProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<LookupTableProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<LookupTableProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<LookupTableProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<LookupTableProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<LookupTableProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<LookupTableProperties['unmanaged']>
  declare readonly lookup_table: Output<LookupTableProperties['lookup_table']>

  constructor(name: string, args: Inputs<LookupTableProperties>, options?: CustomResourceOptions) {
    super('lookup_table', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): LookupTable {
    return new LookupTable(name, {} as Inputs<LookupTableProperties>, lookUp(id, options))
  }
}
