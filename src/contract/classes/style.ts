import type { DataRequirement } from '../descriptor.ts'

/** A style requires read access to the data of its parent layer. */
export const dataOfParent = {
  permission: 'data.read',
  requires: 'data.read',
  on: 'parent',
} as const satisfies DataRequirement

/** A layer requires permission to use its connection. */
export const dataOfConnection = {
  permission: 'data.read',
  requires: 'connection.connect',
  on: 'connection',
} as const satisfies DataRequirement

/** Interfaces of styles. */
export const styleInterfaces = [
  'IExtentRenderRequest',
  'ILegendableStyle',
  'IRenderableStyle',
  'ITileRenderRequest',
] as const

/** Classes of layers with features, which vector styles render. */
export const featureLayerClasses = ['vector_layer', 'geodb_layer'] as const

/** Classes that a WMS service can publish. */
export const publishableClasses = [
  'mapsrv_style',
  'desk_vector_style',
  'raster_style',
  'wmsclient_layer',
] as const

/** Classes that a web map can show. */
export const renderableClasses = [...publishableClasses, 'basemap_layer'] as const
