/** What clients may do with a style. */
export const styleInterfaces = [
  'IExtentRenderRequest',
  'ILegendableStyle',
  'IRenderableStyle',
  'ITileRenderRequest',
] as const

/** Classes of layers whose features a vector style draws. */
export const featureLayerClasses = ['vector_layer', 'geodb_layer'] as const

/** Classes that a web map or a service can show. */
export const renderableClasses = [
  'mapsrv_style',
  'desk_vector_style',
  'raster_style',
  'wmsclient_layer',
  'basemap_layer',
] as const
