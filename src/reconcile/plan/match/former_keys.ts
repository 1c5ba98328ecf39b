import type { Manifest } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import { digestOwned, isAsRecorded, type OwnedFields, type RecordedFields } from '../../model/owned_fields.ts'
import type { Names } from '../../model/value_equality.ts'
import type { Match } from './match.ts'

/** Names before the renames of a plan. Digests of fields that refer to resources were recorded with these keys. */
export interface FormerKeys {
  /** Former keys by key. */
  readonly keys: ReadonlyMap<string, string>
  /** With the former keys, and the former names of users and groups. */
  readonly names: Names
}

/** Lists the keys before the renames of a plan; undefined if it renames nothing. */
export function listFormerKeys(
  { resources }: Manifest,
  { pairs }: Pick<Match, 'pairs'>,
  names: Names,
): FormerKeys | undefined {
  const keys = new Map<string, string>()
  for (const [key, { keyname }] of pairs)
    if (keyname !== null && keyname !== key && !resources.get(key)?.existing) keys.set(key, keyname)
  const { former } = names.principals
  if (keys.size === 0 && former === undefined) return undefined
  const keyOf = new Map([...names.keyOf].map(([id, key]) => [id, keys.get(key) ?? key] as const))
  return { keys, names: { ...names, keyOf, principals: former ?? names.principals } }
}

/** Where the digests of a resource's fields are compared with what they have. */
export interface FormerContext {
  readonly names: Names
  readonly owned: OwnedFields
  readonly former: FormerKeys | undefined
}

/**
 * Tells whether digests were recorded of values with names that the plan changes, as earlier versions did of users and groups.
 * They are recorded again in the apply that renames: afterwards, the former names are not known.
 */
export function recordsFormerKeys(
  recorded: RecordedFields | undefined,
  actual: ActualResource,
  { names, owned, former }: FormerContext,
): boolean {
  if (former === undefined || recorded === undefined || recorded.isEarlier) return false
  if (recorded.hasFormerNames) return true
  return [...recorded.fields].some(
    ([name, digest]) =>
      digest !== '' &&
      (refersToKeys(name) || name === 'owner' || name === 'permissions') &&
      owned.get(name) !== undefined &&
      isAsRecorded({ name, digest }, actual, former.names) === true &&
      isAsRecorded({ name, digest }, actual, names) === false,
  )
}

/** Tells whether a field may contain keys: only the parent and fields of members do. */
export function refersToKeys(name: string): boolean {
  return name === 'parent' || name.includes('.')
}

/**
 * Tells whether a field has the value on the server that a record has, with the names of now or with those before the renames;
 * undefined if the account cannot read it.
 */
export function isAsAnyRecorded(
  field: { readonly name: string; readonly digest: string },
  actual: ActualResource,
  { names, former }: FormerContext,
): boolean | undefined {
  const now = isAsRecorded(field, actual, names)
  return now === false && former !== undefined ? isAsRecorded(field, actual, former.names) : now
}

/** Digests what a manifest sets in a field: with its keys of now, and with those before the renames. */
export function digestsWanted(
  name: string,
  { cls }: ActualResource,
  { owned, names, former }: FormerContext,
): readonly string[] {
  const field = { name, find: owned.get(name), cls }
  const now = digestOwned(field, new Map(), names.principals)
  return former === undefined ? now : [...now, ...digestOwned(field, former.keys, former.names.principals)]
}
