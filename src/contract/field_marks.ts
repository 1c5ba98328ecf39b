import type { MetadataValue } from './bodies/resource.ts'
import { type ManagerMarker, markerKeys } from './markers.ts'

/**
 * Fields that a manifest sets on a resource, by name, with a digest of the value that it set; the digest is empty where it is
 * unknown, and of secrets. After a colon, that of a map or list may have digests of its entries. Names are `description`,
 * `webmap.root_item`, and of parts of a list `permissions/<digest>`.
 */
export type SetFields = ReadonlyMap<string, string>

/** Maximum number of parts of a list in a mark; longer lists are recorded as a whole, as `permissions/*`. */
export const maxMarkedParts = 200

/** Returns the metadata item that records which fields of a resource a manifest sets. */
export function fieldMarkKey(manifest: string): string {
  return `${markerKeys.fields}${manifest}`
}

/**
 * Formats the value of a field mark: `17 description=Xw2_bK0e webmap webmap.root_item=s81kP-aQ`. The number is the id of the
 * resource, 0 in a creation request: a copy of the mark on another resource is ignored.
 */
export function formatFieldMark(id: number, fields: SetFields): string {
  const words = [...fields].map(([name, digest]) => (digest === '' ? name : `${name}=${digest}`))
  return [String(id), ...words.sort()].join(' ')
}

/** Parses a field mark; undefined if the value is none, or that of another resource. */
export function findFieldMark(id: number, value: unknown): SetFields | undefined {
  if (typeof value !== 'string') return undefined
  const [owner, ...words] = value.split(' ')
  if (owner !== String(id)) return undefined
  const fields = new Map<string, string>()
  for (const word of words) {
    const end = word.indexOf('=')
    if (end < 0) fields.set(word, '')
    else fields.set(word.slice(0, end), word.slice(end + 1))
  }
  return fields
}

/** New digests of fields, by name, and new names of fields. */
interface NewDigests {
  readonly digests: Readonly<Record<string, string>>
  readonly names: ReadonlyMap<string, string>
}

/** Replaces digests and names of fields in a mark; a field without a digest has none afterwards. */
export function withNewDigests(mark: string, { digests, names }: NewDigests): string {
  const [id = '', ...words] = mark.split(' ')
  const replaced = words.map((word) => {
    const [name = '', digest] = word.split('=')
    return digest === undefined ? (names.get(name) ?? name) : `${name}=${digests[name] ?? digest}`
  })
  return [id, ...replaced.sort()].join(' ')
}

/** Lists the manifests that have a field mark in metadata. */
export function listMarked(items: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(items).flatMap((key) =>
    key.startsWith(markerKeys.fields) ? [key.slice(markerKeys.fields.length)] : [],
  )
}

/** Fields of a manager marker that earlier versions wrote: names of blocks, without digests. */
export function earlierFields({ sets = [] }: Pick<ManagerMarker, 'sets'>): SetFields {
  return new Map(['display_name', 'parent', ...sets].map((name) => [name, '']))
}

type Items = Readonly<Record<string, MetadataValue>>

/** Fills in the id of a resource where its marks have 0, because clients do not know the id before creation. */
export function withOwnId(items: Items, id: number): Items {
  const filled = Object.entries(items).flatMap(([key, value]) =>
    typeof value === 'string' && beginsWithId(key) && unknownId.test(value)
      ? [[key, value.replace(unknownId, `$1${id}`)] as const]
      : [],
  )
  return filled.length === 0 ? items : { ...items, ...Object.fromEntries(filled) }
}

const beginsWithId = (key: string) =>
  key === markerKeys.manager || key === markerKeys.key || key.startsWith(markerKeys.fields)

const unknownId = /^([^/ ]+\/)?0(?= |$)/
