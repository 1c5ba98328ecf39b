import { type ClassDescriptor, nullable } from '../descriptor.ts'
import { Type } from '../type.ts'

const guarded = { 'x-read': 'data.read', 'x-write': 'data.write' } as const
const text = (description: string) =>
  Type.Optional(nullable(Type.String(), { ...guarded, default: null, description }))
const zoom = (description: string) =>
  Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum: 24 }), { ...guarded, default: null, description }),
  )

/** Class basemap_layer. */
export const basemapLayer = {
  label: 'Base map',
  meaning: 'Tiles from elsewhere that lie under a map.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  table: {},
  members: {
    basemap_layer: Type.Object({
      url: text('Address of the tiles, with {z}, {x} and {y}, or with {q}; one of url and qms is needed.'),
      qms: text('Description of the service in the catalog: a JSON object with its type and its url.'),
      copyright_text: text('Attribution.'),
      copyright_url: text('Where the attribution leads; an http address.'),
      z_min: zoom('Smallest zoom level there are tiles of.'),
      z_max: zoom('Largest zoom level there are tiles of.'),
    }),
  },
} as const satisfies ClassDescriptor
