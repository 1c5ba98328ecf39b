import type { Static } from 'typebox'
import { type ClassDescriptor, nullable, oneOf } from '../descriptor.ts'
import { Type } from '../schema/type.ts'
import { dataOfParent, styleInterfaces } from './style.ts'
import { TileCacheMember } from './tile_cache.ts'

const StretchSchema = Type.Object({
  type: oneOf(['min_max', 'percent', 'std_dev'], {
    description:
      'Range of values: from min to max, without a part at both ends, or a multiple of the standard deviation around the mean.',
  }),
  min: Type.Optional(Type.Number({ description: 'Lowest value of min_max; that of each band if absent.' })),
  max: Type.Optional(Type.Number({ description: 'Highest value of min_max; that of each band if absent.' })),
  percent: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 49,
      description: 'Part left out at each end, for percent; 2 if absent.',
    }),
  ),
  deviations: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description: 'Standard deviations on each side of the mean, for std_dev; 2 if absent.',
    }),
  ),
})

/** Range of the values of a raster that the colours of a style cover. */
export type RasterStretch = Static<typeof StretchSchema>

const ColorRampSchema = Type.Object({
  interpolation: oneOf(['linear', 'discrete', 'exact'], {
    description:
      'Colours between the stops: interpolated; that of the next higher stop; or none, so that only the values of stops are drawn.',
  }),
  stops: Type.Array(
    Type.Object({
      value: Type.Number({
        description: 'Value of the raster; with a stretch, from 0 to 1 within its range.',
      }),
      color: Type.String({
        pattern: '^#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?$',
        description: 'Colour #rrggbb, or #rrggbbaa with alpha.',
      }),
    }),
    { minItems: 1, maxItems: 1000, description: 'Colours of values.' },
  ),
})

/** Colours of the values of a raster. */
export type RasterColorRamp = Static<typeof ColorRampSchema>

/** Class raster_style. */
export const rasterStyle = {
  label: 'Raster style',
  meaning: 'A style that renders a raster layer with its original colours, or the colours of its values.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['raster_layer'],
  interfaces: styleInterfaces,
  order: 100,
  requires: dataOfParent,
  table: {},
  members: {
    raster_style: Type.Object({
      stretch: Type.Optional(
        nullable(StretchSchema, {
          'x-extension': true,
          default: null,
          description:
            'Range of values from black to white, or of the colour ramp; of colours, that of each band. Null for 0 to 255 of 8 bits, else percent.',
        }),
      ),
      color_ramp: Type.Optional(
        nullable(ColorRampSchema, {
          'x-extension': true,
          default: null,
          description: 'Colours of the values of rasters with one band; null for greys.',
        }),
      ),
      resampling: Type.Optional(
        oneOf(['nearest', 'bilinear'], {
          'x-extension': true,
          default: 'nearest',
          description:
            'How pixels are enlarged: as squares, or interpolated. Shrunk rasters are always averaged.',
        }),
      ),
      opacity: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          'x-extension': true,
          default: 1,
          description: 'Opacity, from 0 to 1.',
        }),
      ),
    }),
    tile_cache: TileCacheMember,
  },
} as const satisfies ClassDescriptor
