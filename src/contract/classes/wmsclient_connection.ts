import type { Static } from 'typebox'
import { type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { Type } from '../type.ts'

const guarded = { 'x-read': 'connection.read', 'x-write': 'connection.write' } as const

/** What a service offers, as it was asked last. */
export const CapabilitiesSchema = Type.Object({
  formats: Type.Array(Type.String(), { maxItems: 1000, description: 'Media types of its pictures.' }),
  layers: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Name of the layer in requests.' }),
      title: Type.String({ description: 'Title of the layer.' }),
      index: Type.Integer({ description: 'Place in the list of the service.' }),
      bbox: Type.Optional(
        Type.Array(Type.Number(), { maxItems: 4, description: 'West, south, east and north, in degrees.' }),
      ),
    }),
    { maxItems: 10_000, description: 'Layers that can be asked for.' },
  ),
})

/** What a service offers, as on the wire. */
export type Capabilities = Static<typeof CapabilitiesSchema>

/** Class wmsclient_connection. */
export const wmsclientConnection = {
  label: 'WMS connection',
  meaning: 'How to reach a web map service.',
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
          'Address of the service; an http address without a login. A stored password has to be sent along to change it.',
      }),
      username: Type.Optional(nullable(Type.String(), { ...guarded, default: null, description: 'Login.' })),
      password: Type.Optional(
        nullable(Type.String(), {
          ...guarded,
          writeOnly: true,
          'x-secret': true,
          default: null,
          description: 'Password; never read, null where there is none.',
        }),
      ),
      version: oneOf(['1.1.1', '1.3.0'], { ...guarded, description: 'Version of WMS.' }),
      capcache: Type.Optional(
        Type.Union([oneOf(['query', 'clear']), CapabilitiesSchema, Type.Null()], {
          'x-wire': true,
          'x-read': 'connection.connect',
          'x-write': 'connection.write',
          description:
            'Written: query reads the capabilities from the service, clear forgets them. Read: the capabilities, or null.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
