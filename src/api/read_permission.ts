import PQueue from 'p-queue'
import type { PermissionName } from '../contract/permissions.ts'
import type { Api } from './api.ts'
import { maxAttributeIds, unlessRefused } from './read_visibility.ts'

/** Resources on which a permission is required. */
export interface PermissionQuery {
  readonly ids: readonly number[]
  readonly permission: PermissionName
}

/**
 * Lists those of the resources on which the account lacks a permission. Resources for which the server does not tell are left
 * out.
 *
 * @throws {Problem} http/*
 */
export async function listDenied(
  api: Api,
  { ids, permission }: PermissionQuery,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<number>> {
  const denied = new Set<number>()
  for (let at = 0; at < ids.length; at += maxAttributeIds) {
    const resources = ids.slice(at, at + maxAttributeIds)
    const body = { resources, attributes: [['resource.has_permission', permission]] }
    const answer = await unlessRefused(api.call('resource.attributes', { body, signal }))
    if (answer === undefined) return listDeniedByEach(api, { ids, permission }, signal)
    for (const [id, [value]] of answer.items) if (value?.[0] === 0 && value[1] === false) denied.add(id)
  }
  return denied
}

/** For servers that do not report attributes. */
async function listDeniedByEach(
  api: Api,
  { ids, permission }: PermissionQuery,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<number>> {
  const [scope = '', name = ''] = permission.split('.')
  const denied = new Set<number>()
  const queue = new PQueue({ concurrency: 8 })
  await queue.addAll(
    ids.map((id) => async () => {
      const answer = await unlessRefused(api.call('resource.permission', { params: { id }, signal }))
      if (answer?.[scope]?.[name] === false) denied.add(id)
    }),
  )
  return denied
}
