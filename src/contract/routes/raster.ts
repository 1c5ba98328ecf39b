import { IdParams, type RouteDescriptor } from '../route.ts'

/** Operations on raster layers. */
export const rasterRoutes = {
  'raster.cog': {
    route: 'raster_layer.cog',
    method: 'GET',
    path: '/api/resource/{id}/cog',
    summary: 'Downloads a raster layer as a cloud optimized GeoTIFF, or a range of it (Range).',
    params: IdParams,
    permission: 'data.read',
    responseKind: 'file',
  },
  'raster.download': {
    route: 'raster_layer.download',
    method: 'GET',
    path: '/api/resource/{id}/download',
    summary: 'Downloads the original file of a raster layer.',
    params: IdParams,
    permission: 'data.read',
    responseKind: 'file',
  },
} as const satisfies Record<string, RouteDescriptor>
