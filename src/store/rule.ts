import type { Rule } from '../contract/resource.ts'
import type { Queryable } from '../database/database.ts'

/** Replaces all rules of a resource. Equal rules collapse. The permission epoch is the caller's to touch. */
export async function replaceRules(tx: Queryable, id: number, rules: readonly Rule[]): Promise<void> {
  await tx.query('delete from rule where resource_id = $1', [id])
  if (rules.length > 0) await tx.query(insertRulesSql, [id, JSON.stringify(rules)])
}

/** Inserts rules given as on the wire: `$1` the resource, `$2` a JSON list. */
export const insertRulesSql = `
  insert into rule (resource_id, action, principal_id, identity, scope, permission, propagate)
  select distinct $1::int, r.action, (r.principal->>'id')::int, r.identity, r.scope, r.permission, r.propagate
    from jsonb_to_recordset($2::jsonb) as r (
      action text, principal jsonb, identity text, scope text, permission text, propagate boolean)`

/** An SQL expression of the rules of resource `r`, as a JSON list in a stable order. */
export const rulesJson = `(
  select coalesce(json_agg(json_build_object(
           'action', u.action, 'principal', json_build_object('id', u.principal_id), 'identity', u.identity,
           'scope', u.scope, 'permission', u.permission, 'propagate', u.propagate)
           order by u.principal_id, u.action, u.identity, u.scope, u.permission, u.propagate), '[]')
    from rule u where u.resource_id = r.id)`

/** Reads the rules of a resource. */
export async function findRules(tx: Queryable, id: number): Promise<Rule[]> {
  const [row] = await tx.query<{ rules: Rule[] }>(
    `select ${rulesJson} as rules from resource r where id = $1`,
    [id],
  )
  return row?.rules ?? []
}
