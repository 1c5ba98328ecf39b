import type { Static } from 'typebox'
import { type ClassDescriptor, nullable } from '../descriptor.ts'
import { Type } from '../schema/type.ts'

const guarded = { 'x-read': 'data.read', 'x-write': 'data.write' } as const
const text = (description: string) =>
  Type.Optional(nullable(Type.String(), { ...guarded, default: null, description }))
const zoom = (description: string) =>
  Type.Optional(
    nullable(Type.Integer({ minimum: 0, maximum: 24 }), { ...guarded, default: null, description }),
  )

const shown = (description: string) => nullable(Type.String(), { description })
const level = (description: string) => nullable(Type.Integer(), { description })

/** Tiles of a base map. */
const TilesSchema = Type.Object({
  url: Type.String({
    description: 'Address with {z}, {x} and {y}, or {-y} for rows from the bottom; or with {q}.',
  }),
  copyright_text: shown('Attribution.'),
  copyright_url: shown('Link of the attribution.'),
  z_min: level('Minimum zoom level.'),
  z_max: level('Maximum zoom level.'),
})

/** Tiles of a base map. */
export type Tiles = Static<typeof TilesSchema>

/** EPSG code of the reference system of maps. */
export const webMercator = 3857

/** Returns the key or guid by which a base map names a geoservice in `qms`; undefined for a description. */
export function serviceNameOf(qms: string | null): string | undefined {
  const name = qms?.trim() ?? ''
  return /^[\w-]{1,100}$/.test(name) && Number.isNaN(Number(name)) ? name : undefined
}

/** Class basemap_layer. */
export const basemapLayer = {
  label: 'Base map',
  meaning: 'Tiles of an external service, shown below the layers of a map.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: [],
  order: 100,
  table: { omit: ['tiles'] },
  members: {
    basemap_layer: Type.Object({
      url: text('Address of the tiles, with {z}, {x} and {y}, or with {q}; either url or qms is required.'),
      qms: text(
        'Service of tiles: key or guid of a geoservice in the catalog, or a QMS description, a JSON object with url.',
      ),
      copyright_text: text('Attribution.'),
      copyright_url: text('Link of the attribution; an http or https URL.'),
      z_min: zoom('Minimum zoom level of the tiles.'),
      z_max: zoom('Maximum zoom level of the tiles.'),
      tiles: Type.Optional(
        nullable(TilesSchema, {
          readOnly: true,
          'x-read': 'data.read',
          'x-extension': true,
          description:
            'Tiles to show: the fields of the base map, else those of its service; null if the service does not exist.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
