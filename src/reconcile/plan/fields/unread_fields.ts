import type { Issue } from '../../../core/issue.ts'
import { splitPointer } from '../../../core/pointer.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { ExtensionsPlan } from '../data/plan_extensions.ts'
import type { ResourceDiff } from '../diff.ts'
import { issueAt } from '../issue_at.ts'

/** A resource with fields that a plan may not be able to compare. */
export interface ComparedResource {
  readonly wanted: WantedResource
  readonly actual: ActualResource
  readonly diff: Pick<ResourceDiff, 'unknown' | 'unseen'>
  readonly extended: Pick<ExtensionsPlan, 'isUncaptured'>
}

/** Explains which fields of an unchanged resource are not compared; undefined if all are. */
export function describeUnread({ wanted, actual, diff, extended }: ComparedResource): string | undefined {
  const isDataUnread = wanted.data !== undefined && actual.resmeta === undefined
  const names = [
    ...diff.unknown.map((pointer) => splitPointer(pointer).join('.')),
    ...(isDataUnread ? ['data'] : []),
  ]
  const reasons = [
    ...(diff.unseen.length === 0 ? [] : [describeUnseen(diff)]),
    ...(names.length === 0 ? [] : [`this account cannot compare ${names.join(', ')}`]),
    ...(extended.isUncaptured ? ['the capture has no descriptions and attachments of its features'] : []),
  ]
  return reasons.length === 0 ? undefined : `${reasons.join('; ')}; the rest is unchanged`
}

const describeUnseen = ({ unseen }: Pick<ResourceDiff, 'unseen'>) =>
  `this account cannot compare ${namesOf(unseen)} because it cannot read what they refer to`

const namesOf = (pointers: readonly string[]) =>
  pointers.map((pointer) => splitPointer(pointer).join('.')).join(', ')

/** Warns of fields that the account cannot read, or cannot compare. */
export function reportUnknown(
  wanted: WantedResource,
  { unknown, unseen, edits }: Pick<ResourceDiff, 'unknown' | 'unseen' | 'edits'>,
): Issue[] {
  // An unchanged resource is listed with the reason.
  const issues = unseen.length === 0 || edits.length === 0 ? [] : [unseenIssue(wanted, unseen)]
  if (unknown.length === 0) return issues
  const message = `"${wanted.key}": this account cannot read ${unknown.join(', ')}, so the plan does not change it`
  return [...issues, { ...issueAt(wanted, 'plan/unknown', message, unknown[0]), severity: 'warning' }]
}

function unseenIssue(wanted: WantedResource, unseen: readonly string[]): Issue {
  const message = `"${wanted.key}": ${describeUnseen({ unseen })}, so the plan does not change it`
  return { ...issueAt(wanted, 'plan/unknown', message, unseen[0]), severity: 'warning' }
}
