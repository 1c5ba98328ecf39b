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
  type ChangeRequest,
  type CreateRequest,
  changePrincipals,
  endAccess,
  requireAdministrator,
} from './change_principals.ts'
import { hashPassword } from './password.ts'
import { checkPassword } from './password_rules.ts'
import { checkMemberIds, checkPrincipalNames, getPrincipal, nameOf } from './principal_checks.ts'
import { changedNames, definedFields } from './remove_principal.ts'

/** Encodes a user for a response. */
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

/** Creates a user and returns its id. */
export async function createUser(
  request: CreateRequest,
  body: UserBody & { keyname: string },
): Promise<number> {
  requireAdministrator(request)
  const passwordHash = await hashPasswordField(request, body.password, body.keyname)
  const displayName = body.display_name ?? body.keyname
  return changePrincipals(request, async (tx) => {
    await checkPrincipalNames(tx, 'user', { keyname: body.keyname, displayName })
    await checkMemberIds(tx, 'group', { member: 'member_of', ids: body.member_of })
    const fields = { ...fieldsOf(body, passwordHash), keyname: body.keyname, displayName }
    const id = await insertPrincipal(tx, 'user', fields)
    if (body.member_of !== undefined) await replaceGroups(tx, id, body.member_of)
    await request.idempotency.store(tx, { id })
    return id
  })
}

/** Updates the fields of a user that the body contains. Returns the access that a new password has ended. */
export async function updateUser(request: ChangeRequest, id: number, body: UserBody): Promise<EndedAccess> {
  requireAdministrator(request)
  const current = await getPrincipal(request.context.database, 'user', id)
  // Hashes before the transaction, so that no other change waits for it.
  const passwordHash = await hashPasswordField(request, body.password, body.keyname ?? current.keyname)
  return changePrincipals(request, async (tx) => {
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

/** Returns the hash of a password; null to remove it, undefined to keep it, also for booleans as in responses. */
async function hashPasswordField(
  { context }: Pick<CreateRequest, 'context'>,
  password: UserBody['password'],
  keyname: string,
): Promise<string | null | undefined> {
  if (password === null) return null
  if (typeof password !== 'string') return undefined
  checkPassword(password, keyname)
  return hashPassword(password, context.passwordCost)
}

function fieldsOf(body: UserBody, passwordHash: string | null | undefined): PrincipalFields {
  const { keyname, display_name: displayName, description, language, disabled } = body
  return definedFields({ keyname, displayName, description, language, disabled, passwordHash })
}

/** Checks that only descriptive fields of a system user change. */
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
      `Cannot change ${changes.join(', ')} of ${nameOf(record)}: it is a system user.`,
    )
}
