import type { Static } from 'typebox'
import { type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { Type } from '../schema/type.ts'

const guarded = { 'x-read': 'connection.read', 'x-write': 'connection.write' } as const

/** Capabilities of the service, as of the last request. */
export const CapabilitiesSchema = Type.Object({
  formats: Type.Array(Type.String(), { maxItems: 1000, description: 'Media types of the images.' }),
  layers: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Name of the layer in requests.' }),
      title: Type.String({ description: 'Title of the layer.' }),
      index: Type.Integer({ description: 'Position in the list of the service.' }),
      bbox: Type.Optional(
        Type.Array(Type.Number(), { maxItems: 4, description: 'West, south, east and north, in degrees.' }),
      ),
    }),
    { maxItems: 10_000, description: 'Layers that can be requested.' },
  ),
})

/** Capabilities of a service on the wire. */
export type Capabilities = Static<typeof CapabilitiesSchema>

/** Class wmsclient_connection. */
export const wmsclientConnection = {
  label: 'WMS connection',
  meaning: 'A connection to an external web map service.',
  scopes: ['connection', 'resource', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  table: {},
  members: {
    wmsclient_connection: Type.Object({
      url: Type.String({
        minLength: 1,
        ...guarded,
        'x-address': true,
        description:
          'URL of the service, http or https, without credentials. A change requires a stored password in the same request.',
      }),
      username: Type.Optional(
        nullable(Type.String(), { ...guarded, default: null, description: 'User name.' }),
      ),
      password: Type.Optional(
        nullable(Type.String(), {
          ...guarded,
          writeOnly: true,
          'x-secret': true,
          default: null,
          description: 'Password; never returned; null removes it.',
        }),
      ),
      version: oneOf(['1.1.1', '1.3.0'], { ...guarded, description: 'Version of WMS.' }),
      capcache: Type.Optional(
        Type.Union([oneOf(['query', 'clear']), CapabilitiesSchema, Type.Null()], {
          'x-wire': true,
          'x-read': 'connection.connect',
          'x-write': 'connection.write',
          description:
            'In requests: query reads the capabilities from the service, clear deletes them. In responses: the capabilities, or null.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
