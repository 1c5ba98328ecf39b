import type { Cls } from '../contract/registry.ts'
import type { Rule } from '../contract/resource.ts'
import type { Queryable } from '../database/database.ts'
import { type Metadata, metadataJson, withOwnId } from './resmeta.ts'
import { rulesJson } from './rule.ts'

/** A resource with all that is common to every class. */
export interface ResourceRow {
  readonly id: number
  readonly cls: Cls
  readonly parentId: number | null
  readonly grandparentId: number | null
  readonly ownerId: number
  readonly keyname: string | null
  readonly displayName: string
  readonly description: string | null
  /** UTC, ISO 8601 without zone. */
  readonly creationDate: string
  readonly version: number
  readonly hasChildren: boolean
  readonly rules: readonly Rule[]
  readonly metadata: Metadata
}

/** Reads resources with rules and metadata, in one statement, in no particular order. */
export async function findResources(tx: Queryable, ids: readonly number[]): Promise<ResourceRow[]> {
  return tx.query<ResourceRow>(
    `select r.id, r.cls, r.parent_id as "parentId", p.parent_id as "grandparentId", r.owner_id as "ownerId",
            r.keyname, r.display_name as "displayName", r.description,
            to_char(r.creation_date, 'YYYY-MM-DD"T"HH24:MI:SS') as "creationDate", r.version,
            exists (select from resource c where c.parent_id = r.id) as "hasChildren",
            ${rulesJson} as rules, ${metadataJson} as metadata
       from resource r left join resource p on p.id = r.parent_id
      where r.id = any($1::int[])`,
    [ids],
  )
}

/** What a creation has to know before it can be refused or done. */
export interface CreationFacts {
  /** The id the new resource is going to have. */
  readonly id: number
  /** Class of the parent; null where there is no such resource. */
  readonly parentCls: Cls | null
  /** A sibling that has the display name already. */
  readonly sibling: number | null
  /** A resource that has the keyname already. */
  readonly keynameHolder: number | null
}

/** Holds the tree still against moves and deletions until the transaction ends, and gives what a creation needs. */
export async function beginCreation(
  tx: Queryable,
  wanted: { readonly parentId: number; readonly displayName: string; readonly keyname: string | null },
): Promise<CreationFacts> {
  const [facts] = await tx.query<CreationFacts>(
    `select pg_advisory_xact_lock_shared(${treeLock})::text as locked,
            nextval(pg_get_serial_sequence('resource', 'id'))::int as id,
            (select cls from resource where id = $1) as "parentCls",
            (select id from resource where parent_id = $1 and display_name = $2) as sibling,
            (select id from resource where keyname = $3) as "keynameHolder"`,
    [wanted.parentId, wanted.displayName, wanted.keyname],
  )
  if (facts === undefined) throw new Error('a query without rows')
  return facts
}

/** Names the advisory lock of the tree, as SQL: creations share it, moves and deletions have it alone. */
export const treeLock = "hashtext(current_schema() || '.tree')"

/** A resource to be made. */
export interface NewResource {
  readonly id: number
  readonly cls: Cls
  readonly parentId: number
  readonly ownerId: number
  readonly keyname: string | null
  readonly displayName: string
  readonly description: string | null
  readonly rules: readonly Rule[]
  readonly metadata: Metadata
}

/** Makes a resource with its place in the tree, rules and metadata, in one statement. */
export async function insertResource(tx: Queryable, made: NewResource): Promise<void> {
  const metadata = Object.entries(withOwnId(made.metadata, made.id)).filter(([, value]) => value !== null)
  await tx.query(insertSql, [
    made.id,
    made.cls,
    made.parentId,
    made.ownerId,
    made.keyname,
    made.displayName,
    made.description,
    JSON.stringify(made.rules),
    JSON.stringify(Object.fromEntries(metadata)),
  ])
}

const insertSql = `
  with made as (
    insert into resource (id, cls, parent_id, owner_id, keyname, display_name, description)
    values ($1::int, $2, $3, $4, $5, $6, $7)),
  placed as (
    insert into resource_path (ancestor_id, descendant_id, depth)
    select ancestor_id, $1::int, depth + 1 from resource_path where descendant_id = $3
    union all select $1::int, $1::int, 0),
  ruled as (
    insert into rule (resource_id, action, principal_id, identity, scope, permission, propagate)
    select distinct $1::int, r.action, (r.principal->>'id')::int, r.identity, r.scope, r.permission, r.propagate
      from jsonb_to_recordset($8::jsonb) as r (
        action text, principal jsonb, identity text, scope text, permission text, propagate boolean))
  insert into resmeta (resource_id, key, value) select $1::int, key, value from jsonb_each($9::jsonb)`

/** Columns of a resource that a change may give another value. */
export interface ResourceChange {
  readonly ownerId?: number
  readonly keyname?: string | null
  readonly displayName?: string
  readonly description?: string | null
}

const columns: Readonly<Record<keyof ResourceChange, string>> = {
  ownerId: 'owner_id',
  keyname: 'keyname',
  displayName: 'display_name',
  description: 'description',
}

/** Changes columns of a resource and counts the change. Gives the new version. */
export async function updateResource(tx: Queryable, id: number, change: ResourceChange): Promise<number> {
  const entries = Object.entries(change) as [keyof ResourceChange, unknown][]
  const sets = entries.map(([name], at) => `${columns[name]} = $${at + 2}, `).join('')
  const [row] = await tx.query<{ version: number }>(
    `update resource set ${sets}version = version + 1 where id = $1 returning version`,
    [id, ...entries.map(([, value]) => value)],
  )
  return row?.version ?? 0
}

/** A resource that is going to be changed. */
export interface LockedResource {
  readonly id: number
  readonly cls: Cls
  readonly parentId: number | null
  readonly ownerId: number
  readonly keyname: string | null
  readonly displayName: string
  readonly description: string | null
  readonly version: number
}

/** Reads a resource and keeps others from changing it until the transaction ends. */
export async function lockResource(tx: Queryable, id: number): Promise<LockedResource | undefined> {
  const [row] = await tx.query<LockedResource>(
    `select id, cls, parent_id as "parentId", owner_id as "ownerId", keyname, display_name as "displayName",
            description, version
       from resource where id = $1 for no key update`,
    [id],
  )
  return row
}

/** Who already has a name that a resource wants. */
export interface NameHolders {
  readonly sibling: number | null
  readonly keynameHolder: number | null
}

/** Finds other resources that have the display name under the parent, or the keyname. */
export async function findNameHolders(
  tx: Queryable,
  wanted: {
    readonly id: number
    readonly parentId: number | null
    readonly displayName: string
    readonly keyname: string | null
  },
): Promise<NameHolders> {
  const [row] = await tx.query<NameHolders>(
    `select (select id from resource where parent_id = $2 and display_name = $3 and id <> $1) as sibling,
            (select id from resource where keyname = $4 and id <> $1) as "keynameHolder"`,
    [wanted.id, wanted.parentId, wanted.displayName, wanted.keyname],
  )
  return row ?? { sibling: null, keynameHolder: null }
}
