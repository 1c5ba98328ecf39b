import { type CatalogKind, catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import type { Issue } from '../../core/issue.ts'
import { labelOf } from '../model/actual_tree.ts'
import type { Change } from '../model/change.ts'
import type { Referrer } from '../model/takes.ts'
import type { Match } from '../plan/match/match.ts'
import { findFuseIssue, type PruneOptions, reportOrphan } from '../plan/prune.ts'
import type { ActualCatalog, ActualRecord } from './actual_catalog.ts'
import { type Bystanders, findBaseMaps } from './base_maps.ts'

/** Input for deletions of records. */
export interface RecordPruneInput {
  readonly manifestId: string | undefined
  readonly owns: boolean
  readonly actual: ActualCatalog
  readonly matches: Readonly<Record<CatalogKind, Match<ActualRecord>>>
  /** Changes to the records of the manifest. */
  readonly changes: readonly Change[]
  readonly options: PruneOptions & { readonly allowLoss: ReadonlySet<string> }
  /** Resources outside the manifest; absent for imports, which delete nothing. */
  readonly bystanders?: Bystanders | undefined
}

/** Deletions of records, with their issues. */
export interface RecordPrunePlan {
  readonly changes: readonly Change[]
  readonly issues: readonly Issue[]
}

/** Plans the deletion of records that the manifest manages but no longer contains. Without `prune`, only reports them. */
export function pruneRecords(input: RecordPruneInput): RecordPrunePlan {
  const { options } = input
  const orphans = input.owns ? findOrphans(input) : []
  if (!options.prune)
    return { changes: [], issues: orphans.map((one) => reportOrphan(labelOf(one), one.kind)) }
  const going = new Set(orphans.filter(({ kind }) => kind === 'geoservice').map(({ id }) => id))
  const changes = orphans.map((orphan) => deletionOf(orphan, findReferrers(orphan, input, going)))
  return {
    changes,
    issues: [...checkFuse(input, orphans), ...changes.flatMap((one) => checkReferrers(one, options))],
  }
}

function findOrphans({ manifestId, actual, matches }: RecordPruneInput): ActualRecord[] {
  return catalogKinds.flatMap((kind) => {
    const { keyOf, suspects } = matches[kind]
    const kept = new Set([...keyOf.keys(), ...[...suspects.values()].map(({ id }) => id)])
    return [...actual[kind].values()].filter(({ id, manifest }) => manifest === manifestId && !kept.has(id))
  })
}

function deletionOf(orphan: ActualRecord, referrers: readonly Referrer[]): Change {
  const { kind, id, version, name } = orphan
  return {
    action: 'delete',
    record: kind,
    key: labelOf(orphan),
    cls: kind,
    displayName: name,
    path: [name],
    id,
    version,
    edits: [],
    takes: { resources: 0, unmanaged: [], features: 0, referrers },
    body: {},
  }
}

/** Finds what loses a deleted record: geoservices that keep the icon, base maps that name the geoservice. */
function findReferrers(
  orphan: ActualRecord,
  { actual, changes, bystanders }: RecordPruneInput,
  going: ReadonlySet<number>,
): Referrer[] {
  if (orphan.kind === 'geoservice')
    return bystanders === undefined ? [] : findBaseMaps(orphan, bystanders, ['key', 'guid'])
  const written = new Set(changes.flatMap((one) => ('icon' in (one.body.geoservice ?? {}) ? [one.id] : [])))
  return [...actual.geoservice.values()]
    .filter(({ id, members }) => members.icon === orphan.id && !going.has(id) && !written.has(id))
    .map((service) => ({
      key: labelOf(service),
      cls: service.kind,
      path: [service.name],
      loses: ['icon'],
      refuses: false,
    }))
}

function checkReferrers({ key, takes }: Change, options: RecordPruneInput['options']): Issue[] {
  return reportLosses(`deleting "${key}"`, takes?.referrers ?? [], options)
}

/** Reports geoservices and base maps that lose what they name, unless the loss is allowed. */
export function reportLosses(
  deed: string,
  referrers: readonly Referrer[],
  { allowLoss }: Pick<RecordPruneInput['options'], 'allowLoss'>,
): Issue[] {
  return referrers
    .filter(({ key }) => !allowLoss.has(key))
    .map(({ key, cls, loses }) => ({
      code: 'plan/referenced',
      severity: 'error',
      message:
        loses[0] === 'icon'
          ? `${deed} would remove the icon from "${key}" (${cls})`
          : `${deed} would leave "${key}" (${cls}) without tiles`,
      hint: `If the loss is intended, use --allow-loss ${key}.`,
    }))
}

function checkFuse(
  { actual, manifestId, options }: RecordPruneInput,
  orphans: readonly ActualRecord[],
): Issue[] {
  const unnamed = orphans.filter((one) => !options.allowDelete.has(labelOf(one)))
  const all = catalogKinds.flatMap((kind) => [...actual[kind].values()])
  const managed = all.filter(({ manifest }) => manifest === manifestId).length
  return findFuseIssue(options, {
    going: unnamed.length,
    managed,
    noun: 'records',
    labels: unnamed.map(labelOf),
  })
}
