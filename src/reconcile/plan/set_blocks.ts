import { descriptorOf, isCls } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import type { Issue } from '../../core/issue.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { issueAt } from './match.ts'

/** Rules that the manifest lists among others: which ones it listed is not recorded. */
const included = 'permissions.include'

/**
 * Lists the optional blocks that a block of a manifest contains, sorted: `description`, `permissions`, members of the class, and
 * their fields with lists and maps. The marker of the resource records them, so that a later plan resets those that are removed.
 */
export function listSetBlocks({
  sets,
  description,
  owner,
  permissions,
  resmeta,
  members,
  files,
}: WantedResource): string[] {
  if (sets !== undefined) return [...sets]
  const blocks = Object.entries(members).flatMap(([member, fields]) => [
    member,
    ...Object.keys(fields).flatMap((field) => (isFilled(fields[field]) ? [`${member}.${field}`] : [])),
  ])
  if (description !== undefined) blocks.push('description')
  if (owner !== undefined) blocks.push('owner')
  if (permissions !== undefined) blocks.push(permissions.owns === 'all' ? 'permissions' : included)
  if (resmeta !== undefined) blocks.push('resmeta')
  if (files !== undefined) blocks.push('files')
  return blocks.sort()
}

const isFilled = (value: unknown) => typeof value === 'object' && value !== null

/** Lists the blocks that the manifest once set and no longer contains. */
function listRemoved(
  wanted: WantedResource,
  { manager, sets }: ActualResource,
  manifestId: string,
): string[] {
  if (wanted.existing || manager !== manifestId) return []
  const now = new Set(listSetBlocks(wanted))
  return sets.filter((block) => !now.has(block))
}

/** A block of a manifest with the blocks that it once had. */
export interface CompletedBlock {
  readonly wanted: WantedResource
  /** Removed blocks without a default, whose values stay. */
  readonly released: readonly string[]
}

/**
 * Adds the blocks that the manifest once set and no longer contains, with their defaults: no description, no rules, no metadata,
 * default fields.
 */
export function completeBlock(
  wanted: WantedResource,
  actual: ActualResource,
  manifestId: string,
): CompletedBlock {
  const removed = listRemoved(wanted, actual, manifestId)
  if (removed.length === 0) return { wanted, released: [] }
  const members: Record<string, Readonly<Record<string, unknown>>> = { ...wanted.members }
  const released: string[] = []
  const resets: Partial<Mutable<WantedResource>> = { members }
  for (const block of removed) {
    const [name = '', field] = block.split('.')
    if (block === 'description') resets.description = wanted.description ?? null
    else if (block === 'resmeta') resets.resmeta = wanted.resmeta ?? {}
    else if (block === 'permissions') resets.permissions = wanted.permissions ?? { owns: 'all', rules: [] }
    else if (['owner', 'files', included].includes(block)) released.push(block)
    else if (!resetMember(members, { cls: actual.cls, name, field })) released.push(block)
  }
  return { wanted: { ...wanted, ...resets }, released }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface MemberPlace {
  readonly cls: string
  readonly name: string
  /** Undefined for the member itself. */
  readonly field: string | undefined
}

/** Adds the default of a field, or an empty member; tells whether there is one. */
function resetMember(
  members: Record<string, Readonly<Record<string, unknown>>>,
  place: MemberPlace,
): boolean {
  const { cls, name, field } = place
  const schema = isCls(cls) ? (descriptorOf(cls).members[name] as Schema | undefined) : undefined
  const before = members[name] ?? {}
  if (field === undefined) members[name] = before
  else if (!(field in before)) {
    const fallback = schema?.properties?.[field]?.default
    if (fallback === undefined) return false
    members[name] = { ...before, [field]: fallback }
  }
  return schema !== undefined
}

/** Reports fields of a resource that another manifest sets too: each apply would undo the other. */
export function reportContested(
  wanted: WantedResource,
  { manager, sets }: ActualResource,
  pointers: readonly string[],
): Issue[] {
  const owned = new Set(['display_name', ...sets])
  const contested = pointers.filter((pointer) => {
    const [block = '', field = ''] = pointer.split('/').slice(1)
    return owned.has(block) || owned.has(`${block}.${field}`)
  })
  const [first] = contested
  if (first === undefined) return []
  const names = [...new Set(contested.map((pointer) => pointer.slice(1).replaceAll('/', '.')))].join(', ')
  const message = `"${wanted.key}" is managed by the manifest "${manager}", which sets ${names} too`
  const hint = `Remove it from one of the manifests. To change it until the other manifest is applied again, use --take ${wanted.key}.`
  return [{ ...issueAt(wanted, 'plan/foreign', message, first), hint }]
}
