import { membersOf } from '../../contract/bodies.ts'
import type { Reference } from '../../contract/descriptor.ts'
import { findReferences, targetIdOf } from '../../contract/references.ts'
import type { Cls } from '../../contract/registry.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { Queryable } from '../../database/database.ts'
import { findPermittedIds } from '../../store/access/effective_permission.ts'
import { findResourceClasses } from '../../store/resource/resource_class.ts'
import type { Caller } from '../auth/caller.ts'
import { invalidAt } from '../http/invalid_request.ts'

/** Members of a resource whose references are to be checked. */
export interface ReferenceCheck {
  readonly members: Readonly<Record<string, unknown>>
  /** Resources it points at already: who may not read them may still leave them in. */
  readonly standing?: ReadonlySet<number>
}

/**
 * Makes sure that every reference of some resources of one class points at a resource of a class the contract allows,
 * which the caller may read. Takes two statements, however many references there are.
 *
 * @throws {Problem} request/invalid, naming the place. What may not be read is spoken of like what is not there.
 */
export async function requireReferences(
  tx: Queryable,
  { caller, cls: holder, checks }: ReferenceChecks,
): Promise<void> {
  const found = checks.flatMap((check) => listReferences(holder, check))
  const ids = [...new Set(found.map(({ id }) => id))]
  if (ids.length === 0) return
  const classes = await findResourceClasses(tx, ids)
  const readable = await findPermittedIds(tx, caller, { ids, permission: 'resource.read' })
  for (const { id, pointer, target, standing } of found) {
    const cls = classes.get(id)
    const visible = readable.has(id) || standing?.has(id) === true
    if (cls === undefined || !visible)
      throw invalidAt(pointer, `there is no resource ${id} that you may read`)
    if (!target.classes.includes(cls)) throw invalidAt(pointer, wrongClass(id, cls, target))
  }
}

/** References of resources of one class, and who writes them. */
export interface ReferenceChecks {
  readonly caller: Caller
  readonly cls: Cls
  readonly checks: readonly ReferenceCheck[]
}

interface FoundId {
  readonly id: number
  readonly standing: ReadonlySet<number> | undefined
  readonly pointer: Pointer
  readonly target: Reference
}

function listReferences(cls: Cls, { members, standing }: ReferenceCheck): FoundId[] {
  return Object.entries(membersOf(cls)).flatMap(([name, schema]) =>
    findReferences(schema, members[name]).flatMap(({ target, pointer, value }) => {
      const id = targetIdOf(value)
      if (target === 'principal' || typeof id !== 'number') return []
      return [{ id, standing, target, pointer: `${joinPointer('', name)}${pointer}` }]
    }),
  )
}

function wrongClass(id: number, cls: Cls, { classes }: Reference): string {
  return `resource ${id} is a ${cls}, not one of ${classes.join(', ')}`
}
