import type { DataRequirement } from '../descriptor.ts'

/** A style shows data of the layer it belongs to. */
export const dataOfParent = {
  permission: 'data.read',
  requires: 'data.read',
  on: 'parent',
} as const satisfies DataRequirement

/** A layer shows data that it reads through its connection. */
export const dataOfConnection = {
  permission: 'data.read',
  requires: 'connection.connect',
  on: 'connection',
} as const satisfies DataRequirement

/** What clients may do with a style. */
export const styleInterfaces = [
  'IExtentRenderRequest',
  'ILegendableStyle',
  'IRenderableStyle',
  'ITileRenderRequest',
] as const

/** Classes of layers whose features a vector style draws. */
export const featureLayerClasses = ['vector_layer', 'geodb_layer'] as const

/** Classes that a service can publish as pictures. */
export const publishableClasses = [
  'mapsrv_style',
  'desk_vector_style',
  'raster_style',
  'wmsclient_layer',
] as const

/** Classes that a web map can show. */
export const renderableClasses = [...publishableClasses, 'basemap_layer'] as const
