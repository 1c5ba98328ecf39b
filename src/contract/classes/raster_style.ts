import type { ClassDescriptor } from '../descriptor.ts'
import { Type } from '../type.ts'
import { dataOfParent, styleInterfaces } from './style.ts'

/** Class raster_style. */
export const rasterStyle = {
  label: 'Raster style',
  meaning: 'A style that renders a raster layer with its original colours.',
  scopes: ['resource', 'data', 'metadata'],
  parents: ['raster_layer'],
  interfaces: styleInterfaces,
  order: 100,
  requires: dataOfParent,
  members: { raster_style: Type.Object({}) },
} as const satisfies ClassDescriptor
