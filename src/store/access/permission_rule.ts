import type { Rule } from '../../contract/bodies/resource.ts'
import type { Queryable } from '../../database/database.ts'

/** Rules by resource. */
export type RuleLists = ReadonlyMap<number, readonly Rule[]>

/** Replaces all rules of resources and removes duplicates. The caller has to touch the permission epoch. */
export async function replaceRules(tx: Queryable, lists: RuleLists): Promise<void> {
  await tx.query('delete from rule where resource_id = any($1::int[])', [[...lists.keys()]])
  const rows = [...lists].flatMap(([resourceId, rules]) => rules.map((rule) => ({ ...rule, resourceId })))
  if (rows.length === 0) return
  await tx.query(
    `insert into rule (resource_id, action, principal_id, identity, scope, permission, propagate)
     select distinct r."resourceId", r.action, (r.principal->>'id')::int, r.identity, r.scope, r.permission,
            r.propagate
       from jsonb_to_recordset($1::jsonb) as r (
         "resourceId" int, action text, principal jsonb, identity text, scope text, permission text,
         propagate boolean)`,
    [JSON.stringify(rows)],
  )
}

/** Returns SQL that selects the rules of the resources in an array parameter, as one JSON list each in a stable order. */
export const ruleListsSql = (ids: string) => `
  select u.resource_id, json_agg(json_build_object(
           'action', u.action, 'principal', json_build_object('id', u.principal_id), 'identity', u.identity,
           'scope', u.scope, 'permission', u.permission, 'propagate', u.propagate)
           order by u.principal_id, u.action, u.identity, u.scope, u.permission, u.propagate) as rules
    from rule u where u.resource_id = any(${ids}::int[]) group by u.resource_id`

/** Reads the rules of resources; those without rules are left out. */
export async function findRules(tx: Queryable, ids: readonly number[]): Promise<RuleLists> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<{ resource_id: number; rules: Rule[] }>(ruleListsSql('$1'), [ids])
  return new Map(rows.map(({ resource_id: id, rules }) => [id, rules]))
}
