import { IdParams, type RouteDescriptor } from '../route.ts'

/** Operations on raster layers. */
export const rasterRoutes = {
  'raster.cog': {
    route: 'raster_layer.cog',
    method: 'GET',
    path: '/api/resource/{id}/cog',
    summary: 'The picture of a raster layer as cloud optimized GeoTIFF, whole or in part (Range).',
    params: IdParams,
    permission: 'data.read',
    responseKind: 'file',
  },
  'raster.download': {
    route: 'raster_layer.download',
    method: 'GET',
    path: '/api/resource/{id}/download',
    summary: 'The file that a raster layer was made of, as it was sent.',
    params: IdParams,
    permission: 'data.read',
    responseKind: 'file',
  },
} as const satisfies Record<string, RouteDescriptor>
