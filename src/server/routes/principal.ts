import type { principalRoutes } from '../../contract/routes/principal.ts'
import { listPrincipals } from '../../store/auth/principal.ts'
import { listPrincipalRecords, type PrincipalRecord } from '../../store/auth/principal_record.ts'
import { requireAdministrator } from '../auth/change_principals.ts'
import { createGroup, groupAnswer, updateGroup } from '../auth/groups.ts'
import { getPrincipal } from '../auth/principal_checks.ts'
import { removePrincipal } from '../auth/remove_principal.ts'
import { createUser, updateUser, userAnswer } from '../auth/users.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'

/** Operations on users and groups. */
export const principalHandlers: Handlers<keyof typeof principalRoutes> = {
  'auth.user_list': async (request) => {
    if (request.query.brief) return { json: await listBriefly(request, 'user') }
    return { json: (await listFully(request, 'user')).map(userAnswer) }
  },
  'auth.user_create': async (request) => ({ json: { id: await createUser(request, request.body) } }),
  'auth.user_get': async (request) => {
    requireAdministrator(request)
    return { json: userAnswer(await getPrincipal(request.context.database, 'user', request.params.id)) }
  },
  'auth.user_update': async (request) => {
    const { id } = request.params
    return { json: { id, ...(await updateUser(request, id, request.body)) } }
  },
  'auth.user_delete': async (request) => {
    await removePrincipal(request, 'user', request.params.id)
    return { json: {} }
  },

  'auth.group_list': async (request) => {
    if (request.query.brief) return { json: await listBriefly(request, 'group') }
    return { json: (await listFully(request, 'group')).map(groupAnswer) }
  },
  'auth.group_create': async (request) => ({ json: { id: await createGroup(request, request.body) } }),
  'auth.group_get': async (request) => {
    requireAdministrator(request)
    return { json: groupAnswer(await getPrincipal(request.context.database, 'group', request.params.id)) }
  },
  'auth.group_update': async (request) => {
    await updateGroup(request, request.params.id, request.body)
    return { json: { id: request.params.id } }
  },
  'auth.group_delete': async (request) => {
    await removePrincipal(request, 'group', request.params.id)
    return { json: {} }
  },
}

/** Lists principals with their names only; guests see system principals only. */
async function listBriefly({ context, caller }: ApiRequest, kind: PrincipalRecord['kind']) {
  const found = await listPrincipals(context.database, { kind, systemOnly: caller.isGuest })
  return found.map(({ id, system, keyname, displayName }) => ({
    id,
    system,
    keyname,
    display_name: displayName,
  }))
}

function listFully(request: ApiRequest, kind: PrincipalRecord['kind']): Promise<PrincipalRecord[]> {
  requireAdministrator(request)
  return listPrincipalRecords(request.context.database, kind)
}
