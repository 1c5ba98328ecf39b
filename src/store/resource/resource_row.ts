import type { Rule } from '../../contract/bodies/resource.ts'
import { withOwnId } from '../../contract/field_marks.ts'
import { isResourceId } from '../../contract/limits.ts'
import type { Cls } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { ruleListsSql } from '../access/permission_rule.ts'
import { replaceChange } from './last_change.ts'
import { type Metadata, metadataSql } from './resmeta.ts'

/** A resource with the members common to all classes. */
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
            coalesce(u.rules, '[]') as rules, coalesce(m.items, '{}') as metadata
       from resource r left join resource p on p.id = r.parent_id
       left join (${ruleListsSql('$1')}) u on u.resource_id = r.id
       left join (${metadataSql('$1')}) m on m.resource_id = r.id
      where r.id = any($1::int[])`,
    [ids],
    { prepared: true },
  )
}

/** A resource to create, as far as its creation is checked. */
export interface WantedResource {
  /** Reserved id, if any. */
  readonly id: number | undefined
  readonly parentId: number
  readonly displayName: string
  readonly keyname: string | null
}

/** Facts that a creation is checked against. */
export interface CreationFacts {
  /** Id of the new resource. */
  readonly id: number
  /** Class of the parent; null if the parent does not exist. */
  readonly parentCls: Cls | null
  /** Depth of the parent below the root. */
  readonly parentDepth: number
  /** A sibling that already has the display name. */
  readonly sibling: number | null
  /** A resource that already has the keyname. */
  readonly keynameHolder: number | null
  /** Whether rules of the ancestors deny any permission. */
  readonly isDenied: boolean
}

/**
 * Locks the tree against moves and deletions until the end of the transaction, and reads the facts of each creation, in
 * the same order. One statement.
 */
export async function lockForCreation(
  tx: Queryable,
  wanted: readonly WantedResource[],
): Promise<CreationFacts[]> {
  return tx.query<CreationFacts>(
    `select pg_advisory_xact_lock_shared(${treeLock})::text as locked,
            coalesce(w.id, ${nextIdSql}) as id,
            (select cls from resource where id = w.parent_id) as "parentCls",
            (select count(*)::int - 1 from resource_path where descendant_id = w.parent_id) as "parentDepth",
            (select id from resource where parent_id = w.parent_id and display_name = w.display_name) as sibling,
            (select id from resource where keyname = w.keyname) as "keynameHolder",
            exists (select from resource_path p join rule u on u.resource_id = p.ancestor_id
                     where p.descendant_id = w.parent_id and u.action = 'deny' and u.propagate) as "isDenied"
       from unnest($1::int[], $2::int[], $3::text[], $4::text[]) with ordinality
              as w (id, parent_id, display_name, keyname, nth)
      order by w.nth`,
    [
      wanted.map(({ id }) => id ?? null),
      wanted.map(({ parentId }) => parentId),
      wanted.map(({ displayName }) => displayName),
      wanted.map(({ keyname }) => keyname),
    ],
  )
}

/** Reserves ids for new resources; those of a failed request are not reused. */
export async function reserveIds(tx: Queryable, count: number): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(`select ${nextIdSql} as id from generate_series(1, $1::int)`, [
    count,
  ])
  return rows.map(({ id }) => id)
}

const nextIdSql = `nextval(pg_get_serial_sequence('resource', 'id'))::int`

/** SQL of the advisory lock of the tree: creations share it, moves and deletions take it exclusively. */
export const treeLock = "hashtext(current_schema() || '.tree')"

/** A resource to create. */
export interface NewResource {
  readonly id: number
  readonly cls: Cls
  readonly parentId: number
  readonly ownerId: number
  readonly keyname: string | null
  readonly displayName: string
  readonly description: string | null
  readonly metadata: Metadata
}

/** Inserts resources with tree paths and metadata, in one statement; their parents must exist. */
export async function insertResources(tx: Queryable, resources: readonly NewResource[]): Promise<void> {
  const rows = resources.map((one) => {
    const metadata = Object.entries(withOwnId(one.metadata, one.id)).filter(([, value]) => value !== null)
    return { ...one, metadata: Object.fromEntries(metadata) }
  })
  await tx.query(insertSql, [JSON.stringify(rows)])
}

const insertSql = `
  with created as materialized (
    select * from jsonb_to_recordset($1::jsonb) as m (
      id int, cls text, "parentId" int, "ownerId" int, keyname text, "displayName" text, description text,
      metadata jsonb)),
  inserted as (
    insert into resource (id, cls, parent_id, owner_id, keyname, display_name, description)
    select id, cls, "parentId", "ownerId", keyname, "displayName", description from created),
  placed as (
    insert into resource_path (ancestor_id, descendant_id, depth)
    select p.ancestor_id, m.id, p.depth + 1 from created m join resource_path p on p.descendant_id = m."parentId"
    union all select id, id, 0 from created)
  insert into resmeta (resource_id, key, value)
  select m.id, e.key, e.value from created m, jsonb_each(m.metadata) e`

/** Columns of a resource that a change may set. */
export interface ResourceChange {
  readonly ownerId?: number
  readonly keyname?: string | null
  readonly displayName?: string
  readonly description?: string | null
}

/** Updates columns of resources, increments their versions, and records who changes them. One statement. */
export async function updateResources(
  tx: Queryable,
  rows: readonly (Required<ResourceChange> & { readonly id: number })[],
  userId: number,
): Promise<void> {
  await tx.query(
    `with changed as (
       update resource r
          set owner_id = w."ownerId", keyname = w.keyname, display_name = w."displayName",
              description = w.description, version = r.version + 1
         from json_to_recordset($1::text::json)
                as w (id int, "ownerId" int, keyname text, "displayName" text, description text)
        where r.id = w.id returning r.id)
     insert into last_change (resource_id, part, user_id)
     select id, 'resource', $2::int from changed order by id ${replaceChange}`,
    [JSON.stringify(rows), userId],
  )
}

/** A resource locked for a change. */
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

/** Reads resources and locks them against changes until the end of the transaction. */
export async function lockResources(
  tx: Queryable,
  ids: readonly number[],
): Promise<Map<number, LockedResource>> {
  const known = ids.filter(isResourceId)
  if (known.length === 0) return new Map()
  const rows = await tx.query<LockedResource>(
    `select id, cls, parent_id as "parentId", owner_id as "ownerId", keyname, display_name as "displayName",
            description, version
       from resource where id = any($1::int[]) order by id for no key update`,
    [known],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The resources that already have a name. */
export interface NameHolders {
  readonly sibling: number | null
  readonly keynameHolder: number | null
}

/** New names of a resource. */
export interface WantedNames {
  readonly id: number
  readonly parentId: number | null
  readonly displayName: string
  readonly keyname: string | null
}

/** Finds other resources with the display name under the parent, or with the keyname, in the order of the list. */
export async function findNameHolders(tx: Queryable, wanted: readonly WantedNames[]): Promise<NameHolders[]> {
  return tx.query<NameHolders>(
    `select (select id from resource
              where parent_id = w."parentId" and display_name = w."displayName" and id <> w.id) as sibling,
            (select id from resource where keyname = w.keyname and id <> w.id) as "keynameHolder"
       from rows from (json_to_recordset($1::text::json)
              as (id int, "parentId" int, "displayName" text, keyname text))
              with ordinality as w (id, "parentId", "displayName", keyname, nth)
      order by w.nth`,
    [JSON.stringify(wanted)],
  )
}
