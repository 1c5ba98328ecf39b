import { SourceSchema } from '../bodies/resource.ts'
import { annotate, type ClassDescriptor, nullable } from '../descriptor.ts'
import { loadedSrs } from '../geometry.ts'
import { Type } from '../schema/type.ts'

const structure = { 'x-read': 'datastruct.read', 'x-write': 'datastruct.write' } as const

/** Class raster_layer. */
export const rasterLayer = {
  label: 'Raster layer',
  meaning: 'A georeferenced raster: a GeoTIFF of colours with any number of bits, or of values in one band.',
  scopes: ['resource', 'datastruct', 'data', 'metadata'],
  parents: ['resource_group'],
  interfaces: ['IBboxLayer'],
  order: 65,
  data: { content: 'raster', srs: loadedSrs, options: {} },
  links: [
    { route: 'raster.cog', text: 'Download as GeoTIFF' },
    { route: 'raster.download', text: 'Download the original file' },
  ],
  members: {
    raster_layer: Type.Object({
      srs: Type.Optional(
        Type.Object(
          { id: Type.Integer({ description: 'EPSG code.' }) },
          {
            ...structure,
            'x-replace': 'the coordinate reference system of a layer is fixed',
            description: `Coordinate reference system of the stored raster: always ${loadedSrs}.`,
          },
        ),
      ),
      xsize: Type.Optional(Type.Integer({ readOnly: true, ...structure, description: 'Width in pixels.' })),
      ysize: Type.Optional(Type.Integer({ readOnly: true, ...structure, description: 'Height in pixels.' })),
      band_count: Type.Optional(
        Type.Integer({
          readOnly: true,
          ...structure,
          description: 'Number of bands, including alpha, which every stored raster has.',
        }),
      ),
      dtype: Type.Optional(
        Type.String({
          readOnly: true,
          ...structure,
          description: 'Data type of the bands: Byte for colours of 8 bits.',
        }),
      ),
      color_interpretation: Type.Optional(
        Type.Array(Type.String(), {
          readOnly: true,
          ...structure,
          description:
            'Color interpretation of the bands, in order: Red, Green, Blue, Alpha; or Gray, Alpha.',
        }),
      ),
      geo_transform: Type.Optional(
        Type.Array(Type.Number(), {
          readOnly: true,
          ...structure,
          description:
            'Geotransform: x of the upper left corner, its step by column and by row; y, its step by column and by row.',
        }),
      ),
      statistics: Type.Optional(
        nullable(
          Type.Array(
            Type.Object({
              min: Type.Number({ description: 'Lowest value.' }),
              max: Type.Number({ description: 'Highest value.' }),
              mean: Type.Number({ description: 'Mean.' }),
              std_dev: Type.Number({ description: 'Standard deviation.' }),
            }),
          ),
          {
            readOnly: true,
            'x-extension': true,
            ...structure,
            description:
              'Distribution of the values of each band, without alpha; null for colours of 8 bits.',
          },
        ),
      ),
      data_version: Type.Optional(
        Type.Integer({
          readOnly: true,
          'x-extension': true,
          ...structure,
          description: 'Version of the data: number of rasters loaded so far.',
        }),
      ),
      source: Type.Optional(
        annotate(SourceSchema, {
          writeOnly: true,
          'x-wire': true,
          'x-write': 'data.write',
          description: 'Upload of the raster.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
