import type { Queryable } from '../../database/database.ts'

/** A resource that a principal owns, or that has a rule for it. */
export interface PrincipalUse {
  readonly resourceId: number
  readonly displayName: string
  readonly use: 'owner' | 'rule'
}

/** Uses of a principal: their number, and the first ones by resource id. */
export interface PrincipalUses {
  readonly count: number
  readonly first: readonly PrincipalUse[]
}

/** Finds the uses of a principal, which prevent its deletion. Lists up to `limit` of them. */
export async function findPrincipalUses(tx: Queryable, id: number, limit: number): Promise<PrincipalUses> {
  const rows = await tx.query<PrincipalUse & { readonly count: number }>(
    `select u.resource_id as "resourceId", r.display_name as "displayName", u.use, (count(*) over ())::int as count
       from (select id as resource_id, 'owner' as use from resource where owner_id = $1
             union
             select resource_id, 'rule' from rule where principal_id = $1) u
       join resource r on r.id = u.resource_id
      order by u.resource_id, u.use limit $2`,
    [id, limit],
  )
  const first = rows.map(({ resourceId, displayName, use }) => ({ resourceId, displayName, use }))
  return { count: rows[0]?.count ?? 0, first }
}
