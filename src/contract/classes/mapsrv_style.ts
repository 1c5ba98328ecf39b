import type { ClassDescriptor } from '../descriptor.ts'
import { Type } from '../schema/type.ts'
import { dataOfParent, featureLayerClasses, styleInterfaces } from './style.ts'
import { TileCacheMember } from './tile_cache.ts'

/** Class mapsrv_style. */
export const mapsrvStyle = {
  label: 'Map server style',
  meaning: 'A style for the features of a layer, as MapServer XML.',
  scopes: ['resource', 'data', 'metadata'],
  parents: featureLayerClasses,
  interfaces: styleInterfaces,
  order: 100,
  table: { volume: ['xml'] },
  requires: dataOfParent,
  members: {
    mapsrv_style: Type.Object({
      xml: Type.Optional(
        Type.String({
          minLength: 1,
          'x-form': 'xml',
          description: 'Style as XML; defaults to a simple style for the geometry type.',
        }),
      ),
    }),
    tile_cache: TileCacheMember,
  },
} as const satisfies ClassDescriptor
