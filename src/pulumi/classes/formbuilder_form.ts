// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { FileSource, Rule } from './block_types.ts'

/** Properties of `FormbuilderForm`. */
export interface FormbuilderFormProperties {
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
  /** File: a path relative to the program, or an asset. */
  readonly file?: FileSource | {
    readonly path: FileSource
  }
}

/** A form for entering features in the field. */
export class FormbuilderForm extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<FormbuilderFormProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<FormbuilderFormProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<FormbuilderFormProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<FormbuilderFormProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<FormbuilderFormProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<FormbuilderFormProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<FormbuilderFormProperties['unmanaged']>
  /** File: a path relative to the program, or an asset. */
  declare readonly file: Output<FormbuilderFormProperties['file']>

  constructor(name: string, args: Inputs<FormbuilderFormProperties>, options?: CustomResourceOptions) {
    super('formbuilder_form', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): FormbuilderForm {
    return new FormbuilderForm(name, {} as Inputs<FormbuilderFormProperties>, lookUp(id, options))
  }
}
