import { type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { patterns } from '../pattern.ts'
import { Type } from '../type.ts'

const guarded = { 'x-read': 'connection.read', 'x-write': 'connection.write' } as const

/** Ways to secure a connection, from none to a certificate that is checked. */
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** Class geodb_connection. */
export const geodbConnection = {
  label: 'Spatial database connection',
  meaning: 'How to reach a PostGIS database.',
  scopes: ['connection', 'resource', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  table: {},
  links: [{ route: 'geodb.inspect', text: 'Schemas and tables of the database' }],
  members: {
    geodb_connection: Type.Object({
      hostname: Type.String({
        minLength: 1,
        ...guarded,
        'x-address': true,
        description: 'Host name or address. The password has to be sent along to change it.',
      }),
      port: Type.Optional(
        nullable(
          Type.Union([Type.Integer({ minimum: 1, maximum: 65535 }), Type.String({ pattern: patterns.port })]),
          {
            ...guarded,
            'x-address': true,
            default: null,
            description: 'Port; 5432 where absent. The password has to be sent along to change it.',
          },
        ),
      ),
      database: Type.String({ minLength: 1, ...guarded, description: 'Name of the database.' }),
      username: Type.String({ minLength: 1, ...guarded, description: 'Login.' }),
      password: Type.String({ ...guarded, writeOnly: true, 'x-secret': true, description: 'Password.' }),
      sslmode: Type.Optional(
        nullable(oneOf(sslModes), {
          ...guarded,
          'x-address': true,
          default: null,
          description:
            'How the connection is secured, as in libpq; null means prefer. The password has to be sent along to change it.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
