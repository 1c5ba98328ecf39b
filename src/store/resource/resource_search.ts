import { ResourceMember } from '../../contract/bodies/resource.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import { documentName } from '../../contract/dialect/dialect.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import { problem } from '../../contract/problems.ts'
import { parseTruth } from '../../contract/query.ts'
import { type Cls, clsNames, descriptorOf } from '../../contract/registry.ts'
import { metadataOperators, searchProperties } from '../../contract/routes/resource.ts'
import type { Problem } from '../../core/problem.ts'
import { isStorableText } from '../../core/storable.ts'
import type { Queryable } from '../../database/database.ts'
import { checkLikePattern, likeSql } from '../like_pattern.ts'

/** A search; all conditions have to hold. */
export interface ResourceSearch {
  /** Property, with an optional operator after two underscores, and value. Unknown properties are ignored. */
  readonly conditions: readonly (readonly [name: string, value: string])[]
  /** Restricts the search to this resource and its descendants. */
  readonly root?: number
}

/** Finds the ids of matching resources, ordered by display name, regardless of permissions. */
export async function searchResources(tx: Queryable, search: ResourceSearch): Promise<number[]> {
  const values: unknown[] = []
  const bind = (value: unknown) => `$${values.push(value)}`
  const parts = search.conditions.flatMap(([name, value]) => conditionFor(name, value, bind) ?? [])
  if (search.root !== undefined)
    parts.push(
      `r.id in (select descendant_id from resource_path where ancestor_id = ${bind(search.root)}::bigint)`,
    )
  const where = parts.length === 0 ? '' : `where ${parts.join(' and ')}`
  const rows = await tx.query<{ id: number }>(`select r.id from resource r ${where} ${byName}`, values)
  return rows.map(({ id }) => id)
}

/** Returns the permissions needed to search by properties, so that a search does not reveal unreadable values. */
export function permissionsToSearch(conditions: ResourceSearch['conditions']): PermissionName[] {
  return conditions.flatMap(([condition]) => {
    if (findMetadataCondition(condition) !== undefined) return ['metadata.read']
    const [name] = splitName(condition)
    const schema = Object.hasOwn(ResourceMember.properties, name)
      ? ResourceMember.properties[name as keyof typeof ResourceMember.properties]
      : undefined
    const read = schema === undefined ? undefined : annotationsOf(schema)['x-read']
    return read === undefined ? [] : [read]
  })
}

/** Finds resources by keyname. Returns keynames by id. */
export async function findKeynames(tx: Queryable, keynames: readonly string[]): Promise<Map<number, string>> {
  const rows = await tx.query<{ id: number; keyname: string }>(
    'select id, keyname from resource where keyname = any($1::text[])',
    [keynames],
  )
  return new Map(rows.map(({ id, keyname }) => [id, keyname]))
}

/** Lists the children of a resource, or the root, ordered by the rank of their class, then by name. */
export async function listChildren(tx: Queryable, parentId: number | undefined): Promise<number[]> {
  const ranks = clsNames.map((cls) => `('${cls}', ${descriptorOf(cls).order})`).join(', ')
  const rows = await tx.query<{ id: number }>(
    `select r.id from resource r left join (values ${ranks}) as k (cls, rank) on k.cls = r.cls
      where ${parentId === undefined ? 'r.parent_id is null' : 'r.parent_id = $1::bigint'}
      order by k.rank, lower(r.display_name), r.display_name, r.id`,
    parentId === undefined ? [] : [parentId],
  )
  return rows.map(({ id }) => id)
}

/** A resource of a tree. */
export interface TreeNode {
  readonly id: number
  readonly cls: Cls
}

/** Resources of a tree. */
export interface TreeSelection {
  /** Root of a subtree. */
  readonly root?: number
  readonly ids?: readonly number[]
}

/** Lists a subtree, resources by id, and the ancestors of all these; parents first. */
export async function listTree(tx: Queryable, { root, ids = [] }: TreeSelection): Promise<TreeNode[]> {
  return tx.query<TreeNode>(
    `with wanted as (
       select descendant_id as id from resource_path where ancestor_id = $1::bigint
       union select id from resource where id = any($2::int[])),
     above as (
       select distinct p.ancestor_id as id from resource_path p where p.descendant_id in (table wanted)),
     depths as (
       select p.descendant_id as id, max(p.depth) as depth from resource_path p
        where p.descendant_id in (table above) group by p.descendant_id)
     select r.id, r.cls from depths d join resource r on r.id = d.id order by d.depth, r.id`,
    [root ?? null, ids],
  )
}

const byName = 'order by lower(r.display_name), r.display_name, r.id'

type Kind = 'id' | 'text' | 'class' | 'timestamp'

/** Column and kind of value of each searchable property. */
const properties: Readonly<Record<(typeof searchProperties)[number], readonly [column: string, kind: Kind]>> =
  {
    id: ['r.id', 'id'],
    cls: ['r.cls', 'class'],
    parent: ['r.parent_id', 'id'],
    parent_id: ['r.parent_id', 'id'],
    parent__id: ['r.parent_id', 'id'],
    owner_user: ['r.owner_id', 'id'],
    owner_user_id: ['r.owner_id', 'id'],
    owner_user__id: ['r.owner_id', 'id'],
    keyname: ['r.keyname', 'text'],
    display_name: ['r.display_name', 'text'],
    description: ['r.description', 'text'],
    creation_date: ["date_trunc('second', r.creation_date)", 'timestamp'],
  }

