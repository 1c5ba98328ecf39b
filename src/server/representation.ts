import type { PermissionMask } from '../access/mask.ts'
import type { Representation } from '../contract/bodies.ts'
import { descriptorOf } from '../contract/registry.ts'
import type { Queryable } from '../database/database.ts'
import { findResources, type ResourceRow } from '../store/resource.ts'
import { type MemberValues, visibleMembers } from './attributes.ts'
import { findBehaviour } from './behaviours/table.ts'

/** What of a representation is wanted: everything, or member `resource` alone. */
export type Fullness = 'full' | 'resource'

/**
 * Reads the representations of many resources: one statement for what is common to all, and one or a few for each
 * class among them. In the order of the ids; those that are gone are left out. Attributes that a mask does not show
 * are left out too; whoever asks has checked `resource.read`.
 */
export async function readRepresentations(
  tx: Queryable,
  masks: ReadonlyMap<number, PermissionMask>,
  { ids, fullness = 'full' }: { readonly ids: readonly number[]; readonly fullness?: Fullness },
): Promise<Representation[]> {
  if (ids.length === 0) return []
  const rows = new Map((await findResources(tx, ids)).map((row) => [row.id, row]))
  const members = fullness === 'full' ? await readMembers(tx, rows) : new Map<number, MemberValues>()
  return ids.flatMap((id) => {
    const row = rows.get(id)
    if (row === undefined) return []
    const values = fullness === 'full' ? { resmeta: { items: row.metadata }, ...members.get(id) } : {}
    const all = { resource: resourceMember(row), ...values }
    return [visibleMembers(row.cls, masks.get(id) ?? 0, all as MemberValues) as unknown as Representation]
  })
}

async function readMembers(
  tx: Queryable,
  rows: ReadonlyMap<number, ResourceRow>,
): Promise<Map<number, MemberValues>> {
  const idsByClass = Map.groupBy(rows.values(), ({ cls }) => cls)
  const members = new Map<number, MemberValues>()
  for (const [cls, group] of idsByClass) {
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

/** Two levels: the parent, and its parent's id. */
function parentOf({ parentId, grandparentId }: ResourceRow): object | null {
  if (parentId === null) return null
  return { id: parentId, parent: grandparentId === null ? null : { id: grandparentId } }
}

/** The ETag of a version of a resource. */
export function etagOf(version: number): string {
  return `"${version}"`
}
