import { createHash } from 'node:crypto'
import { splitPointer } from '../../core/pointer.ts'
import { identifyLine } from './access_rules.ts'
import type { Change, Edit, FeaturePart } from './change.ts'
import { identify } from './principals.ts'

/** Digests of values by field; null for fields whose value was removed. */
export type Digests = Readonly<Record<string, string | null>>

/**
 * Digests the values that a change sets; descriptions and attachments of features together. Secrets have no digests, and released
 * fields keep their values, so that an edit of them may have none.
 *
 * @param ids ids of users and groups: names change
 */
export function digestsOf(change: Change, ids: PrincipalIds): Digests {
  const digests: Record<string, string | null> = {}
  for (const edit of withIdentity(change)) {
    if (edit.secret || edit.released || featurePartOf(edit) !== undefined) continue
    digests[fieldOf(edit, ids)] = digestOrNull(byId(edit, edit.to, ids))
  }
  for (const [part, { wanted }] of Object.entries(change.features?.digests ?? {}))
    digests[`/features/${part}`] = wanted
  return digests
}

/** Returns the part of the features that an edit changes, descriptions or attachments; undefined for other edits. */
export function featurePartOf({ pointer }: Pick<Edit, 'pointer'>): FeaturePart | undefined {
  const [top, part] = splitPointer(pointer)
  return top === 'features' ? (part as FeaturePart) : undefined
}

/** A creation lists neither the name nor the parent as edits. */
function withIdentity({ action, displayName, body, edits }: Change): readonly Edit[] {
  if (action !== 'create' && action !== 'replace') return edits
  const parent = body.resource?.parent
  return [
    { pointer: '/display_name', to: displayName },
    ...(typeof parent === 'string' ? [{ pointer: '/parent', to: parent }] : []),
    ...edits,
  ]
}

type PrincipalIds = ReadonlyMap<string, number>

/** Names what an edit changes: a field, or one of the rules or memberships, which are added and removed as a whole. */
export function fieldOf(edit: Edit, ids: PrincipalIds): string {
  const { pointer, from, to } = edit
  return isPart(edit) ? `${pointer}/${digestValue(byId(edit, to ?? from, ids))}` : pointer
}

/** Tells whether an edit adds or removes a rule, a member of a group, or a group of a user. */
export function isPart({ pointer }: Pick<Edit, 'pointer'>): boolean {
  return pointer !== '/owner' && namesPrincipal[pointer] !== undefined
}

/** Replaces the name of a user or group in a value by the id. */
export function byId({ pointer }: Pick<Edit, 'pointer'>, value: unknown, ids: PrincipalIds): unknown {
  const replace = namesPrincipal[pointer]
  return replace === undefined || typeof value !== 'string' ? value : replace(value, ids)
}

/** How to replace the name in the value of an edit, by pointer. */
const namesPrincipal: Readonly<Record<string, (value: string, ids: PrincipalIds) => string>> = {
  '/owner': identify,
  '/permissions': identifyLine,
  '/members': (name, ids) => identify(`user:${name}`, ids),
  '/member_of': (name, ids) => identify(`group:${name}`, ids),
}

/** Digests a value of a field; null if it has none. */
export function digestOrNull(value: unknown): string | null {
  return value === undefined || value === null || value === '' ? null : digestValue(value)
}

/** Digests a value, independent of the order of the members of objects. */
export function digestValue(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
    .slice(0, 32)
}

/** A digest for records that must be small, of 48 bits. */
export function shortDigest(value: unknown): string {
  return shortened(digestValue(value))
}

/** The short form of a digest of `digestValue`. */
export function shortened(digest: string): string {
  return Buffer.from(digest.slice(0, 12), 'hex').toString('base64url')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]),
  )
}
