import { fieldMarkKey } from '../../contract/field_marks.ts'
import { problems } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import { type ActualResource, labelOf } from '../model/actual_tree.ts'
import { findRecorded } from '../model/owned_fields.ts'
import type { PlanInput } from '../model/plan_input.ts'
import type { Match } from './match/match.ts'

/** A resource that the manifest does not manage, whose fields it once set, and that it no longer contains. */
export interface LeftBehind {
  readonly actual: ActualResource
  /** A block that sets nothing, so that all fields are reset. */
  readonly wanted: WantedResource
}

/** Lists the resources with fields that the manifest once set in a block with `existing: true` that is gone. */
export function listLeftBehind({ manifest, actual, options }: PlanInput, match: Match): LeftBehind[] {
  // An undo has a part of the manifest only.
  if (options.deletable !== undefined) return []
  const mark = fieldMarkKey(manifest.id)
  return [...actual.byId.values()].flatMap((resource): LeftBehind[] => {
    const { id, manager, marks } = resource
    if (!(mark in marks) || manager === manifest.id || match.keyOf.has(id)) return []
    if (findRecorded(resource, manifest.id, actual.principals) === undefined) return []
    const key = labelOf(resource)
    const spanOf = () => ({ file: key, line: 1, column: 1, endLine: 1, endColumn: 1 })
    return [{ actual: resource, wanted: { key, existing: true, id, protect: false, members: {}, spanOf } }]
  })
}

/** Reports fields that stay on the server although the manifest no longer contains the resource. */
export function reportLeftBehind({ actual, wanted: { key } }: LeftBehind): Issue {
  const message = `"${key}" (${actual.cls}) still has what this manifest set on it, but the manifest no longer contains it`
  return { code: 'plan/left-behind', message, severity: 'warning', hint: problems['plan/left-behind'].advice }
}
