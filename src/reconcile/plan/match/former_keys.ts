import type { Manifest } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import { digestOwned, isAsRecorded, type OwnedFields, type RecordedFields } from '../../model/owned_fields.ts'
import type { Names } from '../../model/value_equality.ts'
import type { Match } from './match.ts'

/** Keys before the renames of a plan. Digests of fields that refer to resources were recorded with these keys. */
export interface FormerKeys {
  /** Former keys by key. */
  readonly keys: ReadonlyMap<string, string>
  /** Names with the former keys. */
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
  if (keys.size === 0) return undefined
  const keyOf = new Map([...names.keyOf].map(([id, key]) => [id, keys.get(key) ?? key] as const))
  return { keys, names: { ...names, keyOf } }
}

/** Where the digests of a resource's fields are compared with what they have. */
export interface FormerContext {
  readonly names: Names
  readonly owned: OwnedFields
  readonly former: FormerKeys | undefined
}

/**
 * Tells whether digests were recorded of values with keys that the plan renames. They are recorded again in the apply that renames:
 * afterwards, nobody knows the former keys.
 */
export function recordsFormerKeys(
  recorded: RecordedFields | undefined,
  actual: ActualResource,
  { names, owned, former }: FormerContext,
): boolean {
  if (former === undefined || recorded === undefined || recorded.isEarlier) return false
  return [...recorded.fields].some(
    ([name, digest]) =>
      digest !== '' &&
      refers(name) &&
      owned.get(name) !== undefined &&
      isAsRecorded({ name, digest }, actual, former.names) === true &&
      isAsRecorded({ name, digest }, actual, names) === false,
  )
}

/** Only the parent and fields of members contain keys. */
const refers = (name: string) => name === 'parent' || name.includes('.')

/** Tells whether a field has the value on the server that a record has, with its keys of now or with those before the renames. */
export function isAsAnyRecorded(
  field: { readonly name: string; readonly digest: string },
  actual: ActualResource,
  { names, former }: FormerContext,
): boolean {
  if (isAsRecorded(field, actual, names)) return true
  return former !== undefined && isAsRecorded(field, actual, former.names) === true
}

/** Digests what a manifest sets in a field: with its keys of now, and with those before the renames. */
export function digestsWanted(
  name: string,
  { cls }: ActualResource,
  { owned, former }: FormerContext,
): readonly (string | undefined)[] {
  const field = { name, find: owned.get(name), cls }
  const now = digestOwned(field, new Map())
  return former === undefined ? [now] : [now, digestOwned(field, former.keys)]
}
