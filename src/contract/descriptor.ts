import type { Static, TObject, TSchema } from 'typebox'
import type { PermissionName, Scope } from './permissions.ts'
import { Type } from './schema/type.ts'

/** Reference to another resource by its id. */
export interface Reference {
  /** Allowed classes of the target. */
  readonly classes: readonly string[]
  /** On the wire: an integer, or an object `{id}`. */
  readonly form: 'id' | 'object'
  /** Effect of deleting the target: reject, delete the entry with the reference, or set the reference to null. */
  readonly onDelete: 'refuse' | 'remove' | 'clear'
}

/**
 * Custom keywords of field schemas, in addition to those of JSON Schema. The differ, the manifest reader,
 * the server and the printed reference all use them.
 */
export interface Annotations {
  /** The value references a resource. */
  readonly 'x-ref'?: Reference
  /** The value references a user or a group, as `{id}` on the wire and by keyname in a manifest. */
  readonly 'x-principal'?: true
  /** Members that identify an item of this list; if empty, the complete item does, and order is irrelevant. */
  readonly 'x-key'?: readonly string[]
  /** Member by which the server sorts the items of this list: their order in a request matters only where it is equal. */
  readonly 'x-order'?: string
  /** Items of this list name the key that they had before as `was:` in manifests. */
  readonly 'x-was'?: true
  /** Sibling that provides the default value. */
  readonly 'x-default-from'?: string
  /** Null lets the server detect the value, and equals any detected value. */
  readonly 'x-null-found'?: true
  /** Reason why the value cannot change in place. */
  readonly 'x-replace'?: string
  /** Data that a change loses. */
  readonly 'x-data'?: string
  /** Secret: never logged, shown or digested. */
  readonly 'x-secret'?: true
  /** The value determines where or how securely the sibling secret is sent: it changes only together with that secret. */
  readonly 'x-address'?: true
  /** The value is a class name, which dialects translate. */
  readonly 'x-class-name'?: true
  /** Equivalence of strings: scales ignore spacing, XML ignores layout, boundaries ignore the spelling of the WKT. */
  readonly 'x-form'?: 'scale' | 'xml' | 'boundary'
  /** The field exists on the wire only: manifests express it in another way, or do not need it. */
  readonly 'x-wire'?: true
  /** Extension of the original API: omitted in plain mode. */
  readonly 'x-extension'?: true
  /** Permission to read the field; defaults to `resource.read`. */
  readonly 'x-read'?: PermissionName
  /** Permission to change the field; defaults to `resource.update`. */
  readonly 'x-write'?: PermissionName
}

/** Source data of a class; requests send it as `source` of the member named after the class. */
export interface SourceData {
  /** Kind of data: features are counted and compared field by field before they are replaced, rasters are not. */
  readonly content: 'features' | 'raster'
  /** EPSG code of the coordinate reference system of the stored data. */
  readonly srs: number
  /** Fields of that member with load options; a manifest has them under `data:`. */
  readonly options: Readonly<Record<string, TSchema>>
  /** Required fields of that member for a resource without source; absent if the source is required. */
  readonly structure?: readonly string[]
}

/** Files of a class, which manifests name by their paths, and requests by their uploads. */
export interface ClassFiles {
  /** Field of the member named after the class that takes the uploads. */
  readonly field: string
  /** A list of files with names, which the field lists in responses too, or one file, whose size and digest are fields. */
  readonly form: 'list' | 'one'
  /** Maximum number of files. */
  readonly max: number
}

/** Storage of the member named after a class: a table of that name, with a column per field. */
export interface ClassTable {
  /** Fields that are not columns: request-only fields, and fields stored in other tables. */
  readonly omit?: readonly string[]
  /** Columns whose size counts towards the volume of a resource. */
  readonly volume?: readonly string[]
}

