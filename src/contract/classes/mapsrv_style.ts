import type { ClassDescriptor } from '../descriptor.ts'
import { Type } from '../type.ts'
import { dataOfParent, featureLayerClasses, styleInterfaces } from './style.ts'

/** Class mapsrv_style. */
export const mapsrvStyle = {
  label: 'Map server style',
  meaning: 'How the features of a layer are drawn, as map server XML.',
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
          description: 'Style; a plain one for the geometry type where absent.',
        }),
      ),
    }),
  },
} as const satisfies ClassDescriptor
