import { annotate, type ClassDescriptor } from '../descriptor.ts'
import { UploadSchema } from '../resource.ts'
import { Type } from '../type.ts'

const structure = { 'x-read': 'datastruct.read', 'x-write': 'datastruct.write' } as const

/** Class raster_layer. */
export const rasterLayer = {
  label: 'Raster layer',
  meaning: 'A picture with a place on the ground: GeoTIFF with 3 or 4 bands of 8 bits.',
  scopes: ['resource', 'datastruct', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: ['IBboxLayer'],
  order: 65,
  members: {
    raster_layer: Type.Object({
      srs: Type.Optional(
        Type.Object(
          { id: Type.Integer({ description: 'EPSG code.' }) },
          { ...structure, description: 'Reference system it is stored in.' },
        ),
      ),
      xsize: Type.Optional(Type.Integer({ readOnly: true, ...structure, description: 'Width in pixels.' })),
      ysize: Type.Optional(Type.Integer({ readOnly: true, ...structure, description: 'Height in pixels.' })),
      band_count: Type.Optional(
        Type.Integer({ readOnly: true, ...structure, description: 'Number of bands.' }),
      ),
      source: Type.Optional(
        annotate(UploadSchema, {
          writeOnly: true,
          'x-wire': true,
          'x-write': 'data.write',
          description: 'Upload that holds the picture.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
