import type { PermissionMask } from '../../access/permission_mask.ts'
import type { Representation } from '../../contract/bodies/bodies.ts'
import { problem } from '../../contract/problems.ts'
import { descriptorOf } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { findResources, type ResourceRow } from '../../store/resource/resource_row.ts'
import { findBehaviour } from '../classes/behaviours.ts'
import { type MemberValues, visibleMembers } from './attributes.ts'
import type { StoredResource } from './stored_resource.ts'

/** Which members a representation has: all, or `resource` only. */
export type Fullness = 'full' | 'resource'

/**
 * Reads the representations of resources, in the order of the ids: one statement for the common members, and a few for
 * each class. Omits resources that do not exist and attributes that a mask hides. The caller has checked
 * `resource.read`.
 */
export async function readRepresentations(
  tx: Queryable,
  masks: ReadonlyMap<number, PermissionMask>,
  { ids, fullness = 'full' }: { readonly ids: readonly number[]; readonly fullness?: Fullness },
): Promise<Representation[]> {
  const stored = await readStored(tx, { ids, fullness })
  return ids.flatMap((id) => {
    const one = stored.get(id)
    return one === undefined ? [] : [represent(one, masks.get(id) ?? 0, fullness)]
  })
}

/** Reads resources by id. */
export async function readStored(
  tx: Queryable,
  { ids, fullness = 'full' }: { readonly ids: readonly number[]; readonly fullness?: Fullness },
): Promise<Map<number, StoredResource>> {
  if (ids.length === 0) return new Map()
  const rows = new Map((await findResources(tx, ids)).map((row) => [row.id, row]))
  const members = fullness === 'full' ? await readMembers(tx, rows) : new Map<number, MemberValues>()
  return new Map([...rows].map(([id, row]) => [id, { row, members: members.get(id) ?? {} }]))
}

/** Builds the representation of a resource, without the attributes that a mask hides. */
export function represent(
  { row, members }: StoredResource,
  mask: PermissionMask,
  fullness: Fullness = 'full',
): Representation {
  const rest = fullness === 'full' ? { resmeta: { items: row.metadata }, ...members } : {}
  const all = { resource: resourceMember(row), ...rest }
  return visibleMembers(row.cls, mask, all as MemberValues) as unknown as Representation
}

async function readMembers(
  tx: Queryable,
  rows: ReadonlyMap<number, ResourceRow>,
): Promise<Map<number, MemberValues>> {
  const members = new Map<number, MemberValues>()
  for (const [cls, group] of Map.groupBy(rows.values(), ({ cls }) => cls)) {
    const ids = group.map(({ id }) => id)
    const found = await findBehaviour(cls)?.readMembers(tx, ids)
    for (const [id, values] of found ?? []) members.set(id, values as MemberValues)
  }
  return members
}

function resourceMember(row: ResourceRow): Representation['resource'] {
  return {
    id: row.id,
    cls: row.cls,
    creation_date: row.creationDate,
    parent: parentOf(row) as { id: number } | null,
    owner_user: { id: row.ownerId },
    permissions: [...row.rules],
    keyname: row.keyname,
    display_name: row.displayName,
    description: row.description,
    children: row.hasChildren,
    interfaces: [...descriptorOf(row.cls).interfaces],
    scopes: [...descriptorOf(row.cls).scopes],
    version: row.version,
  }
}

/** Encodes two levels: the parent, and its parent's id. */
function parentOf({ parentId, grandparentId }: ResourceRow): object | null {
  if (parentId === null) return null
  return { id: parentId, parent: grandparentId === null ? null : { id: grandparentId } }
}

/** Formats the ETag of a version of a resource. */
export function etagOf(version: number): string {
  return `"${version}"`
}

/**
 * Checks the If-Match header of an update.
 *
 * @throws {Problem} resource/stale
 * @see RFC 9110 clause 13.1.1
 */
export function checkVersion(
  header: string | undefined,
  { id, version }: { readonly id: number; readonly version: number },
): void {
  if (header === undefined || header.trim() === '*') return
  const tags = header.split(',').map((tag) => tag.trim())
  if (tags.includes(etagOf(version))) return
  throw problem('resource/stale', `Resource id = ${id} has version ${version}, not ${header}.`, {
    resource: id,
    data: { resource: { id }, version },
  })
}
