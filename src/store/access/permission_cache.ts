import { LRUCache } from 'lru-cache'
import type { PermissionMask } from '../../access/permission_mask.ts'
import { gatherLoads } from '../../core/gather.ts'
import type { Database } from '../../database/database.ts'
import { isResourceId } from '../resource/resource_id.ts'
import { findPermissionMasks } from './effective_permission.ts'
import type { Asker } from './principal_ids.ts'

/** Effective permissions as of the database's permission epoch. Use it for reading only; writes compute afresh. */
export interface PermissionCache {
  /** Gives the masks of those ids that are resources, in one cheap statement where they are known already. */
  findMasks(asker: Asker, ids: readonly number[]): Promise<Map<number, PermissionMask>>
}

/** Most pairs of user and resource that are remembered: about 50 bytes each. */
const capacity = 200_000

interface Known {
  readonly epoch: string
  readonly masks: Map<number, PermissionMask>
}

/**
 * Remembers masks by user and groups until the permission epoch moves. A resource that is created or deleted does not
 * move it: ids are never used again, and the statement that reads the epoch also tells which ids exist.
 */
export function createPermissionCache(database: Database): PermissionCache {
  const users = new LRUCache<string, Known>({
    max: 10_000,
    maxSize: capacity,
    sizeCalculation: (known) => 1 + known.masks.size,
  })
  const findWithOthers = gatherLoads((ids: readonly number[]) => readMoments(database, ids))
  const findMoment = async (ids: readonly number[]) => {
    const [only] = ids
    const isOne = only !== undefined && ids.length === 1
    return isOne ? ((await findWithOthers(only)) ?? nothing) : readMoment(database, ids)
  }
  return {
    async findMasks(asker, ids) {
      const asked = ids.filter(isResourceId)
      const { epoch, existing } = await findMoment(asked)
      if (existing.length === 0) return new Map()
      const key = keyOf(asker)
      const found = users.get(key)
      const known = found?.epoch === epoch ? found : { epoch, masks: new Map<number, PermissionMask>() }
      const missing = existing.filter((id) => !known.masks.has(id))
      const fresh = await findPermissionMasks(database, asker, missing)
      for (const [id, mask] of fresh) known.masks.set(id, mask)
      // Set again, so that its size is counted anew.
      if (missing.length > 0) users.set(key, known)
      return new Map(
        existing.flatMap((id) => {
          const mask = known.masks.get(id)
          return mask === undefined ? [] : [[id, mask] as const]
        }),
      )
    },
  }
}

// With the groups: who asks may be known by groups of a moment ago, and their rights are not to outlive that moment.
function keyOf({ id, superuser, principalIds }: Asker): string {
  return `${id} ${superuser} ${principalIds.join(' ')}`
}

/** What a reading of masks begins with. */
interface Moment {
  readonly epoch: string
  readonly existing: readonly number[]
}

const nothing: Moment = { epoch: '', existing: [] }

async function readMoment(database: Database, ids: readonly number[]): Promise<Moment> {
  const rows = await database.query<{ epoch: string; existing: number[] }>(
    `select value::text as epoch,
            array(select id from resource where id = any($1::int[])) as existing from permission_epoch`,
    [ids],
    { prepared: true },
  )
  return rows[0] ?? nothing
}

// Most requests are about one resource: those that come together read the epoch together.
async function readMoments(database: Database, ids: readonly number[]): Promise<Map<number, Moment>> {
  const { epoch, existing } = await readMoment(database, ids)
  return new Map(existing.map((id) => [id, { epoch, existing: [id] }]))
}
