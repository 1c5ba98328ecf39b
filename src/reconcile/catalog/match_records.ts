import type { CatalogKind } from '../../contract/catalog/catalog_edit.ts'
import type { Issue } from '../../core/issue.ts'
import type { WantedCatalog, WantedRecord } from '../../manifest/manifest.ts'
import { labelOf } from '../model/actual_tree.ts'
import { issueAt } from '../plan/issue_at.ts'
import type { Match } from '../plan/match/match.ts'
import type { ActualCatalog, ActualRecord } from './actual_catalog.ts'

/** Records to match. */
export interface MatchInput {
  readonly manifestId: string | undefined
  /** Whether keys are keynames on the server. Otherwise records are matched by global identifier, then by name. */
  readonly owns: boolean
  readonly wanted: WantedCatalog
  readonly actual: ActualCatalog
}

interface Matching {
  readonly input: MatchInput
  readonly kind: CatalogKind
  readonly index: RecordIndex
  readonly pairs: Map<string, ActualRecord>
  readonly keyOf: Map<number, string>
  readonly suspects: Map<string, ActualRecord>
  readonly issues: Issue[]
}

interface RecordIndex {
  readonly byKeyname: ReadonlyMap<string, ActualRecord>
  readonly byGuid: ReadonlyMap<string, ActualRecord>
  /** Names are unique. */
  readonly byName: ReadonlyMap<string, ActualRecord>
}

/**
 * Matches the records of a kind: by key, then by old key, then by global identifier, then by type and name among records
 * without a key. Ambiguity is an issue. Pure.
 */
export function matchRecords(input: MatchInput, kind: CatalogKind): Match<ActualRecord> {
  const matching: Matching = {
    input,
    kind,
    index: indexRecords([...input.actual[kind].values()]),
    pairs: new Map(),
    keyOf: new Map(),
    suspects: new Map(),
    issues: [],
  }
  for (const wanted of input.wanted[kind].values()) claim(matching, wanted, findByIdentity(matching, wanted))
  // By name only after all keys, so that it takes no record that a key names.
  for (const wanted of input.wanted[kind].values())
    if (!matching.pairs.has(wanted.key)) matchByName(matching, wanted)
  return matching
}

function indexRecords(records: readonly ActualRecord[]): RecordIndex {
  return {
    byKeyname: new Map(records.flatMap((one) => (one.keyname === null ? [] : [[one.keyname, one] as const]))),
    byGuid: new Map(records.flatMap((one) => (one.guid === undefined ? [] : [[one.guid, one] as const]))),
    byName: new Map(records.map((one) => [one.name, one] as const)),
  }
}

function findByIdentity({ input, index, issues }: Matching, wanted: WantedRecord): ActualRecord | undefined {
  const { key, was, members } = wanted
  if (!input.owns) return index.byGuid.get(String(members.guid))
  const named = index.byKeyname.get(key)
  const old = was === undefined ? undefined : index.byKeyname.get(was)
  const same = members.guid === undefined ? undefined : index.byGuid.get(String(members.guid))
  if (named !== undefined && was !== undefined) issues.push(spent(wanted, old))
  const found = named ?? old
  if (same === undefined || same === found) return found ?? same
  if (found === undefined && same.keyname === null) return same
  const owner = same.keyname === null ? `${same.kind} ${same.id}` : `"${same.keyname}"`
  const message = `"${key}" is ambiguous: its guid belongs to ${owner}`
  issues.push({
    ...issueAt(wanted, 'plan/ambiguous', message, '/guid'),
    hint:
      found === undefined ? `If it was renamed, add was: ${same.keyname}.` : 'Remove guid:, or correct it.',
  })
  return found ?? same
}

function spent(wanted: WantedRecord, old: ActualRecord | undefined): Issue {
  const { key, was } = wanted
  const message =
    old === undefined
      ? `"${key}" already has its new key; was: "${was}" has no effect`
      : `"${key}" and its old key "${was}" (${old.kind} ${old.id}) both exist; the plan does not change the latter`
  return { ...issueAt(wanted, 'plan/spent', message, '/was'), severity: 'warning' }
}

function claim(
  { pairs, keyOf, issues }: Matching,
  wanted: WantedRecord,
  found: ActualRecord | undefined,
): void {
  if (found === undefined) return
  const other = keyOf.get(found.id)
  if (other !== undefined) {
    const message = `"${wanted.key}" and "${other}" both match ${found.kind} ${found.id}`
    issues.push(issueAt(wanted, 'plan/ambiguous', message))
    return
  }
  pairs.set(wanted.key, found)
  keyOf.set(found.id, wanted.key)
}

function matchByName(matching: Matching, wanted: WantedRecord): void {
  const { index, keyOf, input, kind, suspects, issues } = matching
  const { name, type } = wanted.members
  const found = index.byName.get(String(name))
  if (found === undefined || keyOf.has(found.id)) return
  if (!input.owns || (found.keyname === null && found.members.type === type)) {
    claim(matching, wanted, found)
    return
  }
  // Managed by this manifest under a key that it no longer has: probably renamed.
  const isOrphan = found.manifest === input.manifestId && !input.wanted[kind].has(found.keyname ?? '')
  if (!isOrphan || found.members.type !== type) return
  suspects.set(wanted.key, found)
  const label = labelOf(found)
  const message = `"${wanted.key}" is probably ${kind} ${found.id}, which this manifest manages as "${label}"`
  issues.push({
    ...issueAt(wanted, 'plan/renamed', message),
    hint: `If it was renamed, add was: ${label}.`,
  })
}
