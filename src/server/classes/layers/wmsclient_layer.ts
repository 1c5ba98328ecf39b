import type { Capabilities } from '../../../contract/classes/wmsclient_connection.ts'
import type { Members } from '../../../contract/registry.ts'
import { joinPointer } from '../../../core/pointer.ts'
import type { Queryable } from '../../../database/database.ts'
import { touchPermissionEpoch } from '../../../store/access/effective_permission.ts'
import { findConnections, writeConnections } from '../../../store/classes/connection.ts'
import { findKnownSrs } from '../../../store/classes/known_srs.ts'
import { type MemberRow, memberTable } from '../../../store/classes/member_table.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import { requireReferences } from '../../resource/references.ts'
import { type Behaviour, idOf, type MemberChange } from '../behaviour.ts'
import { defaultRow } from '../row.ts'

type Change = MemberChange<'wmsclient_layer'>
type Given = NonNullable<Members<'wmsclient_layer'>['wmsclient_layer']>

type Row = MemberRow<'wmsclient_layer'>

const layerTable = memberTable('wmsclient_layer')

interface StoredLayer {
  readonly row: Row
  readonly connectionId: number
}

/** Layers of external web map services. */
export const wmsclientLayerBehaviour: Behaviour<'wmsclient_layer'> = {
  async readMembers(tx, ids) {
    const layers = await findStoredLayers(tx, ids)
    return new Map([...layers].map(([id, layer]) => [id, { wmsclient_layer: wireLayer(layer) }]))
  },
  create: (tx, changes) => write(tx, changes, new Map()),
  async update(tx, changes) {
    const stored = await findStoredLayers(tx, changes.map(idOf))
    await write(tx, changes, stored)
    const changesConnection = ({ id, members }: Change) => {
      const connectionId = members.wmsclient_layer?.connection?.id
      return connectionId !== undefined && connectionId !== stored.get(id)?.connectionId
    }
    // The read permission of a layer depends on its connection.
    if (changes.some(changesConnection)) await touchPermissionEpoch(tx)
  },
}

async function findStoredLayers(tx: Queryable, ids: readonly number[]): Promise<Map<number, StoredLayer>> {
  const rows = await layerTable.find(tx, ids)
  const connections = await findConnections(tx, ids)
  return new Map([...rows].map(([id, row]) => [id, { row, connectionId: connections.get(id) ?? 0 }]))
}

function wireLayer({ row, connectionId }: StoredLayer): Given {
  return { connection: { id: connectionId }, ...row }
}

async function write(
  tx: Queryable,
  changes: readonly Change[],
  current: ReadonlyMap<number, StoredLayer>,
): Promise<void> {
  const [first] = changes
  if (first === undefined) return
  const checks = changes.map(({ id, members }) => {
    const connectionId = current.get(id)?.connectionId
    return { members, current: new Set(connectionId === undefined ? [] : [connectionId]) }
  })
  await requireReferences(tx, { caller: first.caller, cls: 'wmsclient_layer', checks })
  const layers = new Map(
    changes.map(({ id, members }) => [id, layerOf(members.wmsclient_layer ?? {}, current.get(id))]),
  )
  await checkLayers(tx, [...layers.values()])
  await layerTable.write(tx, new Map([...layers].map(([id, { row }]) => [id, row])))
  await writeConnections(tx, new Map([...layers].map(([id, layer]) => [id, layer.connectionId])))
}

function layerOf({ connection, ...own }: Given, current: StoredLayer | undefined): StoredLayer {
  const { row, connectionId } = current ?? { row: defaultRow('wmsclient_layer'), connectionId: 0 }
  return { row: { ...row, ...own }, connectionId: connection?.id ?? connectionId }
}

async function checkLayers(tx: Queryable, layers: readonly StoredLayer[]): Promise<void> {
  const known = await findKnownSrs(tx, [...new Set(layers.map(({ row }) => row.srs.id))])
  const connections = await memberTable('wmsclient_connection').find(tx, [
    ...new Set(layers.map((one) => one.connectionId)),
  ])
  for (const { row, connectionId } of layers) {
    const { id: srs } = row.srs
    if (!known.has(srs)) throw invalidAt('/wmsclient_layer/srs/id', `EPSG:${srs} does not exist`)
    checkParameters(row.vendor_params)
    checkOffered(row, connections.get(connectionId)?.capcache as Capabilities | null | undefined)
  }
}

/** Parameters that the server sets in every GetMap request. */
const reserved = [
  'service',
  'request',
  'version',
  'layers',
  'format',
  'bbox',
  'width',
  'height',
  'srs',
  'crs',
]

function checkParameters(parameters: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(parameters)) {
    if (name !== '' && !reserved.includes(name.toLowerCase())) continue
    const place = joinPointer('/wmsclient_layer/vendor_params', name)
    throw invalidAt(place, `the parameter "${name}" is reserved: the server sets it in every request`)
  }
}

/** Checks layers and format against the capabilities of the service, if they were fetched. */
function checkOffered({ wmslayers, imgformat }: Row, offered: Capabilities | null | undefined): void {
  const names = wmslayers.split(',').map((name) => name.trim())
  const place = '/wmsclient_layer/wmslayers'
  if (names.includes('')) throw invalidAt(place, 'a layer name is empty')
  if (offered === null || offered === undefined) return
  const known = new Set(offered.layers.map(({ id }) => id))
  const unknown = names.find((name) => !known.has(name))
  if (unknown !== undefined) throw invalidAt(place, `the service has no layer ${JSON.stringify(unknown)}`)
  if (!offered.formats.includes(imgformat))
    throw invalidAt(
      '/wmsclient_layer/imgformat',
      `the service supports ${offered.formats.join(', ')}, not ${JSON.stringify(imgformat)}`,
    )
}
