import type { AccessResource, Key } from '../../access/access_tree.ts'
import { readAccess } from '../access/access_trees.ts'
import { type ActualTree, labelOf, listDescendants } from '../model/actual_tree.ts'
import { idIn, type LintResource, type LintTree, listLintReferences, listLintSubjects } from './lint_tree.ts'

/** Names of users and groups who are administrators, and of the system. */
const administrators: ReadonlySet<string> = new Set(['group:administrators', 'user:administrator'])

/**
 * Reads the resources of a server as a tree to lint; only the subtree of the root is reported. Looks up what this refers to, and what
 * refers to it, and needs no other resources.
 */
export function lintTreeOfServer(actual: ActualTree, rootId: number): LintTree {
  const { principals, byId } = actual
  const access = new Map<Key, AccessResource>()
  const found = new Map<Key, LintResource>()
  const reported = new Set([rootId, ...listDescendants(actual, rootId)])
  const finderOf = (from: number) => (value: unknown) => {
    const id = idIn(value)
    // Of references between others, nothing is reported.
    const isNeeded = id !== undefined && (reported.has(from) || reported.has(id))
    return isNeeded && byId.has(id) ? id : undefined
  }
  for (const resource of actual.listReferring([...reported])) {
    const { id, cls, displayName, parentId, members, rules } = resource
    const read = readAccess(resource)
    if (read !== undefined) access.set(id, read)
    found.set(id, {
      key: id,
      label: labelOf(resource),
      cls,
      displayName,
      parent: parentId ?? undefined,
      references: listLintReferences(cls, members, finderOf(id)),
      isKnown: rules !== undefined && (parentId === null || found.get(parentId)?.isKnown !== false),
      isReported: reported.has(id),
      rulesPointer: '/resource/permissions',
    })
  }
  const idOf = (name: string): Key => principals.ids.get(`user:${name}`) ?? name
  const system = {
    guest: idOf('guest'),
    everyone: idOf('everyone'),
    authenticated: idOf('authenticated'),
    owner: idOf('owner'),
  }
  const nameOf = (key: Key) => {
    const name = principals.nameOf(Number(key))
    return administrators.has(name) ? undefined : name.replace(':', ' ')
  }
  return {
    resources: found,
    access,
    subjects: listLintSubjects(access.values(), system, nameOf),
    hasRules: true,
    isPart: rootId !== 0,
  }
}
