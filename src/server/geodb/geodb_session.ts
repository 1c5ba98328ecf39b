import { problem } from '../../contract/problems.ts'
import { type Database, readsTable } from '../../database/database.ts'
import { memberTable } from '../../store/classes/member_table.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import type { ForeignTable, Layer } from '../../store/layer/stored_layer.ts'
import type { ServerContext } from '../context.ts'
import { guardForeign } from './guarded_query.ts'

type Context = Pick<ServerContext, 'database' | 'geodb'>

/**
 * Finds the databases of the features of layers, by resource id: the server's, or that of a connection. A database that
 * cannot be opened throws on first use.
 */
export async function findDatabases(
  context: Context,
  layers: readonly Layer[],
): Promise<Map<number, Database>> {
  const foreign = layers.filter(isForeign)
  const ids = [...new Set(foreign.map((layer) => layer.foreign.connectionId))]
  const connections =
    ids.length === 0 ? new Map() : await memberTable('geodb_connection').find(context.database, ids)
  return new Map(
    layers.map((layer) => {
      if (!isForeign(layer))
        return [layer.resourceId, readsTable(`layer ${layer.resourceId}`, context.database)]
      const { connectionId } = layer.foreign
      const open = () => {
        const connection = connections.get(connectionId)
        if (connection === undefined) throw withoutConnection(connectionId)
        return context.geodb.open(connectionId, connection)
      }
      return [layer.resourceId, guardForeign(open, { connectionId, table: layer.foreign })]
    }),
  )
}

/** Finds the database of the features of a layer. */
export async function findDatabase(context: Context, layer: Layer): Promise<Database> {
  const found = (await findDatabases(context, [layer])).get(layer.resourceId)
  return found ?? context.database
}

/** Returns the problem of a deleted connection. */
export function withoutConnection(id: ForeignTable['connectionId']) {
  return problem('external/database', `Connection id = ${id} was deleted.`, { data: { connection: { id } } })
}
