import type { GroupAnswer, GroupBody } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import { replaceMembers } from '../../store/membership.ts'
import {
  deletePrincipal,
  insertPrincipal,
  type PrincipalFields,
  type PrincipalRecord,
  updatePrincipal,
} from '../../store/principal_record.ts'
import { type Changer, changePrincipals, requireAdministrator } from './change.ts'
import { checkMemberIds, checkPrincipalNames, checkUnused, getPrincipal, nameOf } from './principal_checks.ts'
import { namesOf } from './users.ts'

/** Writes a group for the wire. */
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

/** Creates a group. Gives its id. */
export async function createGroup(changer: Changer, body: GroupBody & { keyname: string }): Promise<number> {
  requireAdministrator(changer)
  const displayName = body.display_name ?? body.keyname
  return changePrincipals(changer, async (tx) => {
    await checkPrincipalNames(tx, 'group', { keyname: body.keyname, displayName })
    await checkMemberIds(tx, 'user', { member: 'members', ids: body.members })
    const id = await insertPrincipal(tx, 'group', { ...fieldsOf(body), keyname: body.keyname, displayName })
    if (body.members !== undefined) await replaceMembers(tx, id, body.members)
    return id
  })
}

/** Changes a group; what the body leaves out stays. */
export async function updateGroup(changer: Changer, id: number, body: GroupBody): Promise<void> {
  requireAdministrator(changer)
  await changePrincipals(changer, async (tx) => {
    const record = await getPrincipal(tx, 'group', id)
    if (record.system && body.keyname !== undefined && body.keyname !== record.keyname)
      throw problem('principal/system', `${nameOf(record)} belongs to the system: its keyname stays.`)
    await checkPrincipalNames(tx, 'group', namesOf(id, body))
    await checkMemberIds(tx, 'user', { member: 'members', ids: body.members })
    await updatePrincipal(tx, id, fieldsOf(body))
    if (body.members !== undefined) await replaceMembers(tx, id, body.members)
  })
}

/** Deletes a group; its members stay. */
export async function deleteGroup(changer: Changer, id: number): Promise<void> {
  requireAdministrator(changer)
  await changePrincipals(changer, async (tx) => {
    const record = await getPrincipal(tx, 'group', id)
    if (record.system) throw problem('principal/system', `${nameOf(record)} belongs to the system.`)
    await checkUnused(tx, changer.caller, record)
    await deletePrincipal(tx, id)
  })
}

function fieldsOf({ keyname, display_name: displayName, description }: GroupBody): PrincipalFields {
  const fields = { keyname, displayName, description }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
