import type { Action } from '../../contract/bodies/journal.ts'
import { countOf } from '../../core/count.ts'
import { countActions, type Plan } from '../../reconcile/model/change.ts'
import { formatIssues } from './issue_list.ts'
import { plainLine } from './text_format.ts'

/** A plan to write as a document. */
export interface PlanDocument {
  readonly plan: Plan
  /** Texts of the manifests, for excerpts. */
  readonly sources: ReadonlyMap<string, string>
  /** Git commit of the manifest. */
  readonly commit?: string | undefined
  /** What the plan was made against, if not the server itself. */
  readonly capture?: string | undefined
}

/** Formats what a plan is based on: `Manifest city (commit 3f2a91c4d0e1), server http://127.0.0.1:8080, account editor`. */
export function formatHeader({ plan, commit }: Pick<PlanDocument, 'plan' | 'commit'>): string {
  const [manifest, ...facts] = listFacts({ plan, sources: new Map() })
  const version = commit === undefined ? '' : ` (commit ${plainLine(commit)})`
  const rest = facts.map(([name, value]) => `${name.toLowerCase()} ${value}`)
  return [`Manifest ${manifest?.[1]}${version}`, ...rest].join(', ')
}

/** Lists what a plan is based on, as pairs of a name and a value on one line. */
export function listFacts({ plan, commit, capture }: PlanDocument): (readonly [string, string])[] {
  const { server, account, manifest } = plan
  const part = account?.readsAll === false ? ', which cannot read all resources' : ''
  return [
    ['Manifest', manifest],
    ...(commit === undefined ? [] : [['Commit', commit] as const]),
    ['Server', server],
    ...(account === undefined ? [] : [['Account', `${account.name ?? 'unknown'}${part}`] as const]),
    ...(capture === undefined ? [] : [['Capture', capture] as const]),
  ].map(([name = '', value = '']) => [name, plainLine(value)] as const)
}

/** Marks in a plan: the actions, and `unknown`. */
export type Mark = Action | 'unknown'

/** Marks by urgency: what loses data comes first. */
export const marks: readonly Mark[] = ['delete', 'replace', 'unknown', 'move', 'update', 'adopt', 'create']

/** Counts the changes by mark. */
export function countMarks({ changes, unknown }: Plan): Readonly<Record<Mark, number>> {
  return { ...countActions(changes), unknown: unknown.length }
}

/** Describes a count: `3 to create`, `2 unknown`. */
export function showMark(mark: Mark, count: number): string {
  return mark === 'unknown' ? `${count} unknown` : `${count} to ${mark}`
}

/** Errors and warnings of a plan as texts; undefined if there are none. */
export function listIssues({
  plan,
  sources,
}: PlanDocument): { title: string; text: string; isError: boolean }[] {
  return (['error', 'warning'] as const).flatMap((severity) => {
    const issues = plan.issues.filter((issue) => issue.severity === severity)
    if (issues.length === 0) return []
    const isError = severity === 'error'
    return [{ title: countOf(issues.length, severity), text: formatIssues(issues, sources), isError }]
  })
}
