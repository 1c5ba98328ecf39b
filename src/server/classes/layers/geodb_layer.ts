import type { Static } from 'typebox'
import type { geodbLayer } from '../../../contract/classes/geodb_layer.ts'
import type { Members } from '../../../contract/registry.ts'
import type { Queryable } from '../../../database/database.ts'
import { touchPermissionEpoch } from '../../../store/access/effective_permission.ts'
import { writeConnections } from '../../../store/classes/connection.ts'
import { updateForeignLayer, writeForeignTables } from '../../../store/classes/geodb_layer.ts'
import { memberTable } from '../../../store/classes/member_table.ts'
import { isForeign } from '../../../store/feature/feature_table.ts'
import { changeFields, requireValidNames } from '../../../store/layer/field_change.ts'
import { insertFields, writeFields } from '../../../store/layer/layer_field.ts'
import { insertLayers } from '../../../store/layer/layer_table.ts'
import { findLayers, type Layer, lockLayer, touchLayer } from '../../../store/layer/stored_layer.ts'
import type { FoundTable, WantedTable } from '../../geodb/inspect_table.ts'
import { getTables, type Inspected, inspect } from '../../geodb/layer_request.ts'
import { requireReferences } from '../../resource/references.ts'
import type { Behaviour, MemberChange, Preparation, Prepared } from '../behaviour.ts'
import { lookupTablesOf, wireField } from '../layer_field.ts'
import { describeChanges, keepFields, pickFields } from './geodb_field.ts'

type Change = MemberChange<'geodb_layer'>
type Member = Partial<Static<(typeof geodbLayer)['members']['geodb_layer']>>

/** Result of inspecting a table before the transaction of a request. */
interface InspectionResult extends Prepared {
  readonly inspected: Inspected
}

/** Layers whose features are stored in tables of external databases. */
export const geodbLayerBehaviour: Behaviour<'geodb_layer'> = {
  async readMembers(tx, ids) {
    const layers = await findLayers(tx, ids)
    return new Map([...layers].map(([id, layer]) => [id, membersOf(layer)]))
  },
  prepare,
  async create(tx, changes) {
    const [first] = changes
    if (first === undefined) return
    await requireReferences(tx, { caller: first.caller, cls: 'geodb_layer', checks: changes })
    const groups = Map.groupBy(changes, ({ members }) => wantedOf(members.geodb_layer ?? {}).connectionId)
    for (const [connectionId, group] of groups) await createLayers(tx, connectionId, group)
  },
  async update(tx, changes) {
    for (const change of changes) await updateOne(tx, change)
  },
}

async function updateOne(tx: Queryable, change: Change): Promise<void> {
  const current = await lockLayer(tx, change.id)
  if (current === undefined) return
  const { caller, members } = change
  const known = new Set([...lookupTablesOf(current), current.foreign?.connectionId ?? 0])
  await requireReferences(tx, { caller, cls: 'geodb_layer', checks: [{ members, current: known }] })
  const table = await findChangedTable(tx, change, current)
  if (table !== undefined) await changeTable(tx, { change, current, table })
  const layer = (await findLayers(tx, [change.id])).get(change.id)
  const fields = members.feature_layer?.fields
  if (fields === undefined || layer === undefined) return
  const isChanged = await changeFields(tx, layer, { changes: describeChanges(layer, fields, table) })
  if (isChanged) await touchLayer(tx, change.id)
}

/** Inspects the table before the transaction opens, unless the same request creates its connection. */
async function prepare(preparation: Preparation<'geodb_layer'>): Promise<InspectionResult | undefined> {
  const { context, caller, id, members } = preparation
  const current = id === undefined ? undefined : (await findLayers(context.database, [id])).get(id)
  if (current !== undefined && !needsTable(members, current)) return undefined
  const { connectionId, ...wanted } = wantedOf(members.geodb_layer ?? {}, current)
  if (!(await memberTable('geodb_connection').find(context.database, [connectionId])).has(connectionId))
    return undefined
  const known = new Set(current === undefined ? [] : [current.foreign?.connectionId ?? 0])
  const { geodb_layer } = members
  const checks = [{ members: { geodb_layer }, current: known }]
  await requireReferences(context.database, { caller, cls: 'geodb_layer', checks })
  const inspected = await inspect(context.database, { context, caller, connectionId, wanted: [wanted] })
  return inspected && { inspected, discard: async () => undefined }
}

interface Wanted extends WantedTable {
  readonly connectionId: number
}

/** Returns the table of a layer: from the request, else as stored. Missing geometry type and SRS are read from the table. */
function wantedOf(given: Member, current?: Layer): Wanted {
  const foreign = current?.foreign
  const place = {
    connectionId: given.connection?.id ?? foreign?.connectionId ?? 0,
    schema: given.schema ?? foreign?.schema ?? '',
    table: given.table ?? foreign?.table ?? '',
    idColumn: given.column_id ?? foreign?.idColumn ?? '',
    geomColumn: given.column_geom ?? foreign?.geomColumn ?? '',
  }
  // An untyped column keeps the geometry type and SRS of the layer.
  const keeps = current !== undefined && foreign?.isMixed === true && !isMoved(place, current)
  return {
    ...place,
    geometryType:
      given.geometry_type === undefined ? (keeps ? current.geometryType : null) : given.geometry_type,
    srs: given.srs?.id ?? (keeps ? current.srs : undefined),
  }
}

