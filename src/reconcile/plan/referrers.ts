import { membersOf } from '../../contract/bodies.ts'
import { type FoundReference, findReferences, targetIdOf } from '../../contract/references.ts'
import { isCls } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import { findAtPointer, parentPointer, splitPointer } from '../../core/pointer.ts'
import {
  type ActualResource,
  type ActualTree,
  labelOf,
  listDescendants,
  pathOf,
  readsAll,
} from '../model/actual_tree.ts'
import type { Change, Referrer } from '../model/change.ts'

/** What the search for referrers rests on. */
export interface ReferrersInput {
  readonly actual: ActualTree
  readonly changes: readonly Change[]
  /** Ids of the resources that leave what is deleted before it goes. */
  readonly kept: ReadonlySet<number>
  /** Keys of resources that may lose what refers to a deleted one. */
  readonly allowLoss: ReadonlySet<string>
}

/** Changes with the resources that refer to what they delete, and why these forbid it. */
export interface ReferrersPlan {
  readonly changes: readonly Change[]
  readonly issues: readonly Issue[]
}

/**
 * Names the resources that refer to something that a change deletes, those of other manifests and of people too: they
 * lose an entry, or refuse. What goes itself, or is written without the reference, is none of them.
 */
export function planReferrers(input: ReferrersInput): ReferrersPlan {
  const deleting = input.changes.filter(deletes)
  if (deleting.length === 0) return { changes: input.changes, issues: [] }
  const owners = findOwners(deleting, input)
  const uses = findUses(owners, input)
  const issues: Issue[] = []
  const changes = input.changes.map((change) => {
    const referrers = uses.get(change)
    if (referrers === undefined || change.takes === undefined) return change
    issues.push(...referrers.flatMap((referrer) => checkReferrer(change, referrer, input.allowLoss)))
    return { ...change, takes: { ...change.takes, referrers } }
  })
  return { changes, issues: [...issues, ...checkCompleteness(deleting, input.actual)] }
}

const deletes = ({ action }: Change) => action === 'delete' || action === 'replace'

/** Which change deletes each resource that goes: its own, else that of something above it. */
function findOwners(deleting: readonly Change[], { actual, kept }: ReferrersInput): Map<number, Change> {
  const owners = new Map<number, Change>()
  for (const change of deleting) {
    if (change.id === undefined) continue
    for (const id of listDescendants(actual, change.id, kept)) if (!owners.has(id)) owners.set(id, change)
  }
  for (const change of deleting) if (change.id !== undefined) owners.set(change.id, change)
  return owners
}

function findUses(
  owners: ReadonlyMap<number, Change>,
  { actual, changes }: ReferrersInput,
): Map<Change, Referrer[]> {
  const bodies = new Map(changes.flatMap(({ id, body }) => (id === undefined ? [] : [[id, body] as const])))
  const uses = new Map<Change, Referrer[]>()
  for (const resource of actual.byId.values()) {
    if (owners.has(resource.id)) continue
    const found = findUsesOf(resource, owners, bodies.get(resource.id))
    for (const [change, group] of Map.groupBy(found, ({ owner }) => owner)) {
      const referrers = uses.get(change) ?? []
      referrers.push(referrerOf(resource, group, actual))
      uses.set(change, referrers)
    }
  }
  return uses
}

/** One place of a resource that refers to what goes. */
interface Use {
  readonly owner: Change
  /** Name of the entry that holds the reference, else of the field. */
  readonly what: string
  readonly refuses: boolean
}

function findUsesOf(
  { cls, members }: ActualResource,
  owners: ReadonlyMap<number, Change>,
  written: Change['body'] | undefined,
): Use[] {
  if (!isCls(cls)) return []
  return Object.entries(membersOf(cls)).flatMap(([member, schema]) => {
    if (member === 'resource' || members[member] === undefined) return []
    return findReferences(schema, members[member]).flatMap((found): Use[] => {
      const [field = ''] = splitPointer(found.pointer)
      const id = targetIdOf(found.value)
      const owner = typeof id === 'number' ? owners.get(id) : undefined
      if (owner === undefined || found.target === 'principal' || written?.[member]?.[field] !== undefined)
        return []
      return [{ owner, what: nameUse(members[member], found), refuses: found.target.onDelete === 'refuse' }]
    })
  })
}

/** Names the nearest entry around a reference that has a name: a layer of a map, a field of a layer. */
function nameUse(member: unknown, { pointer }: FoundReference): string {
  for (let at = parentPointer(pointer); at !== ''; at = parentPointer(at)) {
    const { display_name, keyname } = findAtPointer(member, at) as {
      readonly display_name?: unknown
      readonly keyname?: unknown
    }
    const name = [display_name, keyname].find((one) => typeof one === 'string' && one !== '')
    if (name !== undefined) return `"${String(name)}"`
  }
  return splitPointer(pointer)[0] ?? ''
}

function referrerOf(resource: ActualResource, uses: readonly Use[], actual: ActualTree): Referrer {
  return {
    key: labelOf(resource),
    cls: resource.cls,
    path: pathOf(actual, resource.id),
    loses: [...new Set(uses.map(({ what }) => what))],
    refuses: uses.some(({ refuses }) => refuses),
  }
}

function checkReferrer(
  { key }: Change,
  { key: user, cls, loses, refuses }: Referrer,
  allowed: ReadonlySet<string>,
): Issue[] {
  const what = loses.join(', ')
  const base = { code: 'plan/referenced', severity: 'error' } as const
  if (refuses) {
    const message = `"${key}" cannot be deleted: "${user}" (${cls}) uses it in ${what}`
    return [{ ...base, message, hint: `Change "${user}" first.` }]
  }
  if (allowed.has(user)) return []
  const message = `deleting "${key}" would take ${what} out of "${user}" (${cls})`
  return [{ ...base, message, hint: `If it is meant: --allow-loss ${user}` }]
}

/** What an account cannot see may use what is replaced. */
function checkCompleteness(deleting: readonly Change[], actual: ActualTree): Issue[] {
  const replaced = deleting.filter(({ action }) => action === 'replace')
  if (replaced.length === 0 || readsAll(actual)) return []
  const keys = replaced.map(({ key }) => `"${key}"`).join(', ')
  const message = `this account cannot read the whole tree: what else uses ${keys} is unknown, so nothing is replaced`
  const hint = 'Replace with an account that may read the whole tree.'
  return [{ code: 'plan/incomplete', message, severity: 'error', hint }]
}
