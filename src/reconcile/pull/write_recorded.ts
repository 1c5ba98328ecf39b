import { isCls } from '../../contract/registry.ts'
import type { WrittenBlock } from '../../manifest/rewrite.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { findRecorded } from '../model/owned_fields.ts'
import { partName, ruleName } from '../model/rule_records.ts'
import type { PullContext } from './pull_tree.ts'
import { ruleLine, writeMembers, writeRules } from './write_block.ts'

/**
 * Writes what a manifest is recorded to set on a resource that it does not manage, such as rules of the root: the first apply
 * of a manifest without them would remove them.
 */
export function writeRecorded(
  pulling: Pick<PullContext, 'tree' | 'keyOf'>,
  resource: ActualResource,
  manifestId: string,
): WrittenBlock {
  const recorded = findRecorded(resource, manifestId, pulling.tree.principals)?.fields
  if (recorded === undefined || resource.manager === manifestId) return {}
  const { cls, description } = resource
  const members = isCls(cls) ? writeMembers(pulling, resource, { cls, whole: true }) : undefined
  const own = Object.entries(members ?? {}).flatMap(([member, fields]) => {
    const set = Object.entries(fields).filter(([name]) => recorded.has(`${member}.${name}`))
    return set.length === 0 ? [] : [[member, Object.fromEntries(set)] as const]
  })
  const items = Object.entries(resource.resmeta ?? {}).filter(([key]) =>
    recorded.has(partName('resmeta', key)),
  )
  return {
    ...(recorded.has('description') && description ? { description } : {}),
    ...rulesOf(pulling, resource, recorded),
    ...(items.length === 0 ? {} : { resmeta: Object.fromEntries(items) }),
    ...Object.fromEntries(own),
  }
}

function rulesOf(
  { tree }: Pick<PullContext, 'tree'>,
  resource: ActualResource,
  recorded: ReadonlyMap<string, unknown>,
): WrittenBlock {
  const written = writeRules({ tree }, resource)
  if (recorded.has('permissions')) return written
  const lineOf = ruleLine(tree)
  const rules = (written.permissions ?? []) as readonly unknown[]
  const include = rules.filter((rule) => recorded.has(ruleName(lineOf(rule), tree.principals.ids)))
  return include.length === 0 ? {} : { permissions: { include } }
}
