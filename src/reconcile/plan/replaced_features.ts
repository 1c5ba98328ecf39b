import { countOf } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import type { Takes } from '../model/takes.ts'
import { isEdited } from './data/decide_load.ts'
import { issueAt } from './issue_at.ts'

/** What the deletion of a resource, which is created again, deletes. */
export interface Replaced {
  readonly old: ActualResource
  readonly takes: Takes
  /** Number of features of the resource itself; undefined if not yet requested, null if the server cannot count them. */
  readonly ownCount: number | null | undefined
}

/**
 * Reports a replacement that deletes features. Features that the manifest has loaded and nobody has edited since are not lost: they
 * are loaded again.
 */
export function checkReplaced(wanted: WantedResource, { old, takes, ownCount }: Replaced): Issue[] {
  const { features } = takes
  const isLoadedAgain = wanted.data !== undefined && old.source !== undefined && !isEdited(old)
  if (features === 0 || (isLoadedAgain && features !== undefined && features === ownCount)) return []
  const what = features === undefined ? 'an unknown number of features' : countOf(features, 'feature')
  const message = `replacing "${wanted.key}" would delete ${what}`
  const hint = `If the deletion is intended, use --allow-delete ${wanted.key}.`
  return [{ ...issueAt(wanted, 'plan/fuse', message, ''), hint }]
}
