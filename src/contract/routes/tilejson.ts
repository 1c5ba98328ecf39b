import type { TileJson } from '../bodies/tilejson.ts'
import { IdParams, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

/** Operations that describe tiles. */
export const tilejsonRoutes = {
  'render.tilejson': {
    route: 'landform.tilejson',
    method: 'GET',
    path: '/api/resource/{id}/tilejson.json',
    summary: 'Describes the tiles of a layer, a style or a WMS service as TileJSON 3.0.0.',
    params: IdParams,
    query: query({
      format: Type.Unsafe<'pbf' | 'png'>({
        type: 'string',
        enum: ['pbf', 'png'],
        description:
          'Vector tiles (pbf) or raster tiles (png); by default vector tiles for layers with features, raster tiles for others.',
      }),
      layer: Type.String({ description: 'Keyname of a layer of a service; all layers by default.' }),
    }),
    response: Type.Unsafe<TileJson>({ type: 'object' }),
  },
} as const satisfies Record<string, RouteDescriptor>
