import type { JournalEntry } from '../contract/bodies/journal.ts'
import type { Issue } from '../core/issue.ts'
import { findHint } from '../core/suggest.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { labelOf } from '../reconcile/model/actual_tree.ts'
import type { Plan } from '../reconcile/model/change.ts'
import type { PlanOptions } from '../reconcile/model/plan_input.ts'
import type { UndoOptions } from '../reconcile/undo/plan_undo.ts'

/** Options that name keys of the manifest, and those that name resources of the server too. */
const manifestKeys = ['replace', 'overwriteData', 'sendSecrets', 'take'] as const
const anyKeys = ['allowDelete', 'allowLoss'] as const

const flags = {
  replace: '--replace',
  overwriteData: '--overwrite-data',
  sendSecrets: '--send-secrets',
  take: '--take',
  only: '--only',
  allowDelete: '--allow-delete',
  allowLoss: '--allow-loss',
  overwrite: '--overwrite',
} as const

/** A key in an option that names nothing. */
export interface UnknownKey {
  readonly option: keyof typeof flags
  readonly key: string
  /** Keys that the option could name. */
  readonly known: ReadonlySet<string>
}

/** Reports options with keys that neither the manifest nor the server has: what they should allow stays forbidden. */
export function checkKeys(plan: Plan, manifest: Manifest, options: PlanOptions): Issue[] {
  return reportUnknownKeys(findUnknownKeys(plan, manifest, options), new Set())
}

/** Finds the keys in options that neither the manifest nor the server has. */
export function findUnknownKeys(plan: Plan, manifest: Manifest, options: PlanOptions): UnknownKey[] {
  const declared = [...manifest.resources.keys(), ...listRecords(manifest)]
  const known = new Set(declared)
  return [
    ...manifestKeys.flatMap((name) => findUnknown(name, options[name], known)),
    ...findUnknown('only', options.only, new Set([...manifest.resources.keys(), ...listManaged(plan)])),
    ...findAnyUnknown(plan, options, known),
  ]
}

/** Options that a job repeats although the manifest has deleted what they name: nothing is left to do. */
const repeated: readonly UnknownKey['option'][] = ['only', ...anyKeys]

/** Reports keys that name nothing, unless they allow or limit deletions that an apply of the manifest has made. */
export function reportUnknownKeys(unknown: readonly UnknownKey[], deleted: ReadonlySet<string>): Issue[] {
  return unknown.flatMap(({ option, key, known }): Issue[] => {
    if (deleted.has(key) && repeated.includes(option)) return []
    const message = `${flags[option]}: there is no resource with the key "${key}"`
    const hint = deleted.has(key) ? 'The manifest has deleted it: remove the option.' : hintFor(key, known)
    return [{ code: 'usage/bad-argument', message, severity: 'error', hint }]
  })
}

/** Maximum number of keys in a hint. */
const maxHintKeys = 10

function hintFor(key: string, known: ReadonlySet<string>): string {
  const keys = [...known]
  const part = keys.find((one) => key.startsWith(`${one}.`))
  if (part !== undefined) return `Use the key of the resource, without a field: ${part}.`
  if (keys.length === 0) return 'The manifest has no resources.'
  // An id is not a misspelling of another one.
  const names = keys.filter((one) => !/^#?\d+$/.test(one))
  return findHint(key, names) ?? `Use a key such as ${names.slice(0, maxHintKeys).join(', ')}.`
}

/** Reports options of an undo with keys that neither the apply nor the server has. */
export function checkUndoKeys(plan: Plan, { changes = [] }: JournalEntry, options: UndoOptions): Issue[] {
  const known = new Set(changes.map(({ key }) => key))
  const unknown = [
    ...findUnknown('overwrite', options.overwrite, known),
    ...findAnyUnknown(plan, options, known),
  ]
  return reportUnknownKeys(unknown, new Set())
}

function findAnyUnknown(
  plan: Plan,
  options: Pick<PlanOptions, (typeof anyKeys)[number]>,
  known: ReadonlySet<string>,
): UnknownKey[] {
  if (anyKeys.every((name) => options[name].size === 0)) return []
  const there = [...(plan.before?.values() ?? [])].flatMap((one) => [labelOf(one), `#${one.id}`, `${one.id}`])
  const all = new Set([...known, ...there, ...plan.changes.map(({ key }) => key)])
  return anyKeys.flatMap((name) => findUnknown(name, options[name], all))
}

/** Resources that the manifest manages, also those that it no longer contains. */
function listManaged({ before, manifest }: Plan): string[] {
  return [...(before?.values() ?? [])].flatMap((one) => (one.manager === manifest ? [labelOf(one)] : []))
}

function listRecords({ catalog, principals }: Manifest): string[] {
  const sections = [...Object.values(catalog ?? {}), ...Object.values(principals ?? {})]
  return sections.flatMap((records) => [...records.keys()])
}

function findUnknown(
  option: UnknownKey['option'],
  keys: ReadonlySet<string>,
  known: ReadonlySet<string>,
): UnknownKey[] {
  return [...keys].flatMap((key) => (known.has(key) ? [] : [{ option, key, known }]))
}
