import { keyHeader, retentionHours } from '../../contract/bodies/idempotency.ts'
import { dialectName } from '../../contract/dialect/dialect.ts'
import { scopes } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import { baseClass, classes, clsNames } from '../../contract/registry.ts'
import type { instanceRoutes } from '../../contract/routes/instance.ts'
import { catalogRoute, routeNames, routeOf, routeTemplates } from '../../contract/routes.ts'
import { isProblem } from '../../core/problem.ts'
import { findCatalogAddress } from '../catalog/catalog_address.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'

/** API level of NextGIS Web for clients that compare each part of the version with 3.1, so that 4.0 would be too low. */
const apiLevel = '3.10.0'

/** Operations on the instance. */
export const instanceHandlers: Handlers<keyof typeof instanceRoutes> = {
  'instance.version': async ({ context }) => ({
    json: { nextgisweb: apiLevel, landform: context.version },
  }),

  'instance.routes': async ({ context, url }) => {
    const address = findCatalogAddress(context, url)
    return { json: { ...routeTemplates(), ...(address === undefined ? {} : { [catalogRoute]: [address] }) } }
  },

  'instance.schema': async ({ dialect }) => ({
    json: {
      scopes: Object.fromEntries(
        Object.entries(scopes).map(([identity, { label, permissions }]) => [
          identity,
          { identity, label, permissions: labelsOf(permissions) },
        ]),
      ),
      resources: {
        [baseClass.identity]: { ...baseClass, scopes: [...baseClass.scopes] },
        ...Object.fromEntries(
          clsNames.map((cls) => {
            const identity = dialectName(cls, dialect)
            return [identity, { identity, label: classes[cls].label, scopes: [...classes[cls].scopes] }]
          }),
        ),
      },
    },
  }),

  'instance.keys': async () => ({
    json: {
      header: keyHeader,
      hours: retentionHours,
      operations: routeNames
        .map(routeOf)
        .filter(({ takesKey }) => takesKey === true)
        .map(({ method, path }) => `${method} ${path}`),
    },
  }),

  'instance.ping': async () => ({ json: {} }),

  'instance.health': async ({ context }) => {
    const component = {
      database: await stateOf(() => context.database.query('select 1')),
      files: await stateOf(() => checkFiles(context.blobs)),
    }
    const success = Object.values(component).every((one) => one.success)
    return { status: success ? 200 : 503, json: { success, component } }
  },

  'instance.alive': async () => ({ json: { status: 'ok' } }),

  'instance.ready': async ({ context }) => {
    await context.database.query('select 1')
    await checkFiles(context.blobs)
    return { json: { status: 'ok' } }
  },
}

/** Checks a component. Does not report the reason of a failure, because the operation is public. */
async function stateOf(check: () => Promise<unknown>): Promise<{ success: boolean; message?: string }> {
  try {
    await check()
    return { success: true }
  } catch {
    return { success: false, message: 'The component does not respond.' }
  }
}

function labelsOf(permissions: Readonly<Record<string, { readonly label: string }>>) {
  return Object.fromEntries(Object.entries(permissions).map(([name, { label }]) => [name, { label }]))
}

/** Checks that the file store responds, even if it is empty. */
async function checkFiles(blobs: ApiRequest['context']['blobs']): Promise<void> {
  try {
    for await (const _ of blobs.list()) return
  } catch (cause) {
    if (isProblem(cause, 'files/missing')) return
    throw problem('files/full', 'The file store does not respond.', { status: 503, cause })
  }
}
