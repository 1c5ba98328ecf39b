import { problem } from '../../contract/problems.ts'
import type { geodbRoutes } from '../../contract/routes/geodb.ts'
import type { Database } from '../../database/database.ts'
import { type InspectedColumn, listSchemas } from '../../store/classes/geodb_inspect.ts'
import { memberTable } from '../../store/classes/member_table.ts'
import { guardForeign } from '../geodb/guarded_query.ts'
import { datatypeOf, getTable } from '../geodb/inspect_table.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'

/** Operations that inspect foreign databases. */
export const geodbHandlers: Handlers<keyof typeof geodbRoutes> = {
  'geodb.inspect': async ({ context, params: { id } }) => ({
    json: await listSchemas(await openConnection(context, id)),
  }),

  'geodb.inspect_table': async ({ context, params: { id, table }, query: { schema = 'public' } }) => {
    const database = await openConnection(context, id)
    const { columns } = await getTable(database, { schema, table })
    return { json: columns.map(encodeColumn) }
  },
}

async function openConnection(context: ApiRequest['context'], id: number): Promise<Database> {
  const connection = (await memberTable('geodb_connection').find(context.database, [id])).get(id)
  if (connection === undefined)
    throw problem('resource/interface', `Resource id = ${id} is not a database connection.`, {
      resource: id,
    })
  return guardForeign(() => context.geodb.open(id, connection), { connectionId: id })
}

function encodeColumn({ name, type, isNullable, isUnique, geometry }: InspectedColumn) {
  return {
    name,
    type,
    datatype: datatypeOf(type) ?? null,
    nullable: isNullable,
    unique: isUnique,
    geometry_type: geometry?.type ?? null,
    srs: geometry === null ? null : { id: geometry.srs },
  }
}
