import type { Issue } from '../../core/issue.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import type { Edit } from '../model/change.ts'
import { issueAt } from './issue_at.ts'

type Wanted = Pick<WantedResource, 'key' | 'spanOf'>

/** Reports a resource or record that another manifest manages. */
export function foreignIssue(
  wanted: Wanted,
  manager: string | undefined,
  noun: 'resource' | 'record',
): Issue {
  const message = `"${wanted.key}" is managed by the manifest "${manager}"`
  const hint = `Adopt it with --adopt, set the manifest id to "${manager}" if both are the same manifest, or remove the ${noun} from one of them.`
  return { ...issueAt(wanted, 'plan/foreign', message), hint }
}

/** Reports the first edit that is impossible in place. */
export function reportReplacement(wanted: Wanted, edits: readonly Edit[], hint: string): Issue[] {
  const edit = edits.find(({ replaces }) => replaces !== undefined)
  if (edit === undefined) return []
  const message = `cannot change "${wanted.key}" in place: ${edit.replaces}`
  return [{ ...issueAt(wanted, 'plan/replace', message, edit.pointer), hint }]
}
