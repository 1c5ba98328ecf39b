import type { Rule } from '../../contract/resource.ts'
import type { Pointer } from '../../core/pointer.ts'
import type { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { findManagedIds } from '../../store/access/effective_permission.ts'
import { type Administration, readAdministration } from '../../store/auth/principal.ts'
import { lockPrincipals } from '../../store/auth/principal_change.ts'
import { listRepresentatives } from '../../store/resource/resource_tree.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { ruleKey } from './write_rules.ts'

/** A change of a standing resource that may take rights from administrators. */
export interface RiskyChange {
  readonly id: number
  /** Rules that it has and gets; undefined where they stay. */
  readonly rules: { readonly before: readonly Rule[]; readonly after: readonly Rule[] } | undefined
  /** Whether it gets another parent. */
  readonly isMoved: boolean
  /** Whether it gets another owner. */
  readonly isGiven: boolean
}

/**
 * Does changes of resources, and refuses them where they would lock all administrators out of one of these or of one
 * below them. Such changes and changes of administrators take turns: two of them could do together what neither does
 * alone.
 *
 * @throws {Problem} request/invalid
 */
export async function keepManaged(
  tx: Queryable,
  changes: readonly RiskyChange[],
  work: () => Promise<void>,
): Promise<void> {
  const possible = changes
    .map((change) => ({
      ...change,
      lost: listLost(change.rules),
      isElsewhere: change.isMoved || change.isGiven,
    }))
    .filter(({ lost, isElsewhere }) => isElsewhere || lost.length > 0)
  if (possible.length === 0) return work()
  await lockPrincipals(tx)
  const administration = await readAdministration(tx)
  const concerned = listConcerned(administration)
  const isConcerned = ({ principal }: Rule) => concerned.has(principal.id)
  const risky = possible.filter(({ lost, isElsewhere }) => isElsewhere || lost.some(isConcerned))
  if (risky.length === 0) return work()
  const topIds = risky.map(({ id }) => id)
  const ids = await listRepresentatives(tx, topIds, [...concerned])
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

/** A resource that has just been made. */
export interface MadeResource {
  readonly id: number
  readonly parentId: number
  readonly rules: readonly Rule[]
  /** Whether rules above it deny anything. */
  readonly isDenied: boolean
}

/**
 * Refuses new resources that no administrator can manage though one can manage their parent.
 *
 * @throws {Problem} request/invalid
 */
export async function checkManaged(tx: Queryable, made: readonly MadeResource[]): Promise<void> {
  const risky = made.filter((one) => one.isDenied || one.rules.some(isDeny))
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

/** Lists the rules by whose change somebody may lose a permission: allows that go and denies that come. */
function listLost(rules: RiskyChange['rules']): Rule[] {
  if (rules === undefined) return []
  const { before: standing, after: next } = rules
  const [before, after] = [new Set(standing.map(ruleKey)), new Set(next.map(ruleKey))]
  const gone = standing.filter((rule) => !isDeny(rule) && !after.has(ruleKey(rule)))
  return [...gone, ...next.filter((rule) => isDeny(rule) && !before.has(ruleKey(rule)))]
}

/** Lists the principals whose rules speak of an administrator, or may do so. */
function listConcerned({ administrators, ownerPrincipal }: Administration): Set<number> {
  return new Set([ownerPrincipal, ...administrators.flatMap(({ principalIds }) => principalIds)])
}

function lockedOut(pointer: Pointer, what: string): Problem {
  return invalidAt(
    pointer,
    `no enabled administrator could still read ${what}, update it and change its permissions`,
    'Leave at least one administrator without a deny, by group, as owner or as a single user.',
  )
}
