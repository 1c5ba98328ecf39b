import type { GroupBody, UserBody } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import { deletePrincipal, type PrincipalFields, type PrincipalRecord } from '../../store/principal_record.ts'
import { type Changer, changePrincipals, requireAdministrator } from './change.ts'
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

/** Reads names of a body, for the check that they are free. */
export function namesOf(id: number, body: UserBody | GroupBody): WantedNames {
  return {
    id,
    ...(body.keyname === undefined ? {} : { keyname: body.keyname }),
    ...(body.display_name === undefined ? {} : { displayName: body.display_name }),
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
