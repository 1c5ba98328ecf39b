import { LRUCache } from 'lru-cache'
import type { AccessResource, AccessSubject, Key } from '../../access/access_tree.ts'
import { createEvaluator } from '../../access/evaluate_access.ts'
import { type Explanation, explainPermission } from '../../access/explain_access.ts'
import { findManaged } from '../../access/lockout.ts'
import { hasPermission, type PermissionMask } from '../../access/permission_mask.ts'
import { isResourceId } from '../../contract/limits.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import type { Cls } from '../../contract/registry.ts'
import { batchLoads } from '../../core/batch_loads.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { workForServer } from '../../database/turns.ts'
import type { Administration } from '../auth/principal.ts'
import type { PermissionSubject } from './permission_subject.ts'

/** A resource that is about to be created. The subject is going to be its owner. */
export interface PlannedResource {
  readonly id: number
  readonly cls: Cls
  readonly parentId: number
}

/**
 * Computes the effective permissions of a subject on any number of resources. A single statement reads everything the
 * result depends on. Ids without a resource are left out.
 */
export async function findPermissionMasks(
  tx: Queryable,
  subject: PermissionSubject,
  ids: readonly number[],
): Promise<Map<number, PermissionMask>> {
  const tree = await readTree(tx, subject, ids)
  const evaluate = createEvaluator(tree, accessSubjectOf(subject))
  return new Map(ids.filter((id) => tree.has(id)).map((id) => [id, evaluate(id)]))
}

/** Computes permissions on resources about to be created and on their parents. Resources without a parent are left out. */
export async function findPlannedMasks(
  tx: Queryable,
  subject: PermissionSubject,
  planned: readonly PlannedResource[],
): Promise<Map<number, PermissionMask>> {
  const tree = await readTree(tx, subject, [...new Set(planned.map(({ parentId }) => parentId))])
  const withParent = planned.filter(({ parentId }) => tree.has(parentId))
  for (const { id, cls, parentId } of withParent)
    tree.set(id, { cls, parent: parentId, owner: subject.id, rules: [] })
  const evaluate = createEvaluator(tree, accessSubjectOf(subject))
  const ids = new Set(withParent.flatMap(({ id, parentId }) => [parentId, id]))
  return new Map([...ids].map((id) => [id, evaluate(id)]))
}

/** Returns the resources on which the subject has a permission. */
export async function findPermittedIds(
  tx: Queryable,
  subject: PermissionSubject,
  { ids, permission }: { readonly ids: readonly number[]; readonly permission: PermissionName },
): Promise<Set<number>> {
  const masks = await findPermissionMasks(tx, subject, ids)
  return new Set([...masks].filter(([, mask]) => hasPermission(mask, permission)).map(([id]) => id))
}

/** Returns the resources that some administrator can read, update and set permissions on. One statement. */
export async function findManagedIds(
  tx: Queryable,
  { administrators, ownerPrincipal }: Administration,
  ids: readonly number[],
): Promise<Set<number>> {
  const principalIds = [...new Set(administrators.flatMap((one) => one.principalIds))]
  const tree = await readTree(tx, { principalIds, principalSql: principalIdSql }, ids)
  const subjects = administrators.map((one) => accessSubjectById(one, ownerPrincipal))
  return findManaged(tree, subjects, ids) as Set<number>
}

/**
 * Explains permissions of a subject on a resource by its current rules. Takes one statement more than the masks.
 *
 * @returns undefined if the resource does not exist
 */
export async function explainPermissions(
  tx: Queryable,
  subject: PermissionSubject,
  { id, permissions }: { readonly id: number; readonly permissions: readonly PermissionName[] },
): Promise<Map<PermissionName, Explanation> | undefined> {
  const [owner] = await tx.query<{ id: number }>(`select ${ownerSql} as id`)
  const tree = await readTree(tx, { ...subject, principalSql: principalIdSql }, [id])
  if (!tree.has(id)) return undefined
  const accessSubject = accessSubjectById(subject, owner?.id)
  return new Map(
    permissions.map((permission) => [
      permission,
      explainPermission(tree, accessSubject, { key: id, permission }),
    ]),
  )
}

/** Invalidates cached permissions in every process. Call it in the transaction that changes them. */
export async function touchPermissionEpoch(tx: Queryable): Promise<void> {
  await tx.query('update permission_epoch set value = value + 1')
}

/** Stands for the owner in a tree read for one subject. */
const ownerPrincipal = 'owner'
/** Stands for every principal whose rules apply to the subject. */
const subjectPrincipal = 'subject'

function accessSubjectOf({ id, superuser }: PermissionSubject): AccessSubject {
  return { user: id, principals: new Set([subjectPrincipal]), ownerPrincipal, superuser }
}

/** The principal of rule `u` by id, where rules of several principals are distinguished. */
const principalIdSql = 'u.principal_id'

