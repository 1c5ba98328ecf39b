import { annotationsOf } from '../../contract/descriptor.ts'
import { targetOf } from '../../contract/schema/references.ts'
import { findSchemaFor, type Schema } from '../../contract/schema/schema.ts'
import { isObject } from '../../core/is_object.ts'
import { shortDigest } from './edit_digest.ts'

/** Entries of a map, or items of a list with a key, by name and in the order of the value. */
export type Entries = ReadonlyMap<string, unknown>

/**
 * Returns the entries of a value; undefined if it is neither a map nor a list with unique keys of texts. Values without a schema are
 * metadata, and rules as lines.
 */
export function entriesOf(schema: Schema | undefined, value: unknown): Entries | undefined {
  if (schema === undefined)
    return isLines(value)
      ? new Map(value.map((line) => [line, line]))
      : isObject(value)
        ? new Map(Object.entries(value))
        : undefined
  const fitting = findSchemaFor(schema, value) ?? schema
  const words = annotationsOf(fitting)
  if (Array.isArray(value)) return indexItems(value, words['x-key'] ?? [])
  const isMap = isObject(value) && fitting.properties === undefined && targetOf(words) === undefined
  return isMap ? new Map(Object.entries(value)) : undefined
}

const isLines = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((line) => typeof line === 'string')

/** Returns the items of a list by their key; undefined if the value is no list with unique keys of texts. */
export function indexItems(
  value: unknown,
  keys: readonly string[],
): ReadonlyMap<string, unknown> | undefined {
  if (keys.length === 0 || !Array.isArray(value)) return undefined
  const items = new Map<string, unknown>()
  for (const item of value as readonly Readonly<Record<string, unknown>>[]) {
    const names = keys.map((key) => item[key])
    if (!names.every((name) => typeof name === 'string')) return undefined
    items.set(names.join(' '), item)
  }
  return items.size === value.length ? items : undefined
}

/** Maximum number of entries with digests in a record; larger collections are recorded as a whole. */
export const maxRecordedEntries = 500

const digestLength = 5

/** Digest of a text or value in a record of entries, of 30 bits. */
const brief = (value: unknown) => shortDigest(value).slice(0, digestLength)

/** Formats the record of the entries of a value, which follows the digest of the value; empty if it has none, or too many. */
export function formatEntries(entries: Entries | undefined): string {
  if (entries === undefined || entries.size > maxRecordedEntries) return ''
  return `:${[...entries].map(([name, value]) => brief(name) + brief(value)).join('')}`
}

/** Removes the record of entries from the digest of a value. */
export function withoutEntries(digest: string): string {
  const [whole = ''] = digest.split(':', 1)
  return whole
}

/** The two sides of a collection that differs from what a record has. */
export interface EntrySides {
  /** Digest with the record of the entries. */
  readonly digest: string
  readonly there: Entries
  readonly wanted: Entries
}

/**
 * Tells whether the manifest, the server or both changed an entry since it was recorded, or the order if no entry is named; undefined
 * if the record does not say.
 */
export function originOfEntry(
  name: string | undefined,
  { digest, there, wanted }: EntrySides,
): 'manifest' | 'server' | 'both' | undefined {
  const recorded = parseEntries(digest)
  if (recorded === undefined) return undefined
  if (name === undefined) return originOfOrder(recorded, there, wanted)
  if (!there.has(name) && !wanted.has(name)) return undefined
  const last = recorded.get(brief(name))
  const digestIn = (entries: Entries) => (entries.has(name) ? brief(entries.get(name)) : undefined)
  if (last === digestIn(there)) return 'manifest'
  return last === digestIn(wanted) ? 'server' : 'both'
}

/** Tells whether a record has an entry; undefined if it does not list its entries. */
export function hasRecordedEntry(digest: string, name: string): boolean | undefined {
  return parseEntries(digest)?.has(brief(name))
}

function parseEntries(digest: string): ReadonlyMap<string, string> | undefined {
  const [, entries] = digest.split(':')
  if (entries === undefined) return undefined
  const size = 2 * digestLength
  const words = Array.from({ length: entries.length / size }, (_, at) =>
    entries.slice(at * size, (at + 1) * size),
  )
  return new Map(words.map((word) => [word.slice(0, digestLength), word.slice(digestLength)]))
}

function originOfOrder(recorded: ReadonlyMap<string, string>, there: Entries, wanted: Entries) {
  const order = (entries: Entries) =>
    [...entries.keys()]
      .filter((name) => there.has(name) && wanted.has(name))
      .map(brief)
      .filter((name) => recorded.has(name))
      .join()
  const shared = new Set([...there.keys()].filter((name) => wanted.has(name)).map(brief))
  const last = [...recorded.keys()].filter((name) => shared.has(name)).join()
  if (last === order(there)) return 'manifest'
  return last === order(wanted) ? 'server' : 'both'
}
