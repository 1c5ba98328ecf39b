import { membersOf } from '../../contract/bodies/bodies.ts'
import type { Reference } from '../../contract/descriptor.ts'
import type { Cls } from '../../contract/registry.ts'
import { findReferences, targetIdOf } from '../../contract/schema/references.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermittedIds } from '../../store/access/effective_permission.ts'
import { findResourceClasses } from '../../store/resource/resource_class.ts'
import type { Caller } from '../auth/caller.ts'
import { invalidAt } from '../http/invalid_request.ts'

/** Members of a resource whose references are checked. */
export interface ReferenceCheck {
  readonly members: Readonly<Record<string, unknown>>
  /** Resources it refers to already; they stay allowed for callers who cannot read them. */
  readonly current?: ReadonlySet<number>
}

/**
 * Checks that every reference of resources of one class points to a resource that the caller can read, of a class that
 * the contract allows. Runs two statements, whatever the number of references.
 *
 * @throws {Problem} request/invalid, with the pointer; the same for unreadable and missing resources
 */
export async function requireReferences(
  tx: Queryable,
  { caller, cls: holder, checks }: ReferenceChecks,
): Promise<void> {
  const references = checks.flatMap((check) => listReferences(holder, check))
  const ids = [...new Set(references.map(({ id }) => id))]
  if (ids.length === 0) return
  const classes = await findResourceClasses(tx, ids)
  const readable = await findPermittedIds(tx, caller, { ids, permission: 'resource.read' })
  for (const { id, pointer, target, current } of references) {
    const cls = classes.get(id)
    const visible = readable.has(id) || current?.has(id) === true
    if (cls === undefined || !visible)
      throw invalidAt(pointer, `resource id = ${id} does not exist, or you cannot read it`)
    if (!target.classes.includes(cls)) throw invalidAt(pointer, wrongClass(id, cls, target))
  }
}

/** References of resources of one class, and the caller who writes them. */
export interface ReferenceChecks {
  readonly caller: Caller
  readonly cls: Cls
  readonly checks: readonly ReferenceCheck[]
}

interface ResourceReference {
  readonly id: number
  readonly current: ReadonlySet<number> | undefined
  readonly pointer: Pointer
  readonly target: Reference
}

function listReferences(cls: Cls, { members, current }: ReferenceCheck): ResourceReference[] {
  return Object.entries(membersOf(cls)).flatMap(([name, schema]) =>
    findReferences(schema, members[name]).flatMap(({ target, pointer, value }) => {
      const id = targetIdOf(value)
      if (target === 'principal' || typeof id !== 'number') return []
      return [{ id, current, target, pointer: `${joinPointer('', name)}${pointer}` }]
    }),
  )
}

function wrongClass(id: number, cls: Cls, { classes }: Reference): string {
  return `resource ${id} is a ${cls}, not one of ${classes.join(', ')}`
}