type Place = Omit<Wanted, 'geometryType' | 'srs'>

const placeNames = ['connectionId', 'schema', 'table', 'idColumn', 'geomColumn'] as const

function isMoved(place: Place, { foreign }: Layer): boolean {
  return placeNames.some((name) => place[name] !== foreign?.[name])
}

/** Tells whether checking a change requires reading the table. */
function needsTable({ geodb_layer: given = {}, feature_layer }: Change['members'], current: Layer): boolean {
  if (given.fields === 'update' || isMoved(wantedOf(given, current), current)) return true
  if (given.geometry_type !== undefined && given.geometry_type !== current.geometryType) return true
  if (given.srs !== undefined && given.srs.id !== current.srs) return true
  const ids = new Set(current.fields.map(({ id }) => id))
  const keynames = new Set(current.fields.map(({ keyname }) => keyname))
  return (feature_layer?.fields ?? []).some(({ id, keyname }) =>
    id === undefined ? !keynames.has(keyname) : !ids.has(id),
  )
}

async function createLayers(tx: Queryable, connectionId: number, changes: readonly Change[]): Promise<void> {
  const [first] = changes
  if (first === undefined) return
  const tables = await findNewTables(tx, connectionId, changes)
  const made = changes.map(({ id, members }, at) => {
    const table = tables[at]
    if (table === undefined) throw new Error('a layer without a table')
    const fields = pickFields(table, members.feature_layer?.fields)
    requireValidNames(fields)
    return { id, table, fields }
  })
  await insertLayers(
    tx,
    made.map(({ id, table: { geometryType, srs } }) => ({
      resourceId: id,
      geometryType,
      srs,
      tableName: null,
    })),
  )
  await writeForeignTables(tx, new Map(made.map(({ id, table }) => [id, table.foreign])))
  await writeConnections(tx, new Map(made.map(({ id }) => [id, connectionId])))
  await insertFields(tx, new Map(made.map(({ id, fields }) => [id, fields])))
}

/** Returns the tables of new layers: one by one if inspected before the transaction, else all together. */
async function findNewTables(
  tx: Queryable,
  connectionId: number,
  changes: readonly Change[],
): Promise<FoundTable[]> {
  const tables = new Map<number, FoundTable>()
  const inspected = changes.filter(({ prepared }) => prepared !== undefined)
  const others = changes.filter(({ prepared }) => prepared === undefined)
  for (const group of [...inspected.map((one) => [one]), others]) {
    const [first] = group
    if (first === undefined) continue
    const { context, caller, prepared } = first
    const wanted = group.map(({ members }) => wantedOf(members.geodb_layer ?? {}))
    const before = (prepared as InspectionResult | undefined)?.inspected
    const found = await getTables(tx, { context, caller, connectionId, wanted }, before)
    for (const [at, { id }] of group.entries()) {
      const table = found[at]
      if (table !== undefined) tables.set(id, table)
    }
  }
  return changes.flatMap(({ id }) => tables.get(id) ?? [])
}

/** Returns the table of an existing layer, if the change needs it. */
async function findChangedTable(
  tx: Queryable,
  { context, caller, members, prepared }: Change,
  current: Layer,
): Promise<FoundTable | undefined> {
  if (!needsTable(members, current)) return undefined
  const { connectionId, ...wanted } = wantedOf(members.geodb_layer ?? {}, current)
  const before = (prepared as InspectionResult | undefined)?.inspected
  const [table] = await getTables(tx, { context, caller, connectionId, wanted: [wanted] }, before)
  return table
}

interface TableChange {
  readonly change: Change
  readonly current: Layer
  readonly table: FoundTable
}

async function changeTable(
  tx: Queryable,
  { change: { id, members }, current, table }: TableChange,
): Promise<void> {
  const { connectionId, ...place } = wantedOf(members.geodb_layer ?? {}, current)
  const before = current.foreign
  const isOther =
    connectionId !== before?.connectionId || place.schema !== before.schema || place.table !== before.table
  await updateForeignLayer(tx, id, table)
  await writeForeignTables(tx, new Map([[id, table.foreign]]))
  const readsAgain = isOther || members.geodb_layer?.fields === 'update'
  const fields = keepFields(current, table, { addsNew: readsAgain })
  requireValidNames(fields)
  await writeFields(tx, id, fields)
  if (connectionId === before?.connectionId) return
  await writeConnections(tx, new Map([[id, connectionId]]))
  // The read permission of a layer depends on its connection.
  await touchPermissionEpoch(tx)
}

function membersOf(layer: Layer): Members<'geodb_layer'> {
  if (!isForeign(layer)) return {}
  const { foreign, geometryType, srs, fields } = layer
  return {
    geodb_layer: {
      connection: { id: foreign.connectionId },
      schema: foreign.schema,
      table: foreign.table,
      column_id: foreign.idColumn,
      column_geom: foreign.geomColumn,
      geometry_type: geometryType,
      srs: { id: srs },
    },
    feature_layer: { fields: fields.map(wireField) },
  }
}
