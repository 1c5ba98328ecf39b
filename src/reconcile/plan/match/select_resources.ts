import { membersOf } from '../../../contract/bodies/bodies.ts'
import { findReferences } from '../../../contract/schema/references.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import { labelOf, listDescendants } from '../../model/actual_tree.ts'
import type { PlanInput } from '../../model/plan_input.ts'
import type { Match } from './match.ts'

/** Resources that a plan is about. */
export interface Selection {
  readonly keys: ReadonlySet<string>
  /** Ids of the only resources that may be deleted. */
  readonly deletable: ReadonlySet<number>
}

/**
 * Selects the resources that `only` names, and what their changes need: parents and resources that they refer to, if these do not
 * exist yet; the resource that leaves the key of one; resources below a replaced one; and those that move out of a deleted one.
 * Undefined if a plan is about all.
 */
export function selectResources(
  { manifest, actual, options: { only } }: Pick<PlanInput, 'manifest' | 'actual' | 'options'>,
  { keyOf, pairs }: Match,
  recreated: ReadonlySet<string>,
): Selection | undefined {
  if (only.size === 0) return undefined
  const orphans = [...actual.byId.values()].filter(
    (one) => one.manager === manifest.id && !keyOf.has(one.id) && only.has(labelOf(one)),
  )
  const movedOut = orphans.flatMap(({ id }) =>
    listDescendants(actual, id).flatMap((one) => keyOf.get(one) ?? []),
  )
  const keys = new Set<string>()
  const open = [...only, ...movedOut]
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const wanted = manifest.resources.get(key)
    if (wanted === undefined || keys.has(key)) continue
    keys.add(key)
    open.push(...listNeeded(wanted).filter((one) => !pairs.has(one)))
    const holder = actual.byKeyname.get(key)
    const next = holder && keyOf.get(holder.id)
    if (next !== undefined) open.push(next)
  }
  for (const { key, parent } of manifest.resources.values())
    if (parent !== undefined && keys.has(parent) && recreated.has(parent)) keys.add(key)
  return { keys, deletable: new Set(orphans.map(({ id }) => id)) }
}

function listNeeded({ cls, parent, members }: WantedResource): string[] {
  const above = parent === undefined ? [] : [parent]
  if (cls === undefined) return above
  const referred = Object.entries(membersOf(cls)).flatMap(([member, schema]) =>
    findReferences(schema, members[member]).flatMap(({ value, target }) =>
      typeof value === 'string' && target !== 'principal' ? [value] : [],
    ),
  )
  return [...above, ...referred]
}
