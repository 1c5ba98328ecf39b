import type { Api } from '../../api/api.ts'
import { supportsRoute } from '../../api/detect_server.ts'
import type { JournalChange, JournalEntry } from '../../contract/bodies/journal.ts'
import type { AnswerOf } from '../../contract/route.ts'
import type { keptRoutes } from '../../contract/routes/kept.ts'
import { listApplied } from './undo_manifest.ts'

/** Data of a layer that the server kept. */
export type KeptLayer = AnswerOf<(typeof keptRoutes)['kept.list']>[number]

/** Finds the data that the server kept when an apply replaced or deleted them, by layer. */
export async function findKept(
  api: Api,
  entry: JournalEntry,
  signal?: AbortSignal,
): Promise<ReadonlyMap<number, KeptLayer>> {
  const layers = listApplied(entry).flatMap(listLayers)
  if (layers.length === 0 || !(await supportsRoute(api, 'kept.list', signal))) return new Map()
  const byResource = Map.groupBy(
    await api.call('kept.list', { query: {}, signal }),
    ({ resource }) => resource,
  )
  return new Map(
    layers.flatMap(({ id, from, before }) => {
      const found = byResource
        .get(id)
        ?.find(({ data_version: version }) => version >= from && (before === undefined || version < before))
      return found === undefined ? [] : [[id, found]]
    }),
  )
}

/** A layer whose data an apply may have replaced or deleted. */
interface FormerLayer {
  readonly id: number
  /** Version of the data when the apply was planned; the data may have been edited until it began. */
  readonly from: number
  /** Version after the apply; undefined if the layer was deleted. */
  readonly before: number | undefined
}

/** Lists the layers whose data a change replaced or deleted. */
export function listLayers({
  action,
  id,
  data_version: after,
  before = [],
}: JournalChange): readonly FormerLayer[] {
  return before.flatMap((wire): FormerLayer[] => {
    const { resource, vector_layer: layer } = wire as {
      readonly resource?: { readonly id: number }
      readonly vector_layer?: { readonly data_version?: number }
    }
    const version = layer?.data_version
    if (resource === undefined || version === undefined) return []
    if (action === 'delete' || action === 'replace' || resource.id !== id)
      return [{ id: resource.id, from: version, before: undefined }]
    if (after === version) return []
    return [{ id: resource.id, from: version, before: after ?? version + 1 }]
  })
}