/** Link on the page of a resource, shown to callers with the permission of its route. */
export interface PageLink {
  /** Name of the operation. The resource provides `{id}` of its path. */
  readonly route: string
  readonly query?: string
  /** Link text. `{name}` is replaced by that field of the list item, see `each`. */
  readonly text: string
  /** List in the member named after the class: one link per item, whose fields fill the path and the text. */
  readonly each?: string
}

/** Address for other programs on the page of a resource, shown to callers with a permission. */
export interface ServiceAddress {
  /** Name of the operation. The resource provides `{id}` of its path. */
  readonly route: string
  /** Values of the other placeholders of the path. */
  readonly values?: Readonly<Record<string, string>>
  readonly name: string
  /** How to add it in QGIS: menu of the layer, and button. */
  readonly qgis: string
  readonly permission: PermissionName
}

/** Permission that requires another permission on another resource. */
export interface DataRequirement {
  readonly permission: PermissionName
  readonly requires: PermissionName
  /** The other resource: the connection of a layer, or the parent of a style. */
  readonly on: 'connection' | 'parent'
}

/** Declaration of a class of resources: data only; the server implements its behaviour. */
export interface ClassDescriptor {
  /** Label for people. */
  readonly label: string
  /** Description in one sentence. */
  readonly meaning: string
  readonly scopes: readonly Scope[]
  /** Allowed classes of the parent. */
  readonly parents: readonly string[]
  /** Interfaces, in the API's terms. */
  readonly interfaces: readonly string[]
  /** Sort order among siblings in listings, before the display name. */
  readonly order: number
  /** Wire members of the class, each an object schema. The first is named after the class. */
  readonly members: Readonly<Record<string, TObject>>
  /** Absent if the class has nothing to store, or is not stored in a table with a row per resource. */
  readonly table?: ClassTable
  /** Absent if the class has no source data. */
  readonly data?: SourceData
  /** Absent if the class has no files. */
  readonly files?: ClassFiles
  /** Field of the member named after the class that takes descriptions and attachments of features, by key. */
  readonly extensions?: string
  readonly links?: readonly PageLink[]
  readonly addresses?: readonly ServiceAddress[]
  readonly requires?: DataRequirement
}

/** Custom keywords, for the strict mode of Ajv. */
export const annotationKeywords: readonly (keyof Annotations)[] = [
  'x-ref',
  'x-principal',
  'x-key',
  'x-order',
  'x-was',
  'x-default-from',
  'x-null-found',
  'x-replace',
  'x-data',
  'x-secret',
  'x-address',
  'x-class-name',
  'x-form',
  'x-wire',
  'x-extension',
  'x-read',
  'x-write',
]

/** Reads the annotations of a schema. */
export function annotationsOf(
  schema: TSchema,
): Annotations & { readonly readOnly?: true; readonly writeOnly?: true } {
  return schema as Annotations & { readonly readOnly?: true; readonly writeOnly?: true }
}

/** Adds keywords to a schema; its values stay the same. */
export function annotate<T extends TSchema>(schema: T, words: Record<string, unknown>) {
  return Type.Unsafe<Static<T>>({ ...schema, ...words })
}

/** Returns a schema that also allows null. */
export function nullable<T extends TSchema>(schema: T, options: Record<string, unknown> = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** Returns a schema of an enumeration of strings. */
export function oneOf<const T extends readonly string[]>(words: T, options: Record<string, unknown> = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options })
}

/** Returns the schema of a reference written `{id}` on the wire. */
export function referenceObject(
  classes: readonly string[],
  options: Record<string, unknown> & { onDelete?: Reference['onDelete'] } = {},
) {
  const { onDelete = 'refuse', ...rest } = options
  return Type.Object({ id: Type.Integer() }, { ...rest, 'x-ref': { classes, form: 'object', onDelete } })
}

/** Returns the schema of a reference written as an integer on the wire. */
export function referenceId(
  classes: readonly string[],
  options: Record<string, unknown> & { onDelete?: Reference['onDelete'] } = {},
) {
  const { onDelete = 'remove', ...rest } = options
  return Type.Integer({ ...rest, 'x-ref': { classes, form: 'id', onDelete } })
}
