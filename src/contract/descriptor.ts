import type { Static, TObject, TSchema } from 'typebox'
import type { PermissionName, Scope } from './permissions.ts'
import { Type } from './type.ts'

/** A value that names another resource by its id. */
export interface Reference {
  /** Classes it may point at. */
  readonly classes: readonly string[]
  /** On the wire: a bare integer, or an object `{id}`. */
  readonly form: 'id' | 'object'
  /** What deleting the target does: refuse, take the entry that holds the reference away, or set it to null. */
  readonly onDelete: 'refuse' | 'remove' | 'clear'
}

/**
 * The words a field's schema may carry besides JSON Schema's own. The differ, the manifest reader,
 * the server and the printed reference all read them from here.
 */
export interface Annotations {
  /** Points at a resource. */
  readonly 'x-ref'?: Reference
  /** Points at a user or a group, as `{id}` on the wire and by keyname in a manifest. */
  readonly 'x-principal'?: true
  /** Members that identify an item of this list; the empty list means: the whole item, order is irrelevant. */
  readonly 'x-key'?: readonly string[]
  /** Sibling whose value stands in where this one is absent. */
  readonly 'x-default-from'?: string
  /** Null leaves the value to the server: it is the same as any value that the server found. */
  readonly 'x-null-found'?: true
  /** Cannot change in place; the text says why. */
  readonly 'x-replace'?: string
  /** Changing it loses data; the text says what. */
  readonly 'x-data'?: string
  /** Never logged, shown or digested. */
  readonly 'x-secret'?: true
  /** Says where, or how well protected, the secret beside it is sent: it changes only together with that secret. */
  readonly 'x-address'?: true
  /** The value is a class name and is translated by the dialect. */
  readonly 'x-class-name'?: true
  /** What two texts mean the same by: a scale however it is spaced, XML however it is laid out. */
  readonly 'x-form'?: 'scale' | 'xml'
  /** Belongs to the wire only: manifests have their own way to say it, or no use for it. */
  readonly 'x-wire'?: true
  /** Beyond the documents: a server that behaves like the original leaves it out. */
  readonly 'x-extra'?: true
  /** Permission that shows the field; `resource.read` where absent. */
  readonly 'x-read'?: PermissionName
  /** Permission that changes the field; `resource.update` where absent. */
  readonly 'x-write'?: PermissionName
}

/** Source data of a class, which a request brings as `source` of the member named after the class. */
export interface SourceData {
  /** Features are counted and compared field by field before they are replaced; a raster is replaced as a whole. */
  readonly content: 'features' | 'raster'
  /** EPSG code of the reference system the server stores loaded data in. */
  readonly srs: number
  /** Fields of that member that say how the source is read; a manifest writes them under `data:`. */
  readonly options: Readonly<Record<string, TSchema>>
  /** Fields of that member a resource needs where it has no source; absent where the source is required. */
  readonly structure?: readonly string[]
}

/** Storage of the member named after a class: one table of that name, with a column for each field. */
export interface ClassTable {
  /** Fields that are not columns: they only arrive in requests, or are stored elsewhere. */
  readonly omit?: readonly string[]
  /** Columns whose text counts in the volume of a resource. */
  readonly volume?: readonly string[]
}

/** A link on the page of a resource, shown to callers who have the permission of its route. */
export interface PageLink {
  /** Name of the operation. Its path takes `{id}` from the resource. */
  readonly route: string
  readonly query?: string
  /** Link text. `{name}` stands for a field of the list item, see `each`. */
  readonly text: string
  /** List of the member named after the class: one link for each item, whose fields fill the path and the text. */
  readonly each?: string
}

/** A permission that counts only while the caller has a permission on another resource. */
export interface DataRequirement {
  readonly permission: PermissionName
  readonly requires: PermissionName
  /** The other resource: the connection of a layer, or the parent of a style. */
  readonly on: 'connection' | 'parent'
}

/** Everything that is known about a class of resources. Data only: what a class does is the server's. */
export interface ClassDescriptor {
  /** Label for people. */
  readonly label: string
  /** What it is, one sentence. */
  readonly meaning: string
  readonly scopes: readonly Scope[]
  /** Classes it may stand under. */
  readonly parents: readonly string[]
  /** What clients may do with it, in the words of the API. */
  readonly interfaces: readonly string[]
  /** Place among siblings in listings; then the display name decides. */
  readonly order: number
  /** Wire members of its own, each an object schema. The first is named after the class. */
  readonly members: Readonly<Record<string, TObject>>
  /** Absent where the class has nothing to store, or is stored in another form. */
  readonly table?: ClassTable
  /** Absent where the class takes no source data. */
  readonly data?: SourceData
  readonly links?: readonly PageLink[]
  readonly requires?: DataRequirement
}

/** Words of ours that Ajv's strict mode has to know. */
export const annotationKeywords: readonly (keyof Annotations)[] = [
  'x-ref',
  'x-principal',
  'x-key',
  'x-default-from',
  'x-null-found',
  'x-replace',
  'x-data',
  'x-secret',
  'x-address',
  'x-class-name',
  'x-form',
  'x-wire',
  'x-extra',
  'x-read',
  'x-write',
]

/** Reads the annotations of a schema. */
export function annotationsOf(
  schema: TSchema,
): Annotations & { readonly readOnly?: true; readonly writeOnly?: true } {
  return schema as Annotations & { readonly readOnly?: true; readonly writeOnly?: true }
}

/** Gives a schema with further words; its values stay the same. */
export function annotate<T extends TSchema>(schema: T, words: Record<string, unknown>) {
  return Type.Unsafe<Static<T>>({ ...schema, ...words })
}

/** Gives a schema that also takes null. */
export function nullable<T extends TSchema>(schema: T, options: Record<string, unknown> = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** Gives a schema of one of the given words. */
export function oneOf<const T extends readonly string[]>(words: T, options: Record<string, unknown> = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...options })
}

/** A reference written `{id}` on the wire. */
export function referenceObject(
  classes: readonly string[],
  options: Record<string, unknown> & { onDelete?: Reference['onDelete'] } = {},
) {
  const { onDelete = 'refuse', ...rest } = options
  return Type.Object({ id: Type.Integer() }, { ...rest, 'x-ref': { classes, form: 'object', onDelete } })
}

/** A reference written as a bare integer on the wire. */
export function referenceId(
  classes: readonly string[],
  options: Record<string, unknown> & { onDelete?: Reference['onDelete'] } = {},
) {
  const { onDelete = 'remove', ...rest } = options
  return Type.Integer({ ...rest, 'x-ref': { classes, form: 'id', onDelete } })
}
