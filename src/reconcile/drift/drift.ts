import { isDeepStrictEqual } from 'node:util'
import { splitPointer } from '../../core/pointer.ts'
import type { Change, DataLoad, Edit } from '../model/change.ts'
import { byId, digestOrNull, featurePartOf, fieldOf, isPart } from '../model/edit_digest.ts'
import type { AppliedState, Apply } from './applied_state.ts'

/**
 * Where a difference comes from: the manifest changed since the last apply, or the server, or both, in different ways;
 * `unknown` if the journal does not say.
 */
export type Origin = (typeof origins)[number]

/** All origins, in display order. */
export const origins = ['manifest', 'server', 'both', 'unknown'] as const

/** A field that differs. */
export interface FieldDrift {
  /** Name, such as `vector_layer.srs`; `resource` for the whole of it, `data` for features and pixels. */
  readonly field: string
  readonly origin: Origin
  /** Difference from the server to the manifest; absent for the whole resource, and for data. */
  readonly edit?: Edit
  readonly data?: DataLoad
  /** Whether `--ignore` names it. */
  readonly isIgnored: boolean
  /** Whether it changes nothing that anyone sees: a style that draws the same, or white space in a text. */
  readonly isHarmless: boolean
}

/** A resource or record that differs. */
export interface ResourceDrift {
  readonly key: string
  readonly cls: string
  readonly path: readonly string[]
  /** The manifest, where it exists alone: `manifest` or `server`; else `both`. */
  readonly existsIn: 'manifest' | 'server' | 'both'
  readonly fields: readonly FieldDrift[]
  /** Last apply of this manifest that changed it. */
  readonly applied: Apply | undefined
  /** Last later apply of another manifest. */
  readonly later: Apply | undefined
}

/** What the differences of a resource are compared with. */
export interface DriftContext {
  readonly ignored: Ignored
  /** Ids of users and groups. */
  readonly ids: ReadonlyMap<string, number>
}

/** Tells where the differences of a change come from. */
export function driftOf(
  change: Change,
  state: AppliedState | undefined,
  { ignored, ids }: DriftContext,
): ResourceDrift {
  const { key, cls, path } = change
  const existsIn = change.action === 'create' ? 'manifest' : change.action === 'delete' ? 'server' : 'both'
  const fields = existsIn === 'both' ? fieldsOf(change, state, ids) : [wholeOf(existsIn, state)]
  return {
    ...{ key, cls, path, existsIn },
    fields: fields.map((field) => ({
      ...field,
      isIgnored: ignored(key, field.field),
      isHarmless: field.edit !== undefined && isHarmless(field.edit),
    })),
    applied: state?.apply,
    later: state?.later,
  }
}

/** Tells whether a field of a resource is ignored. */
export type Ignored = (key: string, field: string) => boolean

type Field = Omit<FieldDrift, 'isIgnored' | 'isHarmless'>

/** The server lost what an apply left, or the manifest has it anew. */
function wholeOf(existsIn: 'manifest' | 'server', state: AppliedState | undefined): Field {
  const isLost = existsIn === 'manifest' && state !== undefined && !state.isDeleted
  return { field: 'resource', origin: isLost ? 'server' : 'manifest' }
}

function fieldsOf(change: Change, state: AppliedState | undefined, ids: DriftContext['ids']): Field[] {
  const isUntouched = isSameVersion(change, state)
  const edits = change.edits.filter(({ released }) => !released)
  const fields: Field[] = edits.map((edit) => ({
    field: nameOf(edit),
    origin: originOfFeatures(edit, change, state) ?? (isUntouched ? 'manifest' : originOf(edit, state, ids)),
    edit,
  }))
  const { data } = change
  if (data !== undefined) fields.push({ field: 'data', origin: originOfData(data), data })
  return fields
}

function isHarmless({ style, secret, from, to }: Edit): boolean {
  if (style !== undefined) return style.length === 0
  if (secret || typeof from !== 'string' || typeof to !== 'string') return false
  const [old, next] = [from, to].map((text) => text.trim().split(/\s+/))
  return isDeepStrictEqual(old, next)
}

function isSameVersion({ version }: Change, state: AppliedState | undefined): boolean {
  return version !== undefined && version === state?.version
}

function originOf(edit: Edit, state: AppliedState | undefined, ids: DriftContext['ids']): Origin {
  const last = lastDigest(edit, state, ids)
  // Servers without a journal have the record on the resource.
  if (last === undefined) return edit.origin ?? 'unknown'
  if (isPart(edit)) return (last === null) === (edit.to === undefined) ? 'server' : 'manifest'
  // The journal has keys of references as they were; the record follows their renames.
  const is = (value: unknown) => last === digestOrNull(value) || last === digestOrNull(byId(edit, value, ids))
  if (is(edit.to) || edit.origin === 'server') return 'server'
  return is(edit.from) ? 'manifest' : (edit.origin ?? 'both')
}

/** Editing what a feature has is no new version of the layer. Undefined for other edits. */
function originOfFeatures(
  edit: Edit,
  { features }: Change,
  state: AppliedState | undefined,
): Origin | undefined {
  const part = featurePartOf(edit)
  if (part === undefined) return undefined
  const last = state?.digests[`/features/${part}`]
  const digests = features?.digests[part]
  if (last === undefined || digests === undefined) return 'unknown'
  if (last === digests.wanted) return 'server'
  return last === digests.there ? 'manifest' : 'both'
}

/** Returns the digest of what the last apply left; null if it left nothing, undefined if that is unknown. */
function lastDigest(
  edit: Edit,
  state: AppliedState | undefined,
  ids: DriftContext['ids'],
): string | null | undefined {
  if (edit.secret || state === undefined) return undefined
  // Earlier versions recorded names, and one of the memberships.
  const found = state.digests[fieldOf(edit, ids)] ?? state.digests[fieldOf(edit, new Map())]
  if (found !== undefined || !state.isWhole) return found
  if (isPart(edit)) return edit.pointer in state.digests ? undefined : null
  // Other fields have defaults.
  return /^\/(description$|resmeta\/)/.test(edit.pointer) ? null : undefined
}

function originOfData({ reason, edited }: DataLoad): Origin {
  if (edited === undefined) return reason === 'data changed on the server' ? 'server' : 'manifest'
  return reason === 'data changed on the server' ? 'server' : 'both'
}

const nameOf = ({ pointer }: Edit) => splitPointer(pointer).join('.')
