import type { GroupBody, UserBody } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import {
  deletePrincipal,
  type PrincipalFields,
  type PrincipalRecord,
} from '../../store/auth/principal_record.ts'
import { type Changer, changePrincipals, requireAdministrator } from './change_principals.ts'
import { checkUnused, getPrincipal, nameOf, type WantedNames } from './principal_checks.ts'

/** Deletes a user, or a group whose members stay. */
export async function removePrincipal(
  changer: Changer,
  kind: PrincipalRecord['kind'],
  id: number,
): Promise<void> {
  requireAdministrator(changer)
  await changePrincipals(changer, async (tx) => {
    const record = await getPrincipal(tx, kind, id)
    if (record.system) throw problem('principal/system', `${nameOf(record)} belongs to the system.`)
    await checkUnused(tx, changer.caller, record)
    await deletePrincipal(tx, id)
  })
}

/** Reads the names that a body changes, for the check that they are free. */
export function changedNames(
  { id, keyname, displayName }: PrincipalRecord,
  body: Pick<UserBody | GroupBody, 'keyname' | 'display_name'>,
): WantedNames {
  const { keyname: nextKeyname = keyname, display_name: nextName = displayName } = body
  return {
    id,
    ...(nextKeyname === keyname ? {} : { keyname: nextKeyname }),
    ...(nextName === displayName ? {} : { displayName: nextName }),
  }
}

/** Leaves out the fields that a body does not say, so that they stay. */
export function givenFields(
  fields: {
    readonly [F in keyof PrincipalFields]: PrincipalFields[F] | undefined
  },
): PrincipalFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
