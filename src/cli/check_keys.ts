import type { JournalEntry } from '../contract/bodies/journal.ts'
import type { CatalogKind } from '../contract/catalog/catalog_edit.ts'
import type { PrincipalKind } from '../contract/principal.ts'
import { descriptorOf, isCls } from '../contract/registry.ts'
import { listSecrets, type Schema } from '../contract/schema/schema.ts'
import { joinWords, pluralOf } from '../core/count.ts'
import type { Issue } from '../core/issue.ts'
import { findHint } from '../core/suggest.ts'
import type { Manifest, WantedResource } from '../manifest/manifest.ts'
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

/** A key in an option that names nothing, or nothing that the option is about. */
export interface UnknownKey {
  readonly option: keyof typeof flags
  readonly key: string
  /** Keys that the option could name. */
  readonly known: ReadonlySet<string>
  /** Why the option is not about what has the key; absent if nothing has it. */
  readonly why?: string
}

type Kind = 'resource' | CatalogKind | PrincipalKind

/** Kinds of what the options are about, in words. */
const kindsOf: Readonly<Record<Exclude<UnknownKey['option'], 'overwrite'>, readonly Kind[]>> = {
  replace: ['resource'],
  overwriteData: ['resource'],
  sendSecrets: ['resource', 'user'],
  take: ['resource'],
  only: ['resource'],
  allowDelete: ['resource', 'icon', 'geoservice'],
  allowLoss: ['resource', 'icon', 'geoservice'],
}

/** Reports options with keys that neither the manifest nor the server has: what they should allow stays forbidden. */
export function checkKeys(plan: Plan, manifest: Manifest, options: PlanOptions): Issue[] {
  return reportUnknownKeys(findUnknownKeys(plan, manifest, options), new Set())
}

/** Finds the keys in options that neither the manifest nor the server has. */
export function findUnknownKeys(plan: Plan, manifest: Manifest, options: PlanOptions): UnknownKey[] {
  const used = ([...manifestKeys, 'only', ...anyKeys] as const).filter((option) => options[option].size > 0)
  if (used.length === 0) return []
  const declared = listDeclared(manifest)
  const misused = used.flatMap((option) =>
    [...options[option]].flatMap((key) => findMisuse(option, key, declared)),
  )
  const known = new Set(declared.map(({ key }) => key))
  const unknown = [
    ...manifestKeys.flatMap((name) => findUnknown(name, options[name], known)),
    ...findUnknown('only', options.only, new Set([...known, ...listManaged(plan)])),
    ...findAnyUnknown(plan, options, known),
  ]
  return [...misused, ...unknown]
}

/** What a manifest declares. */
interface Declared {
  readonly key: string
  readonly kind: Kind
  /** Absent for other kinds than resources. */
  readonly resource?: WantedResource
  /** Whether the manifest sets a secret of it. */
  readonly hasSecret: boolean
}

function listDeclared({ resources, catalog, principals }: Manifest): Declared[] {
  const records = Object.values(catalog ?? {}).flatMap((list) => [...list.values()])
  const accounts = Object.values(principals ?? {}).flatMap((list) => [...list.values()])
  return [
    ...[...resources.values()].map((resource): Declared => {
      const { key } = resource
      return { key, kind: 'resource', resource, hasSecret: setsSecret(resource) }
    }),
    ...records.map(({ key, kind }) => ({ key, kind, hasSecret: false })),
    ...accounts.map(({ key, kind, password }) => ({ key, kind, hasSecret: password !== undefined })),
  ]
}

/** Tells whether a block sets a secret of its class. */
function setsSecret({ cls, members }: WantedResource): boolean {
  const schemas = cls === undefined ? [] : Object.entries(descriptorOf(cls).members)
  return schemas.some(([member, schema]) =>
    listSecrets(schema as Schema).some((secret) => members[member]?.[secret] !== undefined),
  )
}

/** Finds an option with the key of something that the option is not about. */
function findMisuse(option: keyof typeof kindsOf, key: string, declared: readonly Declared[]): UnknownKey[] {
  const named = declared.filter((one) => one.key === key)
  const [first] = named
  if (first === undefined) return []
  const fitting = named.filter(({ kind }) => kindsOf[option].includes(kind))
  const isUsable = (one: Declared) =>
    (option !== 'overwriteData' || one.resource?.data !== undefined) &&
    (option !== 'sendSecrets' || one.hasSecret || one.resource?.existing === true)
  if (fitting.some(isUsable)) return []
  const lack = option === 'overwriteData' ? 'data:' : 'a secret that the manifest sets'
  const why = fitting.length === 0 ? describeKind(key, first.kind) : `"${key}" does not have ${lack}`
  const usable = declared.filter((one) => kindsOf[option].includes(one.kind) && isUsable(one))
  return [{ option, key, known: new Set(usable.map((one) => one.key)), why }]
}

/** Options that a job repeats although the manifest has deleted what they name: nothing is left to do. */
const repeated: readonly UnknownKey['option'][] = ['only', ...anyKeys]

/** Reports keys that name nothing, unless they allow or limit deletions that an apply of the manifest has made. */
export function reportUnknownKeys(unknown: readonly UnknownKey[], deleted: ReadonlySet<string>): Issue[] {
  return unknown.flatMap(({ option, key, known, why }): Issue[] => {
    if (why !== undefined) return [reportMisuse({ option, key, known, why })]
    if (deleted.has(key) && repeated.includes(option)) return []
    const message = `${flags[option]}: there is no resource with the key "${key}"`
    const hint = deleted.has(key) ? 'The manifest has deleted it: remove the option.' : hintFor(key, known)
    return [{ code: 'usage/bad-argument', message, severity: 'error', hint }]
  })
}

const describeKind = (key: string, kind: string) => `"${key}" is ${kind === 'icon' ? 'an' : 'a'} ${kind}`

function reportMisuse({ option, known, why = '' }: UnknownKey): Issue {
  const kinds = option === 'overwrite' ? ['resource'] : kindsOf[option]
  const named = joinWords(kinds.map((kind) => pluralOf(kind, 2)))
  const keys = [...known].slice(0, maxHintKeys)
  const hint = keys.length === 0 ? 'Remove the option.' : `Use a key such as ${keys.join(', ')}.`
  const message = `${flags[option]} is for ${named}: ${why}`
  return { code: 'usage/bad-argument', message, severity: 'error', hint }
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
  const resources = new Set(changes.flatMap(({ key, cls }) => (isCls(cls) ? [key] : [])))
  const misused = [...options.overwrite].flatMap((key): UnknownKey[] => {
    const cls = changes.find((change) => change.key === key)?.cls
    if (cls === undefined || resources.has(key)) return []
    return [{ option: 'overwrite', key, known: resources, why: describeKind(key, cls) }]
  })
  const unknown = [
    ...misused,
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

function findUnknown(
  option: UnknownKey['option'],
  keys: ReadonlySet<string>,
  known: ReadonlySet<string>,
): UnknownKey[] {
  return [...keys].flatMap((key) => (known.has(key) ? [] : [{ option, key, known }]))
}
