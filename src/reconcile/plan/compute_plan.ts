import { createHash } from 'node:crypto'
import type { ExtensionsQuery } from '../../api/read_extensions.ts'
import type { VisibilityQuery } from '../../api/read_visibility.ts'
import { type Issue, sortIssues } from '../../core/issue.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { FieldValues } from '../../transfer/count_values.ts'
import { type Bystanders, checkBaseMaps } from '../catalog/base_maps.ts'
import { type CatalogPlan, planCatalog } from '../catalog/plan_catalog.ts'
import { readsAll, toLabels } from '../model/actual_tree.ts'
import type { Change, Plan } from '../model/change.ts'
import type { PlanInput } from '../model/plan_input.ts'
import { planChanges } from './changes.ts'
import type { LoadQuestion } from './data/read_load_change.ts'
import { listRecreated } from './diff_context.ts'
import { checkExchanged } from './match/exchanged_keys.ts'
import { type Match, matchResources, type ResourceMatch } from './match/match.ts'
import { nameTargets } from './match/named_targets.ts'
import { type Selection, selectResources } from './match/select_resources.ts'
import { findUnseen } from './match/unseen.ts'
import { planPrune } from './prune.ts'
import { planReferrers } from './referrers.ts'
import { orderChanges } from './steps/order_steps.ts'

/** A plan, with the queries needed to make it final. */
export interface Planning {
  readonly plan: Plan
  /** Ids of layers whose features must be counted. */
  readonly uncounted: readonly number[]
  /** Fields whose values must be counted. */
  readonly uncountedFields: readonly FieldValues[]
  /** Layers whose sources must be read. */
  readonly unread: readonly LoadQuestion[]
  /** Layers whose descriptions and attachments of features must be read. */
  readonly unreadExtensions: readonly ExtensionsQuery[]
  /** Resources whose contents must be read. */
  readonly unreadContents: readonly number[]
  /** Query for resources that may exist but are not visible to the account. */
  readonly unsure: VisibilityQuery
}

/** Computes the changes that bring the server to the desired state. Pure. */
export function computePlan(asked: PlanInput): Planning {
  const match = matchChecked(asked)
  const manifest = nameTargets(asked.manifest, match.keyOf)
  const input = { ...asked, manifest, options: withLabels(asked) }
  const { actual, options, counts, contents, accounts = noAccounts } = input
  const { unseen, question: unsure } = findUnseen(input, match)
  const recreated = listRecreated(input, match)
  const selection = selectResources(input, match, recreated)
  const wanted = planChanges(input, { match, recreated, unseen, selection })
  const selected = selection?.deletable
  const going = { manifestId: manifest.id, actual, selected, ...sortPairs(manifest, match), counts, contents }
  const pruned = planPrune({ ...options, ...going })
  const { changes, issues: referred } = planReferrers({
    actual,
    changes: [...wanted.changes, ...pruned.changes],
    kept: keptIds(match, recreated),
    allowLoss: options.allowLoss,
  })
  const order = orderChanges({ manifest, actual, changes, pairs: match.pairs, recreated })
  const issues = [...match.issues, ...wanted.issues, ...pruned.issues, ...referred, ...order.issues]
  const ids = new Map([...match.pairs].map(([key, { id }]) => [key, id] as const))
  for (const key of recreated) ids.delete(key)
  const catalog = catalogPart(input, { actual, planned: plannedIds(match, changes) })
  const baseMaps = checkBaseMaps({
    manifest: narrow(manifest, selection),
    catalog: input.catalog,
    changes: catalog.changes,
  })
  const uncompared = [...accounts.uncompared, ...wanted.uncompared]
  const plan: Plan = {
    version: 1,
    manifest: manifest.id,
    server: input.server,
    account: { name: actual.caller, readsAll: readsAll(actual) },
    landform: actual.landform,
    changes: [...accounts.changes, ...order.changes, ...catalog.changes],
    steps: order.steps,
    ...(options.only.size === 0 ? {} : { only: [...options.only] }),
    unchanged: accounts.unchanged + wanted.unchanged + catalog.unchanged,
    unknown: [...accounts.unknown, ...wanted.unknown, ...catalog.unknown],
    ...(uncompared.length === 0 ? {} : { uncompared }),
    issues: sortIssues(dedupe([...accounts.issues, ...issues, ...catalog.issues, ...baseMaps])),
    before: actual.byId,
    ids,
    icons: catalog.icons,
    principals: actual.principals.ids,
    fingerprint: fingerprintOf([...accounts.changes, ...changes, ...catalog.changes]),
  }
  const { unread, unreadExtensions, uncountedFields } = wanted
  const uncounted = [...wanted.uncounted, ...pruned.uncounted]
  const unreadContents = [...wanted.unreadContents, ...pruned.unread]
  return { plan, uncounted, uncountedFields, unread, unreadExtensions, unreadContents, unsure }
}

