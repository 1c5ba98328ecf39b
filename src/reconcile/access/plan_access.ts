import type { Key } from '../../access/access_tree.ts'
import type { Api } from '../../api/api.ts'
import { isProblem } from '../../core/problem.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { type AccessReport, type AccessTarget, unchangedAccess } from '../model/access_change.ts'
import { type ActualTree, labelOf } from '../model/actual_tree.ts'
import type { Plan } from '../model/change.ts'
import { type GroupMember, listSubjects } from './access_subjects.ts'
import { type AccessTrees, affectedIn, buildTrees } from './access_trees.ts'
import { type AffectedResource, compareAccess, listAffected } from './compare_access.ts'
import { createCauseFinder } from './find_causes.ts'

/** Input of the comparison. */
export interface AccessInput {
  readonly plan: Pick<Plan, 'changes' | 'ids' | 'principals'>
  readonly manifest: Pick<Manifest, 'resources'>
  readonly actual: ActualTree
}

/**
 * Compares the effective permissions of users and groups before and after a plan. Reads the groups of users in one
 * request, and only if the plan can change permissions.
 *
 * @throws {Problem} http/*
 */
export async function planAccess(
  api: Api,
  input: AccessInput,
  signal: AbortSignal | undefined,
): Promise<AccessReport> {
  const trees = treesOf(input)
  if (trees === undefined) return unchangedAccess
  return reportAccess({ ...input, trees }, await readUsers(api, signal))
}

/** Compares the effective permissions before and after a plan. Pure; `users` is undefined if unknown. */
export function computeAccess(input: AccessInput, users: readonly GroupMember[] | undefined): AccessReport {
  const trees = treesOf(input)
  return trees === undefined ? unchangedAccess : reportAccess({ ...input, trees }, users)
}

const treesOf = ({ plan, actual }: AccessInput) =>
  buildTrees({ changes: plan.changes, ids: plan.ids, principals: plan.principals, actual })

async function readUsers(api: Api, signal: AbortSignal | undefined): Promise<GroupMember[] | undefined> {
  try {
    const users = await api.call('auth.user_list', { signal })
    return users.every((user) => user.member_of !== undefined || user.system) ? users : undefined
  } catch (error) {
    if (isProblem(error) && [401, 403, 404, 405, 501].includes(error.status ?? 0)) return undefined
    throw error
  }
}

function reportAccess(
  { trees, manifest, actual, plan }: AccessInput & { readonly trees: AccessTrees },
  users: readonly GroupMember[] | undefined,
): AccessReport {
  const { principals } = actual
  const affected = listAffected(trees)
  const subjects = listSubjects(trees, principals, users)
  const changes = compareAccess(subjects, {
    trees,
    affected,
    describe: describer({ plan, actual, trees }),
    findCauses: createCauseFinder({ trees, manifest, principals }),
  })
  const complete = principals.known && actual.complete && isKnown(trees, actual)
  return { complete, users: users !== undefined, changes }
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
