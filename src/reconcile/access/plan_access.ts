import type { Key } from '../../access/access_tree.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { type AccessReport, type AccessTarget, unchangedAccess } from '../model/access_change.ts'
import { type ActualTree, labelOf } from '../model/actual_tree.ts'
import type { Plan } from '../model/change.ts'
import type { PlanReader } from '../plan/plan_reader.ts'
import { type GroupMember, listSubjects } from './access_subjects.ts'
import { type AccessTrees, affectedIn, buildTrees } from './access_trees.ts'
import { type AffectedResource, compareAccess, listAffected } from './compare_access.ts'
import { createCauseFinder } from './find_causes.ts'
import { applyMemberships, changesGroups } from './planned_memberships.ts'

/** Input of the comparison. */
export interface AccessInput {
  readonly plan: Pick<Plan, 'changes' | 'ids' | 'principals'>
  readonly manifest: Pick<Manifest, 'resources' | 'principals'>
  readonly actual: ActualTree
  /** Users and groups, named as in rules, whose changes are listed even if they follow from others. */
  readonly watched?: readonly string[] | undefined
}

/**
 * Compares the effective permissions of users and groups before and after a plan. Reads the groups of users in one
 * request, and only if the plan can change permissions.
 *
 * @throws {Problem} http/*
 */
export async function planAccess(
  { readUsers }: Pick<PlanReader, 'readUsers'>,
  input: AccessInput,
): Promise<AccessReport> {
  const trees = treesOf(input)
  if (trees === undefined) return unchangedAccess
  return reportAccess({ ...input, trees }, await readUsers())
}

/** Compares the effective permissions before and after a plan. Pure; `users` is undefined if unknown. */
export function computeAccess(input: AccessInput, users: readonly GroupMember[] | undefined): AccessReport {
  const trees = treesOf(input)
  return trees === undefined ? unchangedAccess : reportAccess({ ...input, trees }, users)
}

const treesOf = ({ plan, actual }: AccessInput) =>
  buildTrees({
    ...{ changes: plan.changes, ids: plan.ids, principals: plan.principals, actual },
    isNeeded: plan.changes.some(changesGroups),
  })

function reportAccess(
  { trees, manifest, actual, plan, watched }: AccessInput & { readonly trees: AccessTrees },
  users: readonly GroupMember[] | undefined,
): AccessReport {
  const { principals } = actual
  const members = users && applyMemberships(users, { plan, manifest, principals })
  const affected = listAffected(trees, plan.changes.some(changesGroups))
  const subjects = listSubjects(trees, principals, {
    users: members,
    watched: fullNames(watched ?? [], principals),
  })
  const changes = compareAccess(subjects, {
    trees,
    affected,
    describe: describer({ plan, actual, trees }),
    findCauses: createCauseFinder({ trees, manifest, principals }),
  })
  const complete = principals.known && actual.complete && isKnown(trees, actual)
  return { complete, users: users !== undefined, changes }
}

function fullNames(names: readonly string[], { find }: ActualTree['principals']): Set<string> {
  return new Set(names.map(find).flatMap((one) => ('name' in one ? [one.name] : [])))
}

/** Tells whether the account reads the rules of all resources that determine the changed permissions. */
function isKnown({ after, touched }: AccessTrees, actual: ActualTree): boolean {
  const isAffected = affectedIn(after, touched)
  return [...after.keys()].every((key) => {
    const resource = actual.byId.get(Number(key))
    if (typeof key === 'string' || resource === undefined) return true
    return resource.rules !== undefined || !isAffected(key)
  })
}

function describer({
  plan,
  actual,
  trees,
}: Pick<AccessInput, 'plan' | 'actual'> & { readonly trees: AccessTrees }): (
  resource: AffectedResource,
) => AccessTarget {
  const changes = new Map(
    plan.changes.filter(({ record }) => record === undefined).map((one) => [one.key, one]),
  )
  const manifestKeys = new Map<Key, string>([...plan.ids].map(([key, id]) => [id, key] as const))
  const known = new Map<Key, AccessTarget>()
  const describe = ({ before, after }: AffectedResource): AccessTarget => {
    const resource = before === undefined ? undefined : actual.byId.get(Number(before))
    const key =
      typeof after === 'string'
        ? after
        : (manifestKeys.get(after ?? '') ?? (resource === undefined ? String(before) : labelOf(resource)))
    const change = changes.get(key)
    const cls = (trees.after.get(after ?? '') ?? trees.before.get(before ?? ''))?.cls ?? ''
    return { key, cls, displayName: change?.displayName ?? resource?.displayName ?? key }
  }
  return (resource) => {
    const id = resource.after ?? resource.before ?? ''
    const found = known.get(id) ?? describe(resource)
    known.set(id, found)
    return found
  }
}