function accessSubjectById(
  { id, principalIds, superuser }: PermissionSubject,
  owner: number | undefined,
): AccessSubject {
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

/** Reads resources, their ancestors, the connections of any of these and their ancestors, with the subject's rules. */
async function readTree(
  tx: Queryable,
  {
    principalIds,
    principalSql = principalRoleSql,
  }: Pick<PermissionSubject, 'principalIds'> & { readonly principalSql?: string },
  ids: readonly number[],
): Promise<Map<Key, AccessResource>> {
  const known = ids.filter(isResourceId)
  if (known.length === 0) return new Map()
  const sql = known.length > maxLookups ? joinTreeSql(principalSql) : lookUpTreeSql(principalSql)
  const rows = await tx.query<NodeRow>(sql, [known, principalIds])
  return new Map(
    rows.map(({ id: key, parent, connection, rules, ...rest }) => [
      key,
      { ...rest, parent: parent ?? undefined, connection: connection ?? undefined, rules: rules ?? [] },
    ]),
  )
}

/**
 * Up to this many resources are looked up one by one, more are joined as sets. Measured: lookups take a third of the
 * time for one resource, joins a quarter for ten thousand.
 */
const maxLookups = 30

/** The principal of rule `u`, reduced to subject or owner, so that equal rules for several groups are read as one. */
const principalRoleSql = `case when u.principal_id = any($2::int[]) then '${subjectPrincipal}' else '${ownerPrincipal}' end`

/** Rule `u` as JSON for the evaluator. */
const ruleJson = (principalSql: string) => `json_build_object(
    'action', u.action, 'identity', u.identity, 'scope', u.scope, 'permission', u.permission,
    'propagate', u.propagate, 'principal', ${principalSql})`
const ownerSql = "(select id from principal where kind = 'user' and system and keyname = 'owner')"

const lookUpTreeSql = (principalSql: string) => `
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

/** Resources `$1`, their ancestors, the connections of any of these and their ancestors, as `needed (id)`. */
export const neededSql = `
  chain as materialized (
    select distinct ancestor_id as id from resource_path where descendant_id = any($1::int[])),
  needed as materialized (
    table chain
    union
    select p.ancestor_id
      from chain n join resource_connection c on c.resource_id = n.id
      join resource_path p on p.descendant_id = c.connection_id)`.trim()

const joinTreeSql = (principalSql: string) => `
  with ${neededSql},
  rules as materialized (
    select u.resource_id, json_agg(${ruleJson(principalSql)}) as rules from rule u
     where u.principal_id = any($2::int[] || ${ownerSql}) group by u.resource_id)
  select r.id, r.cls, r.parent_id as parent, r.owner_id as owner, c.connection_id as connection, s.rules
    from needed n
    join resource r on r.id = n.id
    left join resource_connection c on c.resource_id = n.id
    left join rules s on s.resource_id = n.id`

/** Effective permissions at the permission epoch of the database. For reads only; writes compute them again. */
export interface PermissionCache {
  /** Returns the masks of those ids that are resources. Takes one cheap statement if they are cached. */
  findMasks(subject: PermissionSubject, ids: readonly number[]): Promise<Map<number, PermissionMask>>
}

/** Maximum number of cached pairs of user and resource, of about 50 bytes each. */
const maxMasks = 200_000

interface UserMasks {
  readonly epoch: string
  readonly masks: Map<number, PermissionMask>
}

/**
 * Caches masks by user and groups until the permission epoch changes. Creating or deleting a resource does not change
 * it: ids are never reused, and the statement that reads the epoch also reads which ids exist.
 */
export function createPermissionCache(database: Database): PermissionCache {
  const users = new LRUCache<string, UserMasks>({
    max: 10_000,
    maxSize: maxMasks,
    sizeCalculation: ({ masks }) => 1 + masks.size,
  })
  const findBatched = batchLoads((ids: readonly number[]) =>
    workForServer(() => readSnapshots(database, ids)),
  )
  const findSnapshot = async (ids: readonly number[]) => {
    const [only] = ids
    const isOne = only !== undefined && ids.length === 1
    return isOne ? ((await findBatched(only)) ?? emptySnapshot) : readSnapshot(database, ids)
  }
  return {
    async findMasks(subject, ids) {
      const resourceIds = ids.filter(isResourceId)
      const { epoch, existing } = await findSnapshot(resourceIds)
      if (existing.length === 0) return new Map()
      const key = keyOf(subject)
      const entry = users.get(key)
      const cached = entry?.epoch === epoch ? entry : { epoch, masks: new Map<number, PermissionMask>() }
      const missing = existing.filter((id) => !cached.masks.has(id))
      if (missing.length > 0) {
        for (const [id, mask] of await findPermissionMasks(database, subject, missing))
          cached.masks.set(id, mask)
        // Setting the entry again updates its size.
        users.set(key, cached)
      }
      return new Map(
        existing.flatMap((id) => {
          const mask = cached.masks.get(id)
          return mask === undefined ? [] : [[id, mask] as const]
        }),
      )
    },
  }
}

// Includes the groups, because the groups of an authenticated subject may be outdated.
function keyOf({ id, superuser, principalIds }: PermissionSubject): string {
  return `${id} ${superuser} ${principalIds.join(' ')}`
}

/** The permission epoch, and which of the requested ids exist. */
interface Snapshot {
  readonly epoch: string
  readonly existing: readonly number[]
}

const emptySnapshot: Snapshot = { epoch: '', existing: [] }

async function readSnapshot(database: Database, ids: readonly number[]): Promise<Snapshot> {
  const rows = await database.query<{ epoch: string; existing: number[] }>(
    `select value::text as epoch,
            array(select id from resource where id = any($1::int[])) as existing from permission_epoch`,
    [ids],
    { prepared: true },
  )
  return rows[0] ?? emptySnapshot
}

// Most requests concern one resource; concurrent ones share one read of the epoch.
async function readSnapshots(database: Database, ids: readonly number[]): Promise<Map<number, Snapshot>> {
  const { epoch, existing } = await readSnapshot(database, ids)
  return new Map(existing.map((id) => [id, { epoch, existing: [id] }]))
}
