import { IdParams, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

const names = Type.Array(Type.String())

/** Operations that look into databases elsewhere. */
export const geodbRoutes = {
  'geodb.inspect': {
    route: 'postgis.connection.inspect',
    method: 'GET',
    path: '/api/resource/{id}/inspect/',
    summary: 'Schemas of the database of a connection, with what may be read in them.',
    params: IdParams,
    permission: 'connection.connect',
    response: Type.Array(Type.Object({ name: Type.String(), tables: names, views: names })),
  },
  'geodb.inspect_table': {
    route: 'postgis.connection.inspect.table',
    method: 'GET',
    path: '/api/resource/{id}/inspect/{table}/',
    summary: 'Columns of a table in the database of a connection.',
    params: Type.Object({
      ...IdParams.properties,
      table: Type.String({ description: 'Name of the table or view.' }),
    }),
    permission: 'connection.connect',
    query: query({ schema: Type.String({ description: 'Schema of the table; public where absent.' }) }),
    response: Type.Array(
      Type.Object({
        name: Type.String(),
        type: Type.String({ description: 'Type as PostgreSQL writes it.' }),
        datatype: Type.Union([Type.String(), Type.Null()], {
          description: 'Datatype that a field has of it.',
        }),
        nullable: Type.Boolean(),
        unique: Type.Boolean(),
        geometry_type: Type.Union([Type.String(), Type.Null()]),
        srs: Type.Union([Type.Object({ id: Type.Integer() }), Type.Null()]),
      }),
    ),
  },
} as const satisfies Record<string, RouteDescriptor>
