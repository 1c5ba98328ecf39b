import { type CatalogKind, catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import { normalizeTexts } from '../../contract/catalog/catalog_text.ts'
import type { Issue } from '../../core/issue.ts'
import type { WantedCatalog, WantedRecord } from '../../manifest/manifest.ts'
import { labelOf } from '../model/actual_tree.ts'
import type { Change, Plan } from '../model/change.ts'
import type { PlanInput, PlanOptions } from '../model/plan_input.ts'
import { indexPrincipals } from '../model/principals.ts'
import { issueAt } from '../plan/issue_at.ts'
import type { Match } from '../plan/match/match.ts'
import { foreignIssue, reportReplacement } from '../plan/target_issues.ts'
import { type ActualCatalog, type ActualRecord, indexCatalog } from './actual_catalog.ts'
import { type Bystanders, findBaseMaps } from './base_maps.ts'
import { diffRecord, type RecordContext, type RecordDiff } from './diff_record.ts'
import { indexGuids, type KnownIcons, nameIcons, resolveIcon } from './icon_reference.ts'
import { matchRecords } from './match_records.ts'
import { pruneRecords, reportLosses } from './prune_records.ts'
import { editorHint } from './read_records.ts'

/** Desired records, and how they relate to those on the server. */
export interface CatalogInput extends Pick<PlanInput, 'catalog' | 'images'> {
  readonly wanted: WantedCatalog
  /** Id of the manifest that manages the records; an import may have none. */
  readonly manifestId: string | undefined
  /** Whether keys are keynames, and omitted members have their defaults. Otherwise both stay as they are. */
  readonly owns: boolean
  readonly options: PlanOptions
  /** Resources outside the manifest; absent for imports, which neither delete nor rename. */
  readonly bystanders?: Bystanders
}

/** The part of a plan that concerns the catalog. */
export type CatalogPlan = Pick<Plan, 'changes' | 'unchanged' | 'unknown' | 'issues' | 'icons'>

/** Records with the changes of a plan. */
interface NamesInput {
  readonly wanted: WantedCatalog
  readonly actual: ActualCatalog
  readonly changes: readonly Change[]
}

const isRenamed = ({ edits }: Change) => edits.some(({ pointer }) => pointer === '/name')

const leavesName = (change: Change) =>
  change.action === 'delete' || (change.id !== undefined && isRenamed(change))

const takesName = (change: Change) => change.action !== 'delete' && isRenamed(change)

/** Computes the changes that bring the records of a catalog to the desired state. Pure. */
export function planCatalog(given: CatalogInput): CatalogPlan {
  const input = { ...given, wanted: normalizeCatalog(given.wanted) }
  const { wanted, catalog = 'absent' } = input
  if (typeof catalog === 'string') return planUnread(wanted, catalog)
  const actual = indexCatalog(catalog)
  const matches = {
    icon: matchRecords({ ...input, actual }, 'icon'),
    geoservice: matchRecords({ ...input, actual }, 'geoservice'),
  }
  const work = startWork(input, matches, actual.icon)
  for (const kind of catalogKinds) for (const one of wanted[kind].values()) planRecord(work, one)
  const pruned = pruneRecords({ ...input, actual, matches, changes: work.changes })
  const changes = nameIcons([...work.changes, ...pruned.changes], actual.icon)
  const issues = [
    ...catalogKinds.flatMap((kind) => matches[kind].issues),
    ...work.issues,
    ...checkRenamed(work),
    ...pruned.issues,
    ...checkNames({ wanted, actual, changes }),
  ]
  return { changes, unchanged: work.unchanged, unknown: [], issues, icons: work.icons }
}

/** Normalizes texts as servers store them. */
function normalizeCatalog({ icon, geoservice }: WantedCatalog): WantedCatalog {
  const normalize = (records: WantedCatalog['icon']) =>
    new Map(
      [...records].map(([key, one]) => [key, { ...one, members: normalizeTexts(one.members) }] as const),
    )
  return { icon: normalize(icon), geoservice: normalize(geoservice) }
}

/** Plans nothing if the records cannot be read: no record is known to be absent. */
function planUnread(wanted: WantedCatalog, reading: 'denied' | 'absent'): CatalogPlan {
  const records = catalogKinds.flatMap((kind) => [...wanted[kind].values()])
  const unknown = records.map(({ key, kind, members }) => ({
    key,
    cls: kind,
    path: [String(members.name)],
    reason: reading === 'denied' ? 'this account cannot manage the catalog' : 'the server has no catalog',
  }))
  const [first] = records
  const issues = first === undefined ? [] : [unreadIssue(first, reading)]
  return { changes: [], unchanged: 0, unknown, issues, icons: new Map() }
}

function unreadIssue(wanted: WantedRecord, reading: 'denied' | 'absent'): Issue {
  if (reading === 'absent')
    return issueAt(wanted, 'catalog/absent', 'the server has no catalog of geoservices')
  const message = 'this account cannot manage the records of the catalog'
  return { ...issueAt(wanted, 'plan/unknown', message), hint: editorHint }
}

/** Reports base maps outside the manifest that name a geoservice by a key that it loses. */
function checkRenamed({ input, matches, changes }: Work): Issue[] {
  const { bystanders, options } = input
  if (bystanders === undefined) return []
  return changes.flatMap(({ key, edits, record }) => {
    const from = edits.find(({ pointer }) => pointer === '/keyname')?.from
    const actual = matches.geoservice.pairs.get(key)
    if (record !== 'geoservice' || typeof from !== 'string' || actual === undefined) return []
    return reportLosses(`renaming "${from}" to "${key}"`, findBaseMaps(actual, bystanders, ['key']), options)
  })
}

interface Work {
  readonly input: CatalogInput
  readonly matches: Readonly<Record<CatalogKind, Match<ActualRecord>>>
  readonly context: RecordContext
  readonly icons: ReadonlyMap<string, number>
  readonly knownIcons: KnownIcons
  readonly changes: Change[]
  readonly issues: Issue[]
  unchanged: number
}

function startWork(input: CatalogInput, matches: Work['matches'], actualIcons: KnownIcons['actual']): Work {
  const digests = new Map([...(input.images ?? [])].map(([key, { sha256 }]) => [key, sha256] as const))
  const { manifestId, owns, options } = input
  const context = { manifestId, owns, digests, names: { keyOf: new Map(), principals: indexPrincipals([]) } }
  const icons = new Map<string, number>()
  const keyOf = new Map<number, string>()
  for (const [key, there] of matches.icon.pairs) {
    const wanted = input.wanted.icon.get(key)
    // A recreated icon has another id.
    if (wanted === undefined || isRecreated(wanted, diffRecord(wanted, there, context), options)) continue
    icons.set(key, there.id)
    keyOf.set(there.id, key)
  }
  const names = { ...context.names, keyOf }
  return {
    input,
    matches,
    context: { ...context, names },
    icons,
    knownIcons: { actual: actualIcons, keyOf, ...indexGuids(actualIcons, input.wanted.icon) },
    changes: [],
    issues: [],
    unchanged: 0,
  }
}

function isRecreated({ key }: WantedRecord, { edits }: RecordDiff, { replace }: PlanOptions): boolean {
  return replace.has(key) && edits.some(({ replaces }) => replaces !== undefined)
}

function planRecord(work: Work, block: WantedRecord): void {
  const { input, matches, context, issues } = work
  const { record: wanted, issues: iconIssues } = resolveIcon(block, work.knownIcons)
  issues.push(...iconIssues)
  const match = matches[wanted.kind]
  const actual = match.pairs.get(wanted.key)
  if (actual === undefined) {
    if (!match.suspects.has(wanted.key)) work.changes.push(creationOf(work, wanted))
    return
  }
  const manager = actual.manifest ?? undefined
  if (manager !== undefined && manager !== input.manifestId && !input.options.adopt) {
    issues.push(foreignIssue(wanted, manager, 'record'))
    return
  }
  const diff = diffRecord(wanted, actual, context)
  if (isRecreated(wanted, diff, input.options)) {
    work.changes.push(creationOf(work, wanted, actual))
    return
  }
  const hint = `To delete and recreate it, with a new id and without its status records, use --replace ${wanted.key}.`
  issues.push(...reportReplacement(wanted, diff.edits, hint))
  if (diff.edits.length === 0 && !diff.adopts) work.unchanged += 1
  else work.changes.push(updateOf(wanted, actual, diff))
}

/** Returns the creation of a record, or the replacement of an old one. */
function creationOf({ input }: Work, wanted: WantedRecord, old?: ActualRecord): Change {
  const { key, kind, members, image } = wanted
  const { manifestId, owns } = input
  const edits = Object.entries(members).map(([name, to]) => ({ pointer: `/${name}`, to }))
  const marks = {
    ...(owns ? { keyname: key } : {}),
    ...(manifestId === undefined ? {} : { manifest: manifestId }),
  }
  return {
    ...headOf(wanted),
    action: old === undefined ? 'create' : 'replace',
    ...(old === undefined ? {} : { id: old.id, version: old.version }),
    edits: image === undefined ? edits : [...edits, { pointer: '/image', to: image.source }],
    body: { [kind]: { ...members, ...marks } },
    ...(image === undefined ? {} : { image }),
  }
}

function updateOf(wanted: WantedRecord, actual: ActualRecord, diff: RecordDiff): Change {
  const { edits, adopts, body, loadsImage } = diff
  return {
    ...headOf(wanted),
    action: edits.length === 0 ? 'adopt' : 'update',
    id: actual.id,
    version: actual.version,
    ...(adopts ? { adopts } : {}),
    edits,
    body: { [wanted.kind]: body },
    ...(loadsImage && wanted.image !== undefined ? { image: wanted.image } : {}),
  }
}

function headOf({ key, kind, members }: WantedRecord) {
  const displayName = String(members.name)
  return { record: kind, key, cls: kind, displayName, path: [displayName] }
}

/** Reports names of the plan that other records have, unless the plan renames or deletes these. */
function checkNames({ wanted, actual, changes }: NamesInput): Issue[] {
  return catalogKinds.flatMap((kind) => {
    const own = changes.filter((change) => change.record === kind)
    const leaving = new Set(own.filter(leavesName).map(({ id }) => id))
    const holders = new Map([...actual[kind].values()].map((one) => [one.name, one] as const))
    return own.flatMap((change) => {
      const holder = takesName(change) ? holders.get(change.displayName) : undefined
      const block = wanted[kind].get(change.key)
      if (holder === undefined || block === undefined) return []
      return holder.id === change.id || leaving.has(holder.id) ? [] : [nameTaken(block, holder)]
    })
  })
}

function nameTaken(wanted: WantedRecord, holder: ActualRecord): Issue {
  const message = `the name "${holder.name}" is in use by ${holder.kind} ${labelOf(holder)}`
  const hint = 'Choose another name, or rename the other record.'
  return { ...issueAt(wanted, 'catalog/name-taken', message, '/name'), hint }
}
