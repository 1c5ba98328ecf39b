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
  meaning: 'Tiles of an external service, shown below the layers of a map.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  table: {},
  members: {
    basemap_layer: Type.Object({
      url: text('Address of the tiles, with {z}, {x} and {y}, or with {q}; either url or qms is required.'),
      qms: text('QMS description of the service: a JSON object with type and url.'),
      copyright_text: text('Attribution.'),
      copyright_url: text('Link of the attribution; an http or https URL.'),
      z_min: zoom('Minimum zoom level of the tiles.'),
      z_max: zoom('Maximum zoom level of the tiles.'),
    }),
  },
} as const satisfies ClassDescriptor
