// Printed from the contract by `npm run docs`. Do not edit.
import type { CustomResourceOptions, Output } from '@pulumi/pulumi'
import { type Inputs, LandformResource, lookUp } from '../landform_resource.ts'
import type { FileSource, Rule } from './block_types.ts'

/** Properties of `FileBucket`. */
export interface FileBucketProperties {
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
  /** All files: assets, and paths or patterns (plans/*.pdf, photos/**\/*.jpg), relative to the program. Files that match a pattern keep their path below the folder before its first wildcard. */
  readonly files?: readonly (FileSource | {
    /** Path or pattern, relative to the program, or an asset. */
    readonly path: FileSource
    /** Path on the server; defaults to the name of the file. Not for patterns. */
    readonly name?: string
    /** Folder on the server of the files that match a pattern. */
    readonly folder?: string
    /** Media type; the server derives it from the name if absent. */
    readonly mime_type?: string
  })[]
}

/** A set of files to download. */
export class FileBucket extends LandformResource {
  /** Whether the resource is protected from deletion, even after this block is removed. */
  declare readonly protect: Output<FileBucketProperties['protect']>
  /** Key of the parent resource; the root of the server if absent. */
  declare readonly parent: Output<FileBucketProperties['parent']>
  /** Display name; unique among siblings. */
  declare readonly display_name: Output<string>
  /** Description, HTML. */
  declare readonly description: Output<FileBucketProperties['description']>
  /** Owner of the resource. A keyname: guest, user:anna or group:editors. */
  declare readonly owner: Output<FileBucketProperties['owner']>
  /** Permission rules. A list replaces all rules of the resource; include adds its rules and keeps the others. */
  declare readonly permissions: Output<FileBucketProperties['permissions']>
  /** Metadata by key; null removes a key. */
  declare readonly resmeta: Output<FileBucketProperties['resmeta']>
  /** Fields that stay as they are on the server, although the manifest has set them before: description, webmap.extent_top, or webmap for all fields of it. With children, no resource below the block is deleted because the manifest does not describe it. */
  declare readonly unmanaged: Output<FileBucketProperties['unmanaged']>
  /** All files: assets, and paths or patterns (plans/*.pdf, photos/**\/*.jpg), relative to the program. Files that match a pattern keep their path below the folder before its first wildcard. */
  declare readonly files: Output<FileBucketProperties['files']>

  constructor(name: string, args: Inputs<FileBucketProperties>, options?: CustomResourceOptions) {
    super('file_bucket', name, { args, options })
  }

  /** Returns an existing resource without managing it, by key, id or path. */
  static get(name: string, id: string, options?: CustomResourceOptions): FileBucket {
    return new FileBucket(name, {} as Inputs<FileBucketProperties>, lookUp(id, options))
  }
}
