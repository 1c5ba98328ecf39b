import { countOf, joinFirst } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { listUnreadFields } from '../model/unread_fields.ts'

/** Warns of the fields that are not written because the account lacks a permission, once for each permission. */
export function warnOfScopes(
  resources: readonly ActualResource[],
  keyOf: ReadonlyMap<number, string>,
): Issue[] {
  const lacking = resources.flatMap((resource) =>
    [...listUnreadFields(resource)].map(([permission, names]) => ({ permission, names, id: resource.id })),
  )
  return [...Map.groupBy(lacking, ({ permission }) => permission)].map(([permission, found]) => {
    const names = [...new Set(found.flatMap((one) => one.names))].join(', ')
    const keys = found.map(({ id }) => keyOf.get(id) ?? `#${id}`)
    const message = `${names} of ${countOf(found.length, 'resource')} are not written, because this account lacks ${permission}: ${joinFirst(keys)}`
    const hint = `The manifest names them in unmanaged:, so that its applies leave them as they are. To write them, pull with an account that has ${permission}.`
    return { code: 'plan/unknown', message, severity: 'warning', hint }
  })
}
