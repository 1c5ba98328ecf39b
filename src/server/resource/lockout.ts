import type { Rule } from '../../contract/bodies/resource.ts'
import type { Pointer } from '../../core/pointer.ts'
import type { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { findManagedIds } from '../../store/access/effective_permission.ts'
import { type Administration, readAdministration } from '../../store/auth/principal.ts'
import { lockPrincipals } from '../../store/auth/principal_change.ts'
import { listRepresentatives } from '../../store/resource/resource_tree.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { ruleKey } from './write_rules.ts'

/** A change of an existing resource that may take permissions from administrators. */
export interface RiskyChange {
  readonly id: number
  /** Rules before and after; undefined if unchanged. */
  readonly rules: { readonly before: readonly Rule[]; readonly after: readonly Rule[] } | undefined
  /** Whether the parent changes. */
  readonly isMoved: boolean
  /** Whether the owner changes. */
  readonly hasNewOwner: boolean
}

/**
 * Runs changes of resources, and rejects them if they lock all administrators out of one of the resources or of a
 * descendant. Such changes and changes of administrators are serialised: together, two of them could cause a lockout
 * that neither causes alone.
 *
 * @throws {Problem} request/invalid
 */
export async function guardManaged(
  tx: Queryable,
  changes: readonly RiskyChange[],
  work: () => Promise<void>,
): Promise<void> {
  const candidates = changes
    .map((change) => ({
      ...change,
      lost: listLost(change.rules),
      isMovedOrGiven: change.isMoved || change.hasNewOwner,
    }))
    .filter(({ lost, isMovedOrGiven }) => isMovedOrGiven || lost.length > 0)
  if (candidates.length === 0) return work()
  await lockPrincipals(tx)
  const administration = await readAdministration(tx)
  const administratorPrincipals = listAdministratorPrincipals(administration)
  const isConcerned = ({ principal }: Rule) => administratorPrincipals.has(principal.id)
  const risky = candidates.filter(({ lost, isMovedOrGiven }) => isMovedOrGiven || lost.some(isConcerned))
  if (risky.length === 0) return work()
  const topIds = risky.map(({ id }) => id)
  const ids = await listRepresentatives(tx, topIds, [...administratorPrincipals])
  const before = await findManagedIds(tx, administration, ids)
  await work()
  const after = await findManagedIds(tx, administration, [...before])
  const locked = risky.find(({ id }) => before.has(id) && !after.has(id))
  if (locked !== undefined) throw lockedOut(pointerOf(locked), 'the resource')
  const [first] = risky
  if (after.size < before.size && first !== undefined)
    throw lockedOut(pointerOf(first), 'a resource below it')
}

const pointerOf = ({ rules, isMoved }: RiskyChange) =>
  rules !== undefined ? rulesPointer : isMoved ? parentPointer : '/resource/owner_user'

/** A resource created in the same transaction. */
export interface CreatedResource {
  readonly id: number
  readonly parentId: number
  readonly rules: readonly Rule[]
  /** Whether inherited rules deny anything. */
  readonly isDenied: boolean
}

/**
 * Rejects new resources that no administrator can manage although one can manage their parent.
 *
 * @throws {Problem} request/invalid
 */
export async function checkManaged(tx: Queryable, created: readonly CreatedResource[]): Promise<void> {
  const risky = created.filter((one) => one.isDenied || one.rules.some(isDeny))
  if (risky.length === 0) return
  await lockPrincipals(tx)
  const ids = new Set(risky.flatMap(({ id, parentId }) => [id, parentId]))
  const managed = await findManagedIds(tx, await readAdministration(tx), [...ids])
  for (const { id, parentId, rules } of risky) {
    if (managed.has(id) || !managed.has(parentId)) continue
    throw lockedOut(rules.some(isDeny) ? rulesPointer : parentPointer, 'the resource')
  }
}

const rulesPointer = '/resource/permissions'
const parentPointer = '/resource/parent'

const isDeny = ({ action }: Rule) => action === 'deny'

/** Lists the rules that can take a permission away: removed allow rules and added deny rules. */
function listLost(rules: RiskyChange['rules']): Rule[] {
  if (rules === undefined) return []
  const { before: current, after: next } = rules
  const [before, after] = [new Set(current.map(ruleKey)), new Set(next.map(ruleKey))]
  const removed = current.filter((rule) => !isDeny(rule) && !after.has(ruleKey(rule)))
  return [...removed, ...next.filter((rule) => isDeny(rule) && !before.has(ruleKey(rule)))]
}

/** Lists the principals whose rules can apply to an administrator: groups, users and the owner. */
function listAdministratorPrincipals({ administrators, ownerPrincipal }: Administration): Set<number> {
  return new Set([ownerPrincipal, ...administrators.flatMap(({ principalIds }) => principalIds)])
}

function lockedOut(pointer: Pointer, what: string): Problem {
  return invalidAt(
    pointer,
    `no enabled administrator could still read ${what}, update it and change its permissions`,
    'Leave at least one administrator whom no deny rule affects: as a user, as a group member or as the owner.',
  )
}
