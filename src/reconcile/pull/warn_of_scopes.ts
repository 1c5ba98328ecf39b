import { annotationsOf } from '../../contract/descriptor.ts'
import { descriptorOf, isCls } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { countOf } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { isCompared } from '../model/value_equality.ts'

/** Most keys that a warning lists. */
const maxKeys = 5

/** Warns of the fields that are not written because the account lacks a permission, once for each permission. */
export function warnOfScopes(
  resources: readonly ActualResource[],
  keyOf: ReadonlyMap<number, string>,
): Issue[] {
  const lacking = resources.flatMap((resource) =>
    [...listUnread(resource)].map(([permission, names]) => ({ permission, names, id: resource.id })),
  )
  return [...Map.groupBy(lacking, ({ permission }) => permission)].map(([permission, found]) => {
    const names = [...new Set(found.flatMap((one) => one.names))].join(', ')
    const keys = found.slice(0, maxKeys).map(({ id }) => keyOf.get(id))
    const more = found.length > maxKeys ? ` and ${found.length - maxKeys} more` : ''
    const message = `${names} of ${countOf(found.length, 'resource')} are not written, because this account lacks ${permission}: ${keys.join(', ')}${more}`
    const hint = `Pull with an account that has ${permission}: what a manifest has set and no longer contains is removed by its next apply.`
    return { code: 'plan/unknown', message, severity: 'warning', hint }
  })
}

/** Lists the fields that the account cannot read, by the permission that it lacks: it reads no field that needs the permission. */
function listUnread(resource: ActualResource): ReadonlyMap<string, readonly string[]> {
  const fields = [
    { permission: 'metadata.read', name: 'description', isRead: resource.description !== undefined },
    { permission: 'metadata.read', name: 'resmeta', isRead: resource.resmeta !== undefined },
    ...memberFields(resource),
  ]
  const groups = [...Map.groupBy(fields, ({ permission }) => permission)]
  const unread = groups.filter(([, group]) => !group.some(({ isRead }) => isRead))
  return new Map(unread.map(([permission, group]) => [permission, group.map(({ name }) => name)]))
}

function memberFields({ cls, members }: ActualResource) {
  if (!isCls(cls)) return []
  return Object.entries(descriptorOf(cls).members).flatMap(([member, schema]) =>
    Object.entries(schema.properties as Readonly<Record<string, Schema>>).flatMap(([field, one]) => {
      const permission = annotationsOf(one)['x-read']
      if (permission === undefined || !isCompared(one)) return []
      return [{ permission, name: `${member}.${field}`, isRead: members[member]?.[field] !== undefined }]
    }),
  )
}
