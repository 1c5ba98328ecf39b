import type { Database } from '../../database/database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { longitudeParts } from '../../geo/longitude_range.ts'
import { findConnections } from '../../store/classes/connection.ts'
import { memberTable } from '../../store/classes/member_table.ts'

/**
 * Finds where layers of external web map services lie, in degrees, by id: as the capabilities of the service say that the server
 * fetched last. A layer has several boxes if it consists of several layers, or crosses the antimeridian. Nothing is requested.
 */
export async function findServiceExtents(
  database: Database,
  layerIds: readonly number[],
): Promise<Map<number, readonly Bbox[]>> {
  const rows = await memberTable('wmsclient_layer').find(database, layerIds)
  if (rows.size === 0) return new Map()
  const connectionIds = await findConnections(database, [...rows.keys()])
  const connections = await memberTable('wmsclient_connection').find(database, [
    ...new Set(connectionIds.values()),
  ])
  return new Map(
    [...rows].flatMap(([id, { wmslayers }]) => {
      const { capcache } = connections.get(connectionIds.get(id) ?? 0) ?? {}
      const names = new Set(wmslayers.split(',').map((name) => name.trim()))
      const boxes = (typeof capcache === 'object' ? (capcache?.layers ?? []) : []).flatMap((layer) =>
        names.has(layer.id) ? partsOf(layer.bbox) : [],
      )
      return boxes.length === 0 ? [] : [[id, boxes] as const]
    }),
  )
}

function partsOf(bbox: readonly number[] = []): Bbox[] {
  const [west, south, east, north] = bbox
  if (west === undefined || south === undefined || east === undefined || north === undefined) return []
  return longitudeParts(west, east).map(([from, to]) => [from, south, to, north])
}
