import { type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { patterns } from '../schema/pattern.ts'
import { Type } from '../schema/type.ts'

const guarded = { 'x-read': 'connection.read', 'x-write': 'connection.write' } as const

/** SSL modes of libpq, from no encryption to certificate verification. */
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** Class geodb_connection. */
export const geodbConnection = {
  label: 'Spatial database connection',
  meaning: 'A connection to a PostGIS database.',
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
        description: 'Host name or IP address. A change requires the password in the same request.',
      }),
      port: Type.Optional(
        nullable(
          Type.Union([Type.Integer({ minimum: 1, maximum: 65535 }), Type.String({ pattern: patterns.port })]),
          {
            ...guarded,
            'x-address': true,
            default: null,
            description: 'Port; defaults to 5432. A change requires the password in the same request.',
          },
        ),
      ),
      database: Type.String({ minLength: 1, ...guarded, description: 'Name of the database.' }),
      username: Type.String({ minLength: 1, ...guarded, description: 'User name.' }),
      password: Type.String({ ...guarded, writeOnly: true, 'x-secret': true, description: 'Password.' }),
      sslmode: Type.Optional(
        nullable(oneOf(sslModes), {
          ...guarded,
          'x-address': true,
          default: null,
          description:
            'SSL mode, as in libpq; null means prefer. A change requires the password in the same request.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