const casts: Readonly<Record<Kind, string>> = {
  id: 'bigint',
  text: 'text',
  class: 'text',
  timestamp: 'timestamp',
}

type Bind = (value: unknown) => string

/** SQL conditions on metadata row `m`, by operator. */
const metadataTests: Readonly<
  Record<'' | (typeof metadataOperators)[number], (text: string, bind: Bind) => string>
> = {
  '': (text, bind) => `m.value #>> '{}' = ${bind(text)}::text`,
  like: (text, bind) => likeSql("m.value #>> '{}'", bind(text), { matchCase: true, hasEscapes: true }),
  ilike: (text, bind) => likeSql("m.value #>> '{}'", bind(text), { matchCase: false, hasEscapes: true }),
  json: (text, bind) => `m.value = ${bind(text)}::jsonb`,
  has: () => 'true',
}

/** Parses `resmeta[key]`, `resmeta__key`, and forms with an operator such as `resmeta__ilike[key]`. */
function findMetadataCondition(name: string): readonly [operator: string, key: string] | undefined {
  const [, operator, bracketed] = /^resmeta(?:__([a-z]+))?\[(.+)\]$/s.exec(name) ?? []
  if (bracketed !== undefined) return [operator ?? '', bracketed]
  return name.startsWith('resmeta__') ? ['', name.slice('resmeta__'.length)] : undefined
}

function metadataCondition(name: string, text: string, bind: Bind): string | undefined {
  const [operator = '', key = ''] = findMetadataCondition(name) ?? []
  const known = (['', ...metadataOperators] as const).find((word) => word === operator)
  if (known === undefined) return undefined
  const isPattern = operator.endsWith('like')
  const value = isPattern
    ? readPattern(name, text)
    : operator === 'json'
      ? parseMetadataValue(name, text)
      : text
  const holds = `exists (select from resmeta m
    where m.resource_id = r.id and m.key = ${bind(key)} and ${metadataTests[known](value, bind)})`
  return operator === 'has' && !parseBoolean(name, text) ? `not ${holds}` : holds
}

function parseBoolean(name: string, text: string): boolean {
  const found = parseTruth(text)
  if (found === undefined) throw invalidValue(name, text, 'true or false')
  return found
}

/**
 * Returns a pattern of LIKE with adjacent wildcards merged.
 *
 * @throws {Problem} request/invalid if it is too long, has too many wildcards, or ends within an escape
 */
function readPattern(name: string, text: string): string {
  const checked = checkLikePattern(text, { hasEscapes: true })
  if ('pattern' in checked) return checked.pattern
  throw problem('request/invalid', `Parameter "${name}": ${checked.fault}.`, {
    data: { location: ['query', name] },
  })
}

/** Parses the JSON of a metadata value, and formats it as it is stored. */
function parseMetadataValue(name: string, text: string): string {
  const value = parseJson(text)
  const isValue = typeof value === 'boolean' || Number.isFinite(value)
  if (isValue || (typeof value === 'string' && isStorableText(value))) return JSON.stringify(value)
  throw invalidValue(name, text, 'a string, a number, true or false, as JSON')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function conditionFor(name: string, text: string, bind: Bind): string | undefined {
  if (findMetadataCondition(name) !== undefined) return metadataCondition(name, text, bind)
  const [property, operator] = splitName(name)
  const known = searchProperties.find((name) => name === property)
  if (known === undefined) return undefined
  const [column, kind] = properties[known]
  if (operator === 'in') {
    const values = text === '' ? [] : text.split(',').map((item) => parseValue(name, item, kind))
    return `${column} = any(${bind(values)}::${casts[kind]}[])`
  }
  if (operator === 'like' || operator === 'ilike') {
    const pattern = readPattern(name, text)
    const options = { matchCase: operator === 'like', hasEscapes: true }
    return kind === 'text' ? likeSql(column, bind(pattern), options) : undefined
  }
  return operator === 'eq' ? `${column} = ${bind(parseValue(name, text, kind))}::${casts[kind]}` : undefined
}

function splitName(name: string): [property: string, operator: string] {
  if (Object.hasOwn(properties, name)) return [name, 'eq']
  const at = name.lastIndexOf('__')
  return at < 0 ? [name, 'eq'] : [name.slice(0, at), name.slice(at + 2)]
}

function parseValue(name: string, text: string, kind: Kind): string | number {
  if (kind === 'class') return documentName(text)
  if (kind === 'text') return text
  if (kind === 'id' && /^\s*\d{1,15}\s*$/.test(text)) return Number(text)
  if (kind === 'timestamp' && /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?$/.test(text) && isExistingDay(text))
    return text
  throw invalidValue(name, text, kind === 'id' ? 'an integer' : 'a date and time such as 2020-01-31T12:00:00')
}

function invalidValue(name: string, text: string, expected: string): Problem {
  return problem('request/invalid', `Parameter "${name}": expected ${expected}, got "${text}".`, {
    data: { location: ['query', name] },
  })
}

/** Returns whether the day exists, unlike 31 February. */
function isExistingDay(text: string): boolean {
  const date = new Date(`${text.replace(' ', 'T').padEnd(11, 'T').padEnd(16, '00:00').slice(0, 19)}Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text.slice(0, 10))
}
