import { type Api, createApi } from '../../../src/api/api.ts'
import { addUser, goodPassword } from '../../support/principals.ts'
import type { TestServer } from '../../support/server.ts'
import { ruleOf } from './literals.ts'

/** Everything, for the account of `connectAda`. */
export const everything = ruleOf('ada', { scope: '', permission: '', propagate: true })

/** Nothing of a resource and of those below it, for the account of `connectAda`. */
export const nothing = ruleOf('ada', { action: 'deny', scope: '', permission: '', propagate: true })

/** Connects as a new user, ada, who can read the top of the tree alone. */
export async function connectAda({ url, admin }: TestServer): Promise<Api> {
  const id = await addUser(admin, 'ada')
  const root = await (await admin('GET', '/api/resource/0')).json<{ resource: { permissions: object[] } }>()
  const rule = { action: 'allow', principal: { id }, identity: '', scope: 'resource', permission: 'read' }
  const permissions = [...root.resource.permissions, { ...rule, propagate: false }]
  await admin('PUT', '/api/resource/0', { resource: { permissions } })
  return createApi({ url, credentials: { login: 'ada', password: goodPassword } })
}
