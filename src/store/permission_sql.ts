import { type DataRequirement, dataRequirements } from '../contract/permissions.ts'
import { classMasks, permissionBit, requirementLevels, ruleMasks } from './permission_mask.ts'

/**
 * The permission algorithm as one statement over sets, in fixed strata. Values: `$1` ids that are asked about, `$2`
 * principals whose rules speak of the caller, `$3` the caller. Gives `id` and `mask` of each that exists.
 *
 * 1. `raw`: what rules grant, the class and the owner being those of the resource asked about
 * 2. `readable`: resources that may be read all the way up; the rest has nothing
 * 3. `own`: what a permission requires on the same resource
 * 4. one stratum for connections, then one for parents: data that depend on another resource
 */
export const permissionSql = `with ${strata()}
  select id, mask from final where id in (table asked)`

/**
 * The same for a resource that does not exist yet, as if it stood in its place: `$4` its id, `$5` its class, `$6` its
 * parent; the caller is its owner. Ask for `$4` and whatever stands above it.
 */
export const placedPermissionSql = `with
  resource as (
    select id, cls, parent_id, owner_id from resource
     where id in (select ancestor_id from resource_path where descendant_id = $6::int)
    union all select $4::int, $5::text, $6::int, $3::int),
  resource_path as (
    select ancestor_id, descendant_id, depth from resource_path
     where descendant_id in (select ancestor_id from resource_path where descendant_id = $6::int)
    union all select ancestor_id, $4::int, depth + 1 from resource_path where descendant_id = $6::int
    union all select $4::int, $4::int, 0),
  ${strata()}
  select id, mask from final where id in (table asked)`

function strata(): string {
  const read = permissionBit('resource.read')
  return `asked as materialized (select distinct asked_id as id from unnest($1::int[]) as asked_id),
  chain as materialized (
    select distinct ancestor_id as id from resource_path where descendant_id in (table asked)),
  needed as materialized (
    table chain
    union
    select p.ancestor_id from resource_connection c join resource_path p on p.descendant_id = c.connection_id
     where c.resource_id in (table chain)),
  place as materialized (
    select ancestor_id, descendant_id, depth from resource_path where descendant_id in (table needed)),
  node as materialized (
    select r.id, r.cls, r.parent_id, r.owner_id, k.mask as most
      from resource r join ${valuesOf(classMasks)} as k (cls, mask) on k.cls = r.cls
     where r.id in (table needed)),
  spoken as materialized (
    select u.resource_id, u.identity, u.propagate, u.principal_id = any($2::int[]) as of_caller,
           coalesce(bit_or(w.mask) filter (where u.action = 'allow'), 0) as allowed,
           coalesce(bit_or(w.mask) filter (where u.action = 'deny'), 0) as denied
      from rule u
      join ${valuesOf(ruleMasks)} as w (scope, permission, mask)
        on w.scope = u.scope and w.permission = u.permission
     where u.resource_id in (table needed) and (u.principal_id = any($2::int[]) or u.principal_id = (
       select id from principal where kind = 'user' and system and keyname = 'owner'))
     group by 1, 2, 3, 4),
  raw as materialized (
    select n.id, n.cls, n.parent_id, n.most & g.allowed & ~g.denied as mask
      from node n join (
        select n.id, bit_or(s.allowed) as allowed, bit_or(s.denied) as denied
          from spoken s
          join place p on p.ancestor_id = s.resource_id
          join node n on n.id = p.descendant_id
         where (s.propagate or p.depth = 0) and s.identity in ('', n.cls) and (s.of_caller or n.owner_id = $3::int)
         group by n.id) g on g.id = n.id),
  readable as materialized (
    select p.descendant_id as id from place p left join raw a on a.id = p.ancestor_id
     group by p.descendant_id having bool_and(coalesce(a.mask, 0) & ${read} <> 0)),
  own as materialized (
    select n.id, n.cls, n.parent_id, ${required('o.mask')} as mask
      from node n left join raw r on r.id = n.id left join readable y on y.id = n.id
      cross join lateral (select case when y.id is null then 0 else coalesce(r.mask, 0) end as mask) o
      ${requiredJoins('o.mask')}),
  ${dataStrata()}`
}

function dataStrata(): string {
  const connections = dataRequirements.filter(({ on }) => on === 'connection')
  const parents = dataRequirements.filter(({ on }) => on === 'parent')
  return `reached as materialized (
    select o.id, o.cls, o.parent_id, ${required('d.mask')} as mask
      from own o
      left join resource_connection c on c.resource_id = o.id
      left join own other on other.id = c.connection_id
      cross join lateral (select ${lost('o', connections)} as mask) d
      ${requiredJoins('d.mask')}),
  final as materialized (
    select o.id, ${required('d.mask')} as mask
      from reached o
      left join reached other on other.id = o.parent_id
      cross join lateral (select ${lost('o', parents)} as mask) d
      ${requiredJoins('d.mask')})`
}

/** What is left of a mask where the other resource lacks what the class of this one requires of it. */
function lost(alias: string, requirements: readonly DataRequirement[]): string {
  const cases = requirements.map(({ classes, permission, requires }) => {
    const names = classes.map((cls) => `'${cls}'`).join(', ')
    return `case when ${alias}.cls in (${names}) and coalesce(other.mask, 0) & ${permissionBit(requires)} = 0
             then ${permissionBit(permission)} else 0 end`
  })
  return `${alias}.mask & ~(${cases.join(' | ') || '0'})`
}

/** The mask after the last level of requirements; `requiredJoins` computes the levels. */
function required(mask: string): string {
  return requirementLevels.length === 0 ? mask : `l${requirementLevels.length - 1}.mask`
}

function requiredJoins(mask: string): string {
  return requirementLevels
    .map((level, at) => {
      const from = at === 0 ? mask : `l${at - 1}.mask`
      const cases = level.map(
        ({ bit, requires }) => `case when ${from} & ${requires} = 0 then ${bit} else 0 end`,
      )
      return `cross join lateral (select ${from} & ~(${cases.join(' | ')}) as mask) l${at}`
    })
    .join('\n      ')
}

function valuesOf(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number) => (typeof value === 'string' ? `'${value}'` : String(value))
  return `(values ${rows.map((row) => `(${row.map(cell).join(', ')})`).join(', ')})`
}
