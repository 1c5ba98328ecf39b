import { IdParams, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const names = Type.Array(Type.String())

/** Operations that inspect external databases. */
export const geodbRoutes = {
  'geodb.inspect': {
    route: 'postgis.connection.inspect',
    method: 'GET',
    path: '/api/resource/{id}/inspect/',
    summary: 'Lists the schemas of the database of a connection, with their readable tables and views.',
    params: IdParams,
    permission: 'connection.connect',
    response: Type.Array(Type.Object({ name: Type.String(), tables: names, views: names })),
  },
  'geodb.inspect_table': {
    route: 'postgis.connection.inspect.table',
    method: 'GET',
    path: '/api/resource/{id}/inspect/{table}/',
    summary: 'Lists the columns of a table in the database of a connection.',
    params: Type.Object({
      ...IdParams.properties,
      table: Type.String({ description: 'Name of the table or view.' }),
    }),
    permission: 'connection.connect',
    query: query({ schema: Type.String({ description: 'Schema of the table; defaults to public.' }) }),
    response: Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.String({ description: 'PostgreSQL type.' }),
        datatype: Type.Union([Type.String(), Type.Null()], {
          description: 'Datatype of a field for the column.',
        }),
        nullable: Type.Boolean(),
        unique: Type.Boolean(),
        geometry_type: Type.Union([Type.String(), Type.Null()]),
        srs: Type.Union([Type.Object({ id: Type.Integer() }), Type.Null()]),
      }),
    ),
  },
} as const satisfies Record<string, RouteDescriptor>
