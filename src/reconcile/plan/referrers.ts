import { membersOf } from '../../contract/bodies/bodies.ts'
import { isCls } from '../../contract/registry.ts'
import { type FoundReference, findReferences, targetIdOf } from '../../contract/schema/references.ts'
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
import type { Change } from '../model/change.ts'
import type { Referrer } from '../model/takes.ts'
import { quoteForShell } from './prune.ts'

/** Input of the search for referrers. */
export interface ReferrersInput {
  readonly actual: ActualTree
  readonly changes: readonly Change[]
  /** Ids of resources that move out of deleted groups first. */
  readonly kept: ReadonlySet<number>
  /** Keys of resources that may lose references to deleted resources. */
  readonly allowLoss: ReadonlySet<string>
}

/** Changes with the referrers of deleted resources, and issues. */
export interface ReferrersPlan {
  readonly changes: readonly Change[]
  readonly issues: readonly Issue[]
}

/**
 * Finds the resources that refer to a deleted resource, including unmanaged ones: they lose an entry or block the
 * deletion. Excludes resources that are deleted themselves or written without the reference.
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

/** Maps each deleted resource to the change that deletes it: its own or that of an ancestor. */
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
  const gone = [...new Set(owners.values())].flatMap(({ id }) => id ?? [])
  for (const resource of actual.listReferring(gone)) {
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

/** A reference to a deleted resource. */
interface Use {
  readonly owner: Change
  /** Name of the entry with the reference, or of the field. */
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

/** Returns the name of the nearest named entry around a reference, such as a layer of a map or a field of a layer. */
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
    id: resource.id,
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
    const message = `cannot delete "${key}": "${user}" (${cls}) uses it in ${what}`
    return [{ ...base, message, hint: `Remove the reference from "${user}" first.` }]
  }
  if (allowed.has(user)) return []
  const message = `deleting "${key}" would remove ${what} from "${user}" (${cls})`
  return [{ ...base, message, hint: `If the loss is intended, use --allow-loss ${quoteForShell(user)}.` }]
}

/** Rejects replacements if resources that the account cannot read may refer to the replaced ones. */
function checkCompleteness(deleting: readonly Change[], actual: ActualTree): Issue[] {
  const replaced = deleting.filter(({ action }) => action === 'replace')
  if (replaced.length === 0 || readsAll(actual)) return []
  const keys = replaced.map(({ key }) => `"${key}"`).join(', ')
  const message = `cannot replace ${keys}: this account cannot read all resources that may refer to them`
  const hint = 'Use an account that can read all resources.'
  return [{ code: 'plan/incomplete', message, severity: 'error', hint }]
}
