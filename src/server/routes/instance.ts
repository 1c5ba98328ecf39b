import { dialectName } from '../../contract/dialect.ts'
import { scopes } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import { classes, clsNames } from '../../contract/registry.ts'
import type { instanceRoutes } from '../../contract/routes/instance.ts'
import { routeTemplates } from '../../contract/routes.ts'
import { isProblem } from '../../core/problem.ts'
import { listPrincipals, type PrincipalBrief } from '../../store/principal.ts'
import type { ApiRequest, Handlers } from '../handler.ts'

/** Level of the original's API that clients compare with: at least 3.1 in each part, so never a bare 4.0. */
const apiLevel = '3.10.0'

/** Operations on the instance as a whole. */
export const instanceHandlers: Handlers<keyof typeof instanceRoutes> = {
  'instance.version': async ({ context }) => ({
    json: { nextgisweb: apiLevel, landform: context.version },
  }),

  'instance.routes': async () => ({ json: routeTemplates() }),

  'instance.schema': async ({ dialect }) => ({
    json: {
      scopes: Object.fromEntries(
        Object.entries(scopes).map(([identity, { label, permissions }]) => [
          identity,
          { identity, label, permissions: labelsOf(permissions) },
        ]),
      ),
      resources: Object.fromEntries(
        clsNames.map((cls) => {
          const identity = dialectName(cls, dialect)
          return [identity, { identity, label: classes[cls].label, scopes: [...classes[cls].scopes] }]
        }),
      ),
    },
  }),

  'instance.alive': async () => ({ json: { status: 'ok' } }),

  'instance.ready': async ({ context }) => {
    await context.database.query('select 1')
    await checkFiles(context.blobs)
    return { json: { status: 'ok' } }
  },

  'auth.current_user': async ({ caller }) => ({
    json: {
      id: caller.id,
      keyname: caller.keyname,
      display_name: caller.displayName,
      language: caller.language,
      auth_medium: caller.isGuest ? null : 'basic',
      auth_provider: caller.isGuest ? null : 'local_pw',
    },
  }),

  'auth.user_list': async (request) => ({ json: await listBriefly(request, 'user') }),
  'auth.group_list': async (request) => ({ json: await listBriefly(request, 'group') }),
}

function labelsOf(permissions: Readonly<Record<string, { readonly label: string }>>) {
  return Object.fromEntries(Object.entries(permissions).map(([name, { label }]) => [name, { label }]))
}

/** Guests see the system's own principals only. */
async function listBriefly({ context, caller }: ApiRequest, kind: PrincipalBrief['kind']) {
  const found = await listPrincipals(context.database, { kind, systemOnly: caller.isGuest })
  return found.map(({ id, system, keyname, displayName }) => ({
    id,
    system,
    keyname,
    display_name: displayName,
  }))
}

/** A file store that answers, though it has nothing of that name, is ready. */
async function checkFiles(blobs: ApiRequest['context']['blobs']): Promise<void> {
  try {
    for await (const _ of blobs.list()) return
  } catch (cause) {
    if (isProblem(cause, 'files/missing')) return
    throw problem('files/full', 'The file store does not answer.', { status: 503, cause })
  }
}
