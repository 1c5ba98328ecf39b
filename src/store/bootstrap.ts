import type { Queryable } from '../database/database.ts'

/** Principals of every instance. The order determines their ids. */
const principals = [
  { kind: 'user', keyname: 'guest', displayName: 'Guest', system: true },
  { kind: 'user', keyname: 'everyone', displayName: 'Everyone', system: true },
  { kind: 'user', keyname: 'authenticated', displayName: 'Authenticated', system: true },
  { kind: 'user', keyname: 'owner', displayName: 'Owner', system: true },
  { kind: 'group', keyname: 'administrators', displayName: 'Administrators', system: true },
  { kind: 'user', keyname: 'administrator', displayName: 'Administrator', system: false },
] as const

/** Returns whether the database has its initial principals and root. Waits for another process creating them. */
export async function isBootstrapped(tx: Queryable): Promise<boolean> {
  await tx.query("select pg_advisory_xact_lock(hashtext(current_schema() || '.bootstrap'))")
  const [row] = await tx.query<{ done: boolean }>('select exists (select from resource where id = 0) as done')
  return row?.done ?? false
}

/**
 * Creates the system principals, the administrator and the root resource, on which administrators have every
 * permission. Nothing is public.
 */
export async function bootstrap(tx: Queryable, administratorHash: string): Promise<void> {
  await tx.query(
    `insert into principal (kind, keyname, display_name, system, password_hash)
     select p.kind, p.keyname, p."displayName", p.system, case when not p.system then $2 end
       from jsonb_to_recordset($1::jsonb) as p (kind text, keyname text, "displayName" text, system boolean)`,
    [JSON.stringify(principals), administratorHash],
  )
  await tx.query(`
    insert into membership (group_id, user_id)
    select g.id, u.id from principal g, principal u
     where g.kind = 'group' and g.keyname = 'administrators' and u.kind = 'user' and u.keyname = 'administrator'`)
  await tx.query(`
    insert into resource (id, cls, parent_id, owner_id, display_name)
    select 0, 'resource_group', null, id, 'Main resource group' from principal
     where kind = 'user' and keyname = 'administrator'`)
  await tx.query('insert into resource_path (ancestor_id, descendant_id, depth) values (0, 0, 0)')
  await tx.query(`
    insert into rule (resource_id, action, principal_id, identity, scope, permission, propagate)
    select 0, 'allow', id, '', '', '', true from principal where kind = 'group' and keyname = 'administrators'`)
}
