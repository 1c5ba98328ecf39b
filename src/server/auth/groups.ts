import { isResourceId } from '../../contract/limits.ts'
import type { GroupAnswer, GroupBody } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { addMembers, removeMembers, replaceMembers } from '../../store/auth/membership.ts'
import {
  insertPrincipal,
  type PrincipalFields,
  type PrincipalRecord,
  updatePrincipal,
} from '../../store/auth/principal_record.ts'
import {
  type ChangeRequest,
  type CreateRequest,
  changePrincipals,
  requireAdministrator,
} from './change_principals.ts'
import { checkMemberIds, checkPrincipalNames, getPrincipal, nameOf } from './principal_checks.ts'
import { changedNames, definedFields } from './remove_principal.ts'

/** Encodes a group for a response. */
export function groupAnswer(record: PrincipalRecord): GroupAnswer {
  return {
    id: record.id,
    system: record.system,
    keyname: record.keyname,
    display_name: record.displayName,
    description: record.description,
    members: [...record.memberIds],
  }
}

/** Creates a group and returns its id. */
export async function createGroup(
  request: CreateRequest,
  body: GroupBody & { keyname: string },
): Promise<number> {
  requireAdministrator(request)
  const displayName = body.display_name ?? body.keyname
  return changePrincipals(request, async (tx) => {
    await checkPrincipalNames(tx, 'group', { keyname: body.keyname, displayName })
    await checkMemberIds(tx, 'user', { member: 'members', ids: body.members })
    const id = await insertPrincipal(tx, 'group', { ...fieldsOf(body), keyname: body.keyname, displayName })
    if (body.members !== undefined) await replaceMembers(tx, id, body.members)
    await request.idempotency.store(tx, { id })
    return id
  })
}

/** Updates the fields of a group that the body contains. */
export async function updateGroup(request: ChangeRequest, id: number, body: GroupBody): Promise<void> {
  requireAdministrator(request)
  await changePrincipals(request, async (tx) => {
    const record = await getPrincipal(tx, 'group', id)
    if (record.system && body.keyname !== undefined && body.keyname !== record.keyname)
      throw problem(
        'principal/system',
        `Cannot change the keyname of ${nameOf(record)}: it is a system group.`,
      )
    await checkPrincipalNames(tx, 'group', changedNames(record, body))
    await checkMemberIds(tx, 'user', { member: 'members', ids: body.members })
    await checkMemberIds(tx, 'user', { member: 'add_members', ids: body.add_members })
    await updatePrincipal(tx, id, fieldsOf(body))
    await changeMembers(tx, id, body)
  })
}

async function changeMembers(tx: Queryable, id: number, body: GroupBody): Promise<void> {
  const { members, add_members: added = [], remove_members: removed = [] } = body
  if (members !== undefined) await replaceMembers(tx, id, members)
  if (added.length > 0) await addMembers(tx, id, added)
  // Ids out of range cannot exist, and the database would reject them.
  if (removed.length > 0) await removeMembers(tx, id, removed.filter(isResourceId))
}

function fieldsOf({ keyname, display_name: displayName, description }: GroupBody): PrincipalFields {
  return definedFields({ keyname, displayName, description })
}
