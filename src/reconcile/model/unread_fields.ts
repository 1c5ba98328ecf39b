import { annotationsOf } from '../../contract/descriptor.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import { descriptorOf, isCls } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import type { ActualResource } from './actual_tree.ts'
import { isCompared } from './value_equality.ts'

/** Lists the fields that the account cannot read, by the permission that it lacks: it reads no field that needs the permission. */
export function listUnreadFields(resource: ActualResource): ReadonlyMap<PermissionName, readonly string[]> {
  const { description, resmeta } = resource
  const metadata = { permission: 'metadata.read', isRead: description !== undefined || resmeta !== undefined }
  const fields = [
    ...['description', 'protect', 'resmeta'].map((name) => ({ ...metadata, name })),
    ...memberFields(resource),
  ] as readonly ReadField[]
  const groups = [...Map.groupBy(fields, ({ permission }) => permission)]
  const unread = groups.filter(([, group]) => !group.some(({ isRead }) => isRead))
  return new Map(unread.map(([permission, group]) => [permission, group.map(({ name }) => name)]))
}

interface ReadField {
  readonly permission: PermissionName
  /** As in records. */
  readonly name: string
  readonly isRead: boolean
}

function memberFields({ cls, members }: ActualResource): ReadField[] {
  if (!isCls(cls)) return []
  return Object.entries(descriptorOf(cls).members).flatMap(([member, schema]) =>
    Object.entries(schema.properties as Readonly<Record<string, Schema>>).flatMap(([field, one]) => {
      const permission = annotationsOf(one)['x-read']
      if (permission === undefined || !isCompared(one)) return []
      return [{ permission, name: `${member}.${field}`, isRead: members[member]?.[field] !== undefined }]
    }),
  )
}
