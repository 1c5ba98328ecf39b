import type { AccessResource, AccessSubject, Key } from '../../access/access_tree.ts'
import { createEvaluator } from '../../access/evaluate_access.ts'
import { type Explanation, explainPermission } from '../../access/explain_access.ts'
import { findManaged } from '../../access/lockout.ts'
import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import type { Administration } from '../auth/principal.ts'
import { isResourceId } from '../resource/resource_id.ts'
import type { Asker } from './principal_ids.ts'

/** A resource that does not exist yet, where it is going to stand. Who asks is its owner. */
export interface Placed {
  readonly id: number
  readonly cls: Cls
  readonly parentId: number
}

/**
 * Computes the effective permissions of one asker on many resources. One statement, however many they are: it reads
 * all that the answer depends on, and the evaluator works on that. Ids that are no resource are left out.
 */
export async function findPermissionMasks(
  tx: Queryable,
  asker: Asker,
  ids: readonly number[],
): Promise<Map<number, PermissionMask>> {
  const tree = await readTree(tx, asker, ids)
  const evaluate = createEvaluator(tree, subjectOf(asker))
  return new Map(ids.filter((id) => tree.has(id)).map((id) => [id, evaluate(id)]))
}

/** The same for resources that are about to be created, and for their parents; without those that have no parent. */
export async function findPlacedMasks(
  tx: Queryable,
  asker: Asker,
  placed: readonly Placed[],
): Promise<Map<number, PermissionMask>> {
  const tree = await readTree(tx, asker, [...new Set(placed.map(({ parentId }) => parentId))])
  const possible = placed.filter(({ parentId }) => tree.has(parentId))
  for (const { id, cls, parentId } of possible)
    tree.set(id, { cls, parent: parentId, owner: asker.id, rules: [] })
  const evaluate = createEvaluator(tree, subjectOf(asker))
  const asked = new Set(possible.flatMap(({ id, parentId }) => [parentId, id]))
  return new Map([...asked].map((id) => [id, evaluate(id)]))
}

/** Of some resources, gives those on which the asker has a permission. */
export async function findPermittedIds(
  tx: Queryable,
  asker: Asker,
  { ids, permission }: { readonly ids: readonly number[]; readonly permission: PermissionName },
): Promise<Set<number>> {
  const masks = await findPermissionMasks(tx, asker, ids)
  return new Set([...masks].filter(([, mask]) => hasPermission(mask, permission)).map(([id]) => id))
}

/** Of some resources, gives those that an administrator can read, change, and set permissions of. One statement. */
export async function findManagedIds(
  tx: Queryable,
  { administrators, ownerPrincipal }: Administration,
  ids: readonly number[],
): Promise<Set<number>> {
  const principalIds = [...new Set(administrators.flatMap((one) => one.principalIds))]
  const tree = await readTree(tx, { principalIds, principalSql: rawSql }, ids)
  const subjects = administrators.map((one) => rawSubjectOf(one, ownerPrincipal))
  return findManaged(tree, subjects, ids) as Set<number>
}

/**
 * Explains permissions of one asker on a resource, with the rules as they stand. One statement more than the masks.
 *
 * @returns undefined where there is no such resource
 */
export async function explainPermissions(
  tx: Queryable,
  asker: Asker,
  { id, permissions }: { readonly id: number; readonly permissions: readonly PermissionName[] },
): Promise<Map<PermissionName, Explanation> | undefined> {
  const [owner] = await tx.query<{ id: number }>(`select ${ownerSql} as id`)
  const tree = await readTree(tx, { ...asker, principalSql: rawSql }, [id])
  if (!tree.has(id)) return undefined
  const subject = rawSubjectOf(asker, owner?.id)
  return new Map(
    permissions.map((permission) => [permission, explainPermission(tree, subject, { key: id, permission })]),
  )
}

/** Tells all processes that permissions of standing resources have changed. Call it in the changing transaction. */
export async function touchPermissionEpoch(tx: Queryable): Promise<void> {
  await tx.query('update permission_epoch set value = value + 1')
}

