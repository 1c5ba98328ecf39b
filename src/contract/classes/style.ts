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
