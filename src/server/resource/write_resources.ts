import { maxDepth } from '../../contract/bodies/resource.ts'
import { problem } from '../../contract/problems.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { isAdministrator } from '../../store/auth/membership.ts'
import { findPrincipals } from '../../store/auth/principal.ts'
import type { NameHolders } from '../../store/resource/resource_row.ts'
import type { Caller } from '../auth/caller.ts'
import type { Prepared } from '../classes/behaviour.ts'
import type { ApiRequest } from '../http/handler.ts'
import { invalidAt } from '../http/invalid_request.ts'
import type { MemberValues } from './attributes.ts'

/** The parts of a request that writes need. */
export type Writer = Pick<ApiRequest, 'context' | 'caller' | 'signal' | 'headers'>

/** Returns the members of the class itself, which its behaviour writes. */
export function classMembers(cls: Cls, written: MemberValues): MemberValues {
  const names = Object.keys(descriptorOf(cls).members)
  return Object.fromEntries(names.flatMap((name) => (written[name] ? [[name, written[name]]] : [])))
}

/**
 * Runs the work of a request in one transaction. Discards the preparation if it fails. When two requests write the same
 * name at once, the later one gets a problem that says so.
 */
export async function writeAtOnce<T>(
  { context, signal }: Writer,
  prepared: Prepared | undefined,
  work: (tx: Queryable) => Promise<T>,
): Promise<T> {
  try {
    return await context.database.transaction(work, { signal })
  } catch (error) {
    await prepared?.discard()
    throw findNameProblem(error) ?? error
  }
}

/** Returns the problem of a class that the parent does not accept. */
export function wrongParent(cls: Cls, parentId: number, parentCls: Cls): Problem {
  return problem('resource/hierarchy', `A ${cls} cannot be a child of resource id = ${parentId}.`, {
    resource: parentId,
    data: { resource: { id: parentId }, cls, parent_cls: parentCls },
  })
}

/**
 * Checks that resources are not too deep in the tree.
 *
 * @throws {Problem} resource/hierarchy
 */
export function checkDepth(parentId: number, depth: number): void {
  if (depth <= maxDepth) return
  throw problem(
    'resource/hierarchy',
    `Resources under resource id = ${parentId} would be ${depth} levels below the root; the limit is ${maxDepth}.`,
    { resource: parentId, data: { resource: { id: parentId } } },
  )
}

/** Rejects a display name that a sibling has, or a keyname that any resource has. */
export function checkNames(
  holders: NameHolders,
  { displayName, keyname }: { readonly displayName: string; readonly keyname: string | null },
): void {
  if (holders.sibling !== null) throw nameTaken(`"${displayName}" is the name of a sibling`, holders.sibling)
  if (holders.keynameHolder !== null)
    throw problem('resource/key-taken', `The keyname "${keyname}" belongs to another resource.`, {
      data: { keyname },
    })
}

/**
 * Checks that the caller can make users owners of resources: only administrators can. Does not use a cache.
 *
 * @throws {Problem} access/attribute, request/invalid
 */
export async function checkOwners(tx: Queryable, caller: Caller, ownerIds: readonly number[]): Promise<void> {
  if (ownerIds.length === 0) return
  if (!(await isAdministrator(tx, caller.id)))
    throw problem('access/attribute', 'Only administrators can change the owner of a resource.', {
      hint: 'Ask an administrator to change the owner.',
      data: {
        scope: 'resource',
        permission: 'update',
        attribute: 'owner_user',
        serializer: 'resource',
      },
    })
  const owners = await findPrincipals(tx, ownerIds)
  for (const id of ownerIds) {
    const owner = owners.get(id)
    if (owner?.kind !== 'user') throw invalidAt('/resource/owner_user', `user id = ${id} does not exist`)
    if (owner.system)
      throw invalidAt('/resource/owner_user', `user id = ${id} is a system user and cannot own resources`)
  }
}

/** Returns the problem of a display name that a sibling has. */
export function nameTaken(why: string, resourceId?: number): Problem {
  return problem('resource/name-taken', `Display name is not unique: ${why}.`, {
    data: resourceId === undefined ? {} : { resource_id: resourceId },
  })
}

function findNameProblem(error: unknown): Problem | undefined {
  if (!isProblem(error, 'database/constraint')) return undefined
  const { constraint } = error.data
  if (constraint === 'resource_display_name')
    return nameTaken('another request has just given it to a sibling')
  if (constraint !== 'resource_keyname') return undefined
  const [, keyname] = /\(keyname\)=\((.*)\)/s.exec(error.detail ?? '') ?? []
  const name = keyname === undefined ? 'the keyname' : `the keyname "${keyname}"`
  return problem('resource/key-taken', `Another request has just given ${name} to another resource.`, {
    data: keyname === undefined ? {} : { keyname },
  })
}
