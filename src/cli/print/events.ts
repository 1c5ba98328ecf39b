import type { Writable } from 'node:stream'
import type { Issue } from '../../core/issue.ts'
import type { Problem } from '../../core/problem.ts'
import type { Outcome, Report } from '../../reconcile/apply/outcome.ts'
import type { AccessChange, AccessTarget, BlockedRules } from '../../reconcile/model/access_change.ts'
import {
  type Change,
  countActions,
  type DataLoad,
  type Edit,
  type Plan,
} from '../../reconcile/model/change.ts'
import { lossFacts } from '../../transfer/data_loss.ts'
import { differenceFacts } from '../../transfer/sync/feature_difference.ts'

/** Version of the event format, incremented with each incompatible change. */
export const eventVersion = 1

/** Writes an event as a JSON line. */
export function writeEvent(out: Writable, type: string, facts: object): void {
  out.write(`${JSON.stringify({ v: eventVersion, type, ...facts })}\n`)
}

/** Writes a plan as events: `plan`, each `issue`, `change`, `unknown` and `access`, and `summary`. */
export function writePlanEvents(out: Writable, plan: Plan): void {
  const { manifest, server, account } = plan
  writeEvent(out, 'plan', {
    manifest,
    server,
    caller: account?.name,
    complete: account?.readsAll,
    only: plan.only,
  })
  for (const issue of plan.issues) writeIssueEvent(out, issue)
  for (const change of plan.changes) writeEvent(out, 'change', changeFacts(change))
  for (const one of plan.unknown) writeEvent(out, 'unknown', one)
  for (const one of plan.access?.changes ?? []) writeEvent(out, 'access', accessFacts(one))
  for (const one of plan.access?.blocked ?? []) writeEvent(out, 'blocked_rules', blockedFacts(one))
  const { unchanged, unknown, fingerprint, access } = plan
  const known = access === undefined ? {} : { access_complete: access.complete, access_users: access.users }
  writeEvent(out, 'summary', {
    ...countActions(plan.changes),
    unchanged,
    unknown: unknown.length,
    uncompared_secrets: plan.uncompared,
    ...known,
    fingerprint,
  })
}

/** Writes an issue. */
export function writeIssueEvent(out: Writable, issue: Issue): void {
  writeEvent(out, 'issue', issue)
}

/** Writes the Problem that ended a command. */
export function writeProblemEvent(
  out: Writable,
  { code, message, hint, status, data, detail }: Problem,
): void {
  writeEvent(out, 'problem', { code, message, hint, status, detail, data })
}

/** Writes the outcome of a change. */
export function writeOutcomeEvent(
  out: Writable,
  { change, outcome, id, report, skipped, before, difference, styleIssues, problem, because }: Outcome,
): void {
  const { key, action } = change
  const facts = {
    key,
    action,
    outcome,
    id,
    report,
    skipped,
    feature_count_before: before,
    difference: difference && differenceFacts(difference),
    style_issues: styleIssues,
    because,
  }
  writeEvent(out, 'outcome', { ...facts, ...faultFacts(problem) })
}

function faultFacts(problem: Problem | undefined): object {
  if (problem === undefined) return {}
  const { code, message, hint, data } = problem
  return { problem: { code, message, hint, data } }
}

/** Writes the report of an apply. */
export function writeReportEvent(out: Writable, report: Report): void {
  const { outcomes, interrupted, atomic, problem, uncertain } = report
  const counts: Record<string, number> = {}
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  writeEvent(out, 'report', { ...counts, interrupted, atomic, uncertain, ...faultFacts(problem) })
}

function changeFacts(change: Change): object {
  const {
    action,
    key,
    cls,
    displayName,
    path,
    id,
    adopts,
    records,
    marksSource,
    edits,
    data,
    restores,
    takes,
  } = change
  const source = data === undefined ? {} : { data: dataFacts(data) }
  return {
    action,
    key,
    cls,
    display_name: displayName,
    path,
    id,
    adopts,
    records,
    marks_source: marksSource,
    edits: edits.map(editFacts),
    ...source,
    ...(restores === undefined ? {} : { restores: restoredFacts(restores) }),
    takes,
  }
}

function restoredFacts({ features, returns, deletes }: NonNullable<Change['restores']>): object {
  return { features, returns, deletes }
}

function accessFacts({ resources, ...change }: AccessChange): object {
  return { ...change, resources: resources.map(targetFacts) }
}

function blockedFacts({ resources, unreadable, ...blocked }: BlockedRules): object {
  return { ...blocked, resources: resources.map(targetFacts), unreadable: targetFacts(unreadable) }
}

function targetFacts({ key, cls, displayName }: AccessTarget): object {
  return { key, cls, display_name: displayName }
}

function editFacts({ lostValues, ...edit }: Edit): object {
  return lostValues === undefined ? edit : { ...edit, lost_values: lostValues }
}

/** Returns what events show of a load. */
export function dataFacts({
  source,
  sizeBytes,
  reason,
  before,
  change,
  edited,
  notSynced,
}: DataLoad): object {
  const known =
    change === undefined
      ? {}
      : {
          feature_count_after: change.after,
          skipped: change.skipped,
          lost_fields: lossFacts(change).lost_fields,
        }
  const server =
    edited === undefined
      ? {}
      : {
          server_edits: edited.changes ?? null,
          last_server_edit: edited.last,
          edited_features: edited.features,
        }
  const difference =
    change?.difference === undefined ? {} : { difference: differenceFacts(change.difference) }
  return {
    source,
    size_bytes: sizeBytes,
    reason,
    source_fields: change?.sourceFields,
    fields_left_out: change?.listedFields?.leftOut,
    fields_lacking: change?.listedFields?.lacking,
    fields_converted: notSynced,
    feature_count_before: before,
    ...known,
    ...server,
    ...difference,
  }
}
