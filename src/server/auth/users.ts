import type { EndedAccess, UserAnswer, UserBody } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import { replaceGroups } from '../../store/auth/membership.ts'
import {
  insertPrincipal,
  type PrincipalFields,
  type PrincipalRecord,
  updatePrincipal,
} from '../../store/auth/principal_record.ts'
import { deleteUserSessions } from '../../store/auth/session.ts'
import {
  type Changer,
  type Creator,
  changePrincipals,
  endAccess,
  requireAdministrator,
} from './change_principals.ts'
import { hashPassword } from './password.ts'
import { checkPassword } from './password_rules.ts'
import { checkMemberIds, checkPrincipalNames, getPrincipal, nameOf } from './principal_checks.ts'
import { changedNames, givenFields } from './remove_principal.ts'

/** Writes a user for the wire. */
export function userAnswer(record: PrincipalRecord): UserAnswer {
  return {
    id: record.id,
    system: record.system,
    keyname: record.keyname,
    display_name: record.displayName,
    description: record.description,
    superuser: record.superuser,
    disabled: record.disabled,
    password: record.hasPassword,
    last_activity: record.lastActivity,
    language: record.language,
    is_administrator: record.isAdministrator,
    member_of: [...record.groupIds],
  }
}

/** Creates a user. Gives its id. */
export async function createUser(changer: Creator, body: UserBody & { keyname: string }): Promise<number> {
  requireAdministrator(changer)
  const passwordHash = await hashNew(body.password, body.keyname)
  const displayName = body.display_name ?? body.keyname
  return changePrincipals(changer, async (tx) => {
    await checkPrincipalNames(tx, 'user', { keyname: body.keyname, displayName })
    await checkMemberIds(tx, 'group', { member: 'member_of', ids: body.member_of })
    const fields = { ...fieldsOf(body, passwordHash), keyname: body.keyname, displayName }
    const id = await insertPrincipal(tx, 'user', fields)
    if (body.member_of !== undefined) await replaceGroups(tx, id, body.member_of)
    await changer.once.keep(tx, { id })
    return id
  })
}

/** Changes a user; what the body leaves out stays. Gives what a new password has ended. */
export async function updateUser(changer: Changer, id: number, body: UserBody): Promise<EndedAccess> {
  requireAdministrator(changer)
  const standing = await getPrincipal(changer.context.database, 'user', id)
  // Before the transaction: a hash takes its time, and nobody waits for it.
  const passwordHash = await hashNew(body.password, body.keyname ?? standing.keyname)
  return changePrincipals(changer, async (tx) => {
    const record = await getPrincipal(tx, 'user', id)
    if (record.system) checkSystemUser(record, body)
    await checkPrincipalNames(tx, 'user', changedNames(record, body))
    await checkMemberIds(tx, 'group', { member: 'member_of', ids: body.member_of })
    await updatePrincipal(tx, id, fieldsOf(body, passwordHash))
    if (body.member_of !== undefined) await replaceGroups(tx, id, body.member_of)
    if (typeof passwordHash === 'string' || (passwordHash === null && record.hasPassword))
      return endAccess(tx, id, { tokens: body.keep_tokens })
    // Tokens of a disabled user are refused until it is enabled again.
    if (body.disabled === true) await deleteUserSessions(tx, id)
    return {}
  })
}

/** The password's hash; null to take it away, undefined to leave it. Reading gives true or false: that says nothing. */
async function hashNew(password: UserBody['password'], keyname: string): Promise<string | null | undefined> {
  if (password === null) return null
  if (typeof password !== 'string') return undefined
  checkPassword(password, keyname)
  return hashPassword(password)
}

function fieldsOf(body: UserBody, passwordHash: string | null | undefined): PrincipalFields {
  const { keyname, display_name: displayName, description, language, disabled } = body
  return givenFields({ keyname, displayName, description, language, disabled, passwordHash })
}

/** Of the system's users only what people read may change. */
function checkSystemUser(record: PrincipalRecord, body: UserBody): void {
  const changes = [
    body.keyname !== undefined && body.keyname !== record.keyname && 'keyname',
    body.disabled !== undefined && body.disabled !== record.disabled && 'disabled',
    typeof body.password === 'string' && 'password',
    (body.member_of ?? []).length > 0 && 'member_of',
  ].filter((name) => name !== false)
  if (changes.length > 0)
    throw problem(
      'principal/system',
      `${nameOf(record)} belongs to the system: its ${changes.join(', ')} stay.`,
    )
}
