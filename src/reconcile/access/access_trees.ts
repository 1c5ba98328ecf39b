import type { AccessResource, AccessRule, AccessTree, Key } from '../../access/access_tree.ts'
import type { Rule } from '../../contract/bodies/resource.ts'
import { findRequirement, isCls } from '../../contract/registry.ts'
import type { WantedRule } from '../../manifest/manifest.ts'
import type { ActualResource, ActualTree } from '../model/actual_tree.ts'
import type { Change, Plan } from '../model/change.ts'
import { findPrincipalId } from '../model/principals.ts'

/** Resources before and after a plan, as input of the evaluator, and the resources that the plan changes. */
export interface AccessTrees {
  readonly before: ReadonlyMap<Key, AccessResource>
  /** New and replaced resources have their manifest key. */
  readonly after: ReadonlyMap<Key, AccessResource>
  /** Keys, in either tree, of resources whose rules, parent, owner, connection or existence changes. */
  readonly touched: ReadonlySet<Key>
  /** Manifest keys of touched resources, by their keys in the trees. */
  readonly manifestKeys: ReadonlyMap<Key, string>
  /** Keys of replaced resources, by their ids before the plan. */
  readonly replaced: ReadonlyMap<Key, Key>
}

/** Input of the trees. */
export interface TreesInput extends Pick<Plan, 'changes' | 'ids' | 'principals'> {
  readonly actual: ActualTree
  /** Whether the trees are needed even if the plan changes no resource that determines permissions. */
  readonly isNeeded?: boolean
}

/**
 * Builds the access trees before and after a plan. Undefined if the plan changes nothing that determines permissions.
 * Hidden rules are empty, and hidden owners own nothing.
 */
export function buildTrees(input: TreesInput): AccessTrees | undefined {
  const changes = input.changes.filter(affectsAccess)
  if (changes.length === 0 && input.isNeeded !== true) return undefined
  const before = new Map<Key, AccessResource>()
  for (const resource of input.actual.listDependent(changes.flatMap(({ id }) => id ?? []))) {
    const found = readAccess(resource)
    if (found !== undefined) before.set(resource.id, found)
  }
  return applyChanges(before, changes, input)
}

function affectsAccess({ record, action, body, cls }: Change): boolean {
  if (record !== undefined) return false
  if (action === 'create' || action === 'replace' || action === 'delete') return true
  const { permissions, parent, owner_user: owner } = body.resource ?? {}
  return [permissions, parent, owner, body[cls]?.connection].some((value) => value !== undefined)
}

/** Owner of resources whose owner the account cannot read. */
const hiddenOwner = 'hidden owner'

/** Reads a resource of a server as input of the evaluator; undefined if its class is unknown. */
export function readAccess(resource: ActualResource): AccessResource | undefined {
  const { cls, parentId, ownerId, rules = [], members } = resource
  if (!isCls(cls)) return undefined
  return {
    cls,
    parent: parentId ?? undefined,
    owner: ownerId ?? hiddenOwner,
    rules: rules.map(readRule),
    connection: connectionOf(cls, members, () => undefined),
  }
}

const readRule = ({ principal, ...rule }: Rule): AccessRule => ({ ...rule, principal: principal.id })

type Members = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>

function connectionOf(cls: string, members: Members, find: (key: string) => Key | undefined) {
  if (findRequirement(cls)?.on !== 'connection') return undefined
  const value = members[cls]?.connection
  if (typeof value === 'string') return find(value)
  return (value as { readonly id?: number } | null | undefined)?.id
}

/** Applies changes: first all but the deletions, since resources move out of what is deleted. */
function applyChanges(
  before: ReadonlyMap<Key, AccessResource>,
  changes: readonly Change[],
  { ids, principals, actual }: TreesInput,
): AccessTrees {
  const created = new Set(changes.filter(isNew).map(({ key }) => key))
  const principalOf = (name: string): Key => findPrincipalId(name, principals) ?? name
  const names: Names = {
    find: (key) => (created.has(key) ? key : ids.get(key)),
    principalOf,
    caller: principalOf(`user:${actual.caller ?? 'guest'}`),
  }
  const after = new Map(before)
  const touched = new Set<Key>()
  const manifestKeys = new Map<Key, string>()
  const replaced = new Map<Key, Key>()
  for (const change of changes) {
    const { id, action } = change
    if (id !== undefined) touched.add(id)
    if (action === 'delete') continue
    const key: Key = isNew(change) || id === undefined ? change.key : id
    touched.add(key)
    manifestKeys.set(key, change.key)
    if (id !== undefined && key !== id) replaced.set(id, key)
    const made = resourceAfter(change, before.get(key), names)
    if (made !== undefined) after.set(key, made)
  }
  removeAll(
    after,
    changes.flatMap(({ action, id }) =>
      id !== undefined && (action === 'delete' || action === 'replace') ? [id] : [],
    ),
  )
  return { before, after, touched, manifestKeys, replaced }
}

const isNew = ({ action }: Change) => action === 'create' || action === 'replace'

interface Names {
  find(key: string): Key | undefined
  principalOf(name: string): Key
  readonly caller: Key
}

function resourceAfter(
  { cls, body }: Change,
  old: AccessResource | undefined,
  { find, principalOf, caller }: Names,
): AccessResource | undefined {
  if (!isCls(cls)) return undefined
  const { permissions, parent, owner_user: owner } = body.resource ?? {}
  const rules = (permissions as readonly WantedRule[] | undefined)?.map((rule) => ({
    ...rule,
    principal: principalOf(rule.principal),
  }))
  return {
    cls,
    parent: typeof parent === 'string' ? find(parent) : old?.parent,
    owner: typeof owner === 'string' ? principalOf(owner) : (old?.owner ?? caller),
    rules: rules ?? old?.rules ?? [],
    connection: connectionOf(cls, body, find) ?? old?.connection,
  }
}

/** Removes resources with everything that is still below them. */
function removeAll(tree: Map<Key, AccessResource>, gone: readonly Key[]): void {
  if (gone.length === 0) return
  const removed = new Map<Key, boolean>(gone.map((key) => [key, true]))
  const isRemoved = (key: Key | undefined): boolean => {
    if (key === undefined) return false
    const known = removed.get(key)
    if (known !== undefined) return known
    removed.set(key, false)
    const found = isRemoved(tree.get(key)?.parent)
    removed.set(key, found)
    return found
  }
  for (const key of [...tree.keys()]) if (isRemoved(key)) tree.delete(key)
}

/** Returns the resources of a tree that determine the permissions on some of them: with all above these and their connections. */
export function keepDecisive(tree: ReadonlyMap<Key, AccessResource>, keys: Iterable<Key>): AccessTree {
  const kept = new Map<Key, AccessResource>()
  const open = [...keys]
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const resource = tree.get(key)
    if (resource === undefined || kept.has(key)) continue
    kept.set(key, resource)
    for (const next of [resource.parent, resource.connection]) if (next !== undefined) open.push(next)
  }
  return kept
}

/** Returns a function that tells whether the plan can change the permissions on a resource of a tree. */
export function affectedIn(tree: ReadonlyMap<Key, AccessResource>, touched: ReadonlySet<Key>) {
  const known = new Map<Key, boolean>()
  const isAffected = (key: Key | undefined): boolean => {
    if (key === undefined) return false
    if (touched.has(key)) return true
    const before = known.get(key)
    if (before !== undefined) return before
    known.set(key, false)
    const resource = tree.get(key)
    const found = isAffected(resource?.parent) || isAffected(resource?.connection)
    known.set(key, found)
    return found
  }
  return isAffected
}
