import { type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { Type } from '../type.ts'

const guarded = { 'x-read': 'connection.read', 'x-write': 'connection.write' } as const

/** Class wmsclient_connection. */
export const wmsclientConnection = {
  label: 'WMS connection',
  meaning: 'How to reach a web map service.',
  scopes: ['connection', 'resource', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  members: {
    wmsclient_connection: Type.Object({
      url: Type.String({ minLength: 1, ...guarded, description: 'Address of the service.' }),
      username: Type.Optional(nullable(Type.String(), { ...guarded, default: null, description: 'Login.' })),
      password: Type.Optional(
        nullable(Type.String(), {
          ...guarded,
          writeOnly: true,
          'x-secret': true,
          default: null,
          description: 'Password.',
        }),
      ),
      version: oneOf(['1.1.1', '1.3.0'], { ...guarded, description: 'Version of WMS.' }),
      capcache: Type.Optional(
        oneOf(['query', 'clear'], {
          writeOnly: true,
          'x-wire': true,
          'x-write': 'connection.write',
          description: 'Reads the capabilities from the service again, or forgets them.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
