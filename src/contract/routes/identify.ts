import { maxFilterWkt, maxLayers } from '../limits.ts'
import type { RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

/** Operations that find what layers show at a place. */
export const identifyRoutes = {
  'feature.identify': {
    route: 'feature_layer.identify',
    method: 'POST',
    path: '/api/feature_layer/identify',
    summary:
      'Finds features of several layers that intersect a polygon, values of rasters and features of WMS layers in its middle.',
    body: Type.Object({
      srs: Type.Integer({ minimum: 1, description: 'EPSG code of geom.' }),
      geom: Type.String({ maxLength: maxFilterWkt, description: 'WKT polygon.' }),
      layers: Type.Array(Type.Integer(), { maxItems: maxLayers, description: 'Layers to search.' }),
      styles: Type.Optional(
        Type.Array(Type.Integer(), {
          maxItems: maxLayers,
          description:
            'Styles of the layers: features that their classes hide at the scale, by numbers of a field, are not found, and the most important ones are first.',
        }),
      ),
      scale_denom: Type.Optional(
        Type.Number({ exclusiveMinimum: 0, description: 'Denominator of the scale; required for styles.' }),
      ),
    }),
    response: Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
  },
} as const satisfies Record<string, RouteDescriptor>