/** The name that stands for the owner in a tree that was read for one asker: never an id. */
const ownerPrincipal = 'owner'
/** The name that stands for everybody whose rules speak of the asker. */
const askerPrincipal = 'asker'

function subjectOf({ id, superuser }: Asker): AccessSubject {
  return { user: id, principals: new Set([askerPrincipal]), ownerPrincipal, superuser }
}

/** The principal of rule `u` by its id, where the rules of several principals are told apart. */
const rawSql = 'u.principal_id'

function rawSubjectOf({ id, principalIds, superuser }: Asker, owner: number | undefined): AccessSubject {
  return { user: id, principals: new Set(principalIds), ownerPrincipal: owner, superuser }
}

interface NodeRow {
  readonly id: number
  readonly cls: Cls
  readonly parent: number | null
  readonly owner: number
  readonly connection: number | null
  readonly rules: AccessResource['rules'] | null
}

/** Reads resources, all above them, the connections of any of these and all above those; of rules, the asker's only. */
async function readTree(
  tx: Queryable,
  { principalIds, principalSql = roleSql }: Pick<Asker, 'principalIds'> & { readonly principalSql?: string },
  ids: readonly number[],
): Promise<Map<Key, AccessResource>> {
  const known = ids.filter(isResourceId)
  if (known.length === 0) return new Map()
  const sql = known.length > few ? manySql(principalSql) : fewSql(principalSql)
  const rows = await tx.query<NodeRow>(sql, [known, principalIds])
  return new Map(
    rows.map(({ id: key, parent, connection, rules, ...rest }) => [
      key,
      { ...rest, parent: parent ?? undefined, connection: connection ?? undefined, rules: rules ?? [] },
    ]),
  )
}

/**
 * So many resources are looked up one by one; more are joined as sets. Measured: for one resource the first way takes a
 * third of the time, for ten thousand the second a quarter.
 */
const few = 30

/** Whom rule `u` speaks of, as far as it matters for an answer: many rules for many groups are the same then. */
const roleSql = `case when u.principal_id = any($2::int[]) then '${askerPrincipal}' else '${ownerPrincipal}' end`

/** A rule `u`, as the evaluator reads it. */
const ruleJson = (principalSql: string) => `json_build_object(
    'action', u.action, 'identity', u.identity, 'scope', u.scope, 'permission', u.permission,
    'propagate', u.propagate, 'principal', ${principalSql})`
const ownerSql = "(select id from principal where kind = 'user' and system and keyname = 'owner')"

const fewSql = (principalSql: string) => `
  select r.id, r.cls, r.parent_id as parent, r.owner_id as owner, c.connection_id as connection,
         (select json_agg(${ruleJson(principalSql)}) from rule u
           where u.resource_id = r.id and u.principal_id = any($2::int[] || ${ownerSql})) as rules
    from (
      select ancestor_id as id from resource_path where descendant_id = any($1::int[])
      union
      select p.ancestor_id
        from resource_path n join resource_connection c on c.resource_id = n.ancestor_id
        join resource_path p on p.descendant_id = c.connection_id
       where n.descendant_id = any($1::int[])) n
    join resource r on r.id = n.id
    left join resource_connection c on c.resource_id = n.id`

const manySql = (principalSql: string) => `
  with chain as materialized (
    select distinct ancestor_id as id from resource_path where descendant_id = any($1::int[])),
  needed as materialized (
    table chain
    union
    select p.ancestor_id
      from chain n join resource_connection c on c.resource_id = n.id
      join resource_path p on p.descendant_id = c.connection_id),
  spoken as materialized (
    select u.resource_id, json_agg(${ruleJson(principalSql)}) as rules from rule u
     where u.principal_id = any($2::int[] || ${ownerSql}) group by u.resource_id)
  select r.id, r.cls, r.parent_id as parent, r.owner_id as owner, c.connection_id as connection, s.rules
    from needed n
    join resource r on r.id = n.id
    left join resource_connection c on c.resource_id = n.id
    left join spoken s on s.resource_id = n.id`
