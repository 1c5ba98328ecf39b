import type { keptRoutes } from '../../contract/routes/kept.ts'
import { findPermittedIds } from '../../store/access/effective_permission.ts'
import { type ComparedData, listKept } from '../../store/layer/kept_data.ts'
import { mayRestoreDeleted } from '../classes/layers/vector_layer_kept.ts'
import type { Handlers } from '../http/handler.ts'

const dayMs = 24 * 60 * 60_000

/** Operations on kept data. */
export const keptHandlers: Handlers<keyof typeof keptRoutes> = {
  'kept.list': async ({ context: { database, keptDataDays }, caller, query: { resource } }) => {
    const kept = await listKept(database, resource)
    const ids = [...new Set(kept.flatMap(({ isThere, resourceId }) => (isThere ? [resourceId] : [])))]
    const writable = await findPermittedIds(database, caller, { ids, permission: 'data.write' })
    const shown = kept.filter((one) =>
      one.isThere ? writable.has(one.resourceId) : mayRestoreDeleted(one, caller),
    )
    const days = keptDataDays === 'off' ? 0 : keptDataDays
    return { json: shown.map((one) => describe(one, days)) }
  },
}

function describe({ resourceId, isThere, keptAt, written, ...kept }: ComparedData, days: number) {
  const { id, displayName, dataVersion, features, bytes, onlyKept, onlyLayer } = kept
  const expires = new Date(Date.parse(`${keptAt}Z`) + days * dayMs)
  return {
    ...{ id, resource: resourceId, display_name: displayName, deleted: !isThere, data_version: dataVersion },
    ...(written === null ? {} : { written }),
    ...{ only_kept: onlyKept, only_layer: onlyLayer },
    ...{ features, bytes, kept: keptAt, expires: expires.toISOString().slice(0, 19) },
  }
}
