import { LRUCache } from 'lru-cache'
import type { PermissionMask } from '../../access/permission_mask.ts'
import { batchLoads } from '../../core/batch_loads.ts'
import type { Database } from '../../database/database.ts'
import { isResourceId } from '../resource/resource_id.ts'
import { findPermissionMasks } from './effective_permission.ts'
import type { PermissionSubject } from './permission_subject.ts'

/** Effective permissions at the permission epoch of the database. For reads only; writes compute them again. */
export interface PermissionCache {
  /** Returns the masks of those ids that are resources. Takes one cheap statement if they are cached. */
  findMasks(subject: PermissionSubject, ids: readonly number[]): Promise<Map<number, PermissionMask>>
}

/** Maximum number of cached pairs of user and resource, of about 50 bytes each. */
const maxMasks = 200_000

interface UserMasks {
  readonly epoch: string
  readonly masks: Map<number, PermissionMask>
}

/**
 * Caches masks by user and groups until the permission epoch changes. Creating or deleting a resource does not change
 * it: ids are never reused, and the statement that reads the epoch also reads which ids exist.
 */
export function createPermissionCache(database: Database): PermissionCache {
  const users = new LRUCache<string, UserMasks>({
    max: 10_000,
    maxSize: maxMasks,
    sizeCalculation: ({ masks }) => 1 + masks.size,
  })
  const findBatched = batchLoads((ids: readonly number[]) => readSnapshots(database, ids))
  const findSnapshot = async (ids: readonly number[]) => {
    const [only] = ids
    const isOne = only !== undefined && ids.length === 1
    return isOne ? ((await findBatched(only)) ?? emptySnapshot) : readSnapshot(database, ids)
  }
  return {
    async findMasks(subject, ids) {
      const resourceIds = ids.filter(isResourceId)
      const { epoch, existing } = await findSnapshot(resourceIds)
      if (existing.length === 0) return new Map()
      const key = keyOf(subject)
      const entry = users.get(key)
      const cached = entry?.epoch === epoch ? entry : { epoch, masks: new Map<number, PermissionMask>() }
      const missing = existing.filter((id) => !cached.masks.has(id))
      const fresh = await findPermissionMasks(database, subject, missing)
      for (const [id, mask] of fresh) cached.masks.set(id, mask)
      // Setting the entry again updates its size.
      if (missing.length > 0) users.set(key, cached)
      return new Map(
        existing.flatMap((id) => {
          const mask = cached.masks.get(id)
          return mask === undefined ? [] : [[id, mask] as const]
        }),
      )
    },
  }
}

// Includes the groups, because the groups of an authenticated subject may be outdated.
function keyOf({ id, superuser, principalIds }: PermissionSubject): string {
  return `${id} ${superuser} ${principalIds.join(' ')}`
}

/** The permission epoch, and which of the requested ids exist. */
interface Snapshot {
  readonly epoch: string
  readonly existing: readonly number[]
}

const emptySnapshot: Snapshot = { epoch: '', existing: [] }

async function readSnapshot(database: Database, ids: readonly number[]): Promise<Snapshot> {
  const rows = await database.query<{ epoch: string; existing: number[] }>(
    `select value::text as epoch,
            array(select id from resource where id = any($1::int[])) as existing from permission_epoch`,
    [ids],
    { prepared: true },
  )
  return rows[0] ?? emptySnapshot
}

// Most requests concern one resource; concurrent ones share one read of the epoch.
async function readSnapshots(database: Database, ids: readonly number[]): Promise<Map<number, Snapshot>> {
  const { epoch, existing } = await readSnapshot(database, ids)
  return new Map(existing.map((id) => [id, { epoch, existing: [id] }]))
}
