import type { GroupBody, UserBody } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import {
  deletePrincipal,
  type PrincipalFields,
  type PrincipalRecord,
} from '../../store/auth/principal_record.ts'
import { type ChangeRequest, changePrincipals, requireAdministrator } from './change_principals.ts'
import { checkUnused, getPrincipal, nameOf, type PrincipalNames } from './principal_checks.ts'

/** Deletes a user, or a group without its members. */
export async function removePrincipal(
  request: ChangeRequest,
  kind: PrincipalRecord['kind'],
  id: number,
): Promise<void> {
  requireAdministrator(request)
  await changePrincipals(request, async (tx) => {
    const record = await getPrincipal(tx, kind, id)
    if (record.system)
      throw problem('principal/system', `Cannot delete ${nameOf(record)}: it is a system ${kind}.`)
    await checkUnused(tx, request.caller, record)
    await deletePrincipal(tx, id)
  })
}

/** Returns the names that a body changes, to check that they are available. */
export function changedNames(
  { id, keyname, displayName }: PrincipalRecord,
  body: Pick<UserBody | GroupBody, 'keyname' | 'display_name'>,
): PrincipalNames {
  const { keyname: nextKeyname = keyname, display_name: nextName = displayName } = body
  return {
    id,
    ...(nextKeyname === keyname ? {} : { keyname: nextKeyname }),
    ...(nextName === displayName ? {} : { displayName: nextName }),
  }
}

/** Removes undefined fields, which must not be updated. */
export function definedFields(
  fields: {
    readonly [F in keyof PrincipalFields]: PrincipalFields[F] | undefined
  },
): PrincipalFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
