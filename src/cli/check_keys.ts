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

/** Reports options with keys that neither the manifest nor the server has: what they should allow stays forbidden. */
export function checkKeys(plan: Plan, manifest: Manifest, options: PlanOptions): Issue[] {
  const declared = [...manifest.resources.keys(), ...listRecords(manifest)]
  const known = new Set(declared)
  const issues = [
    ...manifestKeys.flatMap((name) => checkOption(name, options[name], known)),
    ...checkOption('only', options.only, new Set([...manifest.resources.keys(), ...listManaged(plan)])),
  ]
  if (anyKeys.every((name) => options[name].size === 0)) return issues
  return [...issues, ...checkAnyKeys(plan, options, known)]
}

/** Reports options of an undo with keys that neither the apply nor the server has. */
export function checkUndoKeys(plan: Plan, { changes = [] }: JournalEntry, options: UndoOptions): Issue[] {
  const known = new Set(changes.map(({ key }) => key))
  return [...checkOption('overwrite', options.overwrite, known), ...checkAnyKeys(plan, options, known)]
}

function checkAnyKeys(
  plan: Plan,
  options: Pick<PlanOptions, (typeof anyKeys)[number]>,
  known: ReadonlySet<string>,
): Issue[] {
  if (anyKeys.every((name) => options[name].size === 0)) return []
  const there = [...(plan.before?.values() ?? [])].flatMap((one) => [labelOf(one), `#${one.id}`, `${one.id}`])
  const all = new Set([...known, ...there, ...plan.changes.map(({ key }) => key)])
  return anyKeys.flatMap((name) => checkOption(name, options[name], all))
}

/** Resources that the manifest manages, also those that it no longer contains. */
function listManaged({ before, manifest }: Plan): string[] {
  return [...(before?.values() ?? [])].flatMap((one) => (one.manager === manifest ? [labelOf(one)] : []))
}

function listRecords({ catalog, principals }: Manifest): string[] {
  const sections = [...Object.values(catalog ?? {}), ...Object.values(principals ?? {})]
  return sections.flatMap((records) => [...records.keys()])
}

function checkOption(
  name: keyof typeof flags,
  keys: ReadonlySet<string>,
  known: ReadonlySet<string>,
): Issue[] {
  return [...keys].flatMap((key): Issue[] => {
    if (known.has(key)) return []
    const hint = findHint(key, [...known])
    const message = `${flags[name]}: there is no resource with the key "${key}"`
    return [
      { code: 'usage/bad-argument', message, severity: 'error', ...(hint === undefined ? {} : { hint }) },
    ]
  })
}