/** Sorts the resources of the manifest by what a deletion may do with them and with what is below. */
function sortPairs({ resources }: Manifest, { pairs, suspects }: Match) {
  const kept = new Set([...suspects.values()].map(({ id }) => id))
  const anchors = new Set<number>()
  const openGroups = new Map<number, string>()
  for (const [key, { id }] of pairs) {
    const wanted = resources.get(key)
    if (wanted?.unmanaged?.has('children')) openGroups.set(id, key)
    const ids = wanted?.existing ? anchors : kept
    ids.add(id)
  }
  return { kept, anchors, openGroups }
}

function matchChecked(input: PlanInput): ResourceMatch {
  const match = matchResources(input.manifest, input.actual)
  return { ...match, issues: [...match.issues, ...checkExchanged(input, match)] }
}

function narrow(manifest: Manifest, selection: Selection | undefined): Manifest {
  if (selection === undefined) return manifest
  const resources = [...manifest.resources].filter(([key]) => selection.keys.has(key))
  return { ...manifest, resources: new Map(resources) }
}

/** Options that name resources outside of the manifest may name them by id. */
function withLabels({ actual, options }: PlanInput): PlanInput['options'] {
  const { allowDelete, allowLoss } = options
  return { ...options, allowDelete: toLabels(actual, allowDelete), allowLoss: toLabels(actual, allowLoss) }
}

const noAccounts = { changes: [], unchanged: 0, unknown: [], uncompared: [], issues: [] }

function catalogPart({ manifest, catalog, images, options }: PlanInput, bystanders: Bystanders): CatalogPlan {
  if (manifest.catalog === undefined || options.only.size > 0)
    return { changes: [], unchanged: 0, unknown: [], issues: [], icons: new Map() }
  return planCatalog({
    wanted: manifest.catalog,
    manifestId: manifest.id,
    owns: true,
    catalog,
    options,
    bystanders,
    ...(images === undefined ? {} : { images }),
  })
}

/** Ids of resources that the manifest describes, or that the plan deletes. */
function plannedIds({ keyOf }: Match, changes: readonly Change[]): Set<number> {
  const deleted = changes.flatMap(({ action, id }) => (action === 'delete' && id !== undefined ? [id] : []))
  return new Set([...keyOf.keys(), ...deleted])
}

/** Ids of resources that the manifest keeps; they move out of deleted groups first. */
function keptIds({ keyOf, suspects }: Match, recreated: ReadonlySet<string>): Set<number> {
  const wanted = [...keyOf].flatMap(([id, key]) => (recreated.has(key) ? [] : [id]))
  return new Set([...wanted, ...[...suspects.values()].map(({ id }) => id)])
}

// Digests the edits and not the bodies, which may contain secrets.
function fingerprintOf(changes: readonly Change[]): string {
  const hash = createHash('sha256')
  for (const { action, key, id, version, edits, data, extensions, deletes } of changes) {
    hash.update(JSON.stringify([action, key, id, version, edits, data, extensions?.version, deletes]))
  }
  return hash.digest('hex')
}

function dedupe(issues: readonly Issue[]): Issue[] {
  const seen = new Set<string>()
  return issues.filter((issue) => {
    const id = JSON.stringify([issue.code, issue.message, issue.span])
    return seen.has(id) ? false : seen.add(id) !== undefined
  })
}
