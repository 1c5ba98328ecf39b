import { type GeometryFamily, type GeometryType, geometryParts } from '../../contract/geometry.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import { type ActualResource, type ActualTree, pathOf } from '../model/actual_tree.ts'
import type { PlanInput } from '../model/plan_input.ts'
import { describeOtherFamily } from './data/decide_load.ts'
import { type DiffContext, diffResource } from './diff.ts'
import { listFormerKeys } from './match/former_keys.ts'
import type { ResourceMatch } from './match/match.ts'

/** Returns the context of comparisons. Recreated resources get new ids, so references to them change. */
export function contextOf(
  { manifest, actual, options }: PlanInput,
  match: ResourceMatch,
  recreated: ReadonlySet<string>,
): DiffContext {
  const keyOf = new Map([...match.keyOf].filter(([, key]) => !recreated.has(key)))
  const names = { keyOf, principals: actual.principals, titleOf: (id: number) => titleOf(actual, id) }
  return {
    manifestId: manifest.id,
    names,
    former: listFormerKeys(manifest, match, names),
    findFamily: (id) => familyOf(id === null ? undefined : actual.byId.get(id)),
    findId: (key) => (recreated.has(key) ? undefined : match.pairs.get(key)?.id),
    sendSecrets: options.sendSecrets,
    take: options.take,
    mergesMetadata: actual.landform !== undefined,
    keyRecords: match.keyRecords,
  }
}

function familyOf(layer: ActualResource | undefined): GeometryFamily | undefined {
  const type = layer?.members[layer.cls]?.geometry_type
  return typeof type === 'string' ? geometryParts(type as GeometryType).family : undefined
}

function titleOf(actual: ActualTree, id: number): string | undefined {
  const found = actual.byId.get(id)
  return found && (found.keyname ?? pathOf(actual, id).join(' / '))
}

/**
 * Lists the keys of resources to delete and create again: those with a change that is impossible in place and a
 * permission to replace them, and resources of the manifest below them that do not move out.
 */
export function listRecreated(input: PlanInput, match: ResourceMatch): ReadonlySet<string> {
  const { manifest, actual, options } = input
  const recreated = new Set<string>()
  if (options.replace.size === 0) return recreated
  const context = contextOf(input, match, recreated)
  const gone = new Set<number>()
  for (const wanted of manifest.resources.values()) {
    const there = match.pairs.get(wanted.key)
    if (there === undefined || wanted.existing) continue
    const allowed = options.replace.has(wanted.key)
    const replaced =
      allowed &&
      (hasOtherClass(wanted, there) ||
        hasOtherId(wanted, there) ||
        describeOtherFamily(there, input.loads?.get(wanted.key)) !== undefined ||
        diffResource(wanted, there, context).edits.some((edit) => edit.replaces !== undefined))
    const below = wanted.parent !== undefined && recreated.has(wanted.parent) && isBelow(actual, there, gone)
    if (!replaced && !below) continue
    recreated.add(wanted.key)
    gone.add(there.id)
  }
  return recreated
}

function hasOtherClass(wanted: WantedResource, there: ActualResource): boolean {
  return wanted.cls !== undefined && wanted.cls !== there.cls
}

/** An undo restores a replaced resource with the id that it had. */
function hasOtherId({ formerId }: WantedResource, { id }: ActualResource): boolean {
  return formerId !== undefined && formerId !== id
}

function isBelow(actual: ActualTree, { parentId }: ActualResource, gone: ReadonlySet<number>): boolean {
  for (let at = parentId; at !== null; at = actual.byId.get(at)?.parentId ?? null)
    if (gone.has(at)) return true
  return false
}
