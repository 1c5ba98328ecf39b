import { IdParams, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

/** Parameters of all operations; their names are case-insensitive. */
const parameters = [
  'SERVICE',
  'VERSION',
  'REQUEST',
  'ACCEPTVERSIONS',
  'LAYER',
  'STYLE',
  'FORMAT',
  'TILEMATRIXSET',
  'TILEMATRIX',
  'TILEROW',
  'TILECOL',
  'I',
  'J',
  'INFOFORMAT',
] as const

const wmts = { method: 'GET', errors: 'wmts', responseKind: 'image' } as const

/** Operations of WMTS services. */
export const wmtsRoutes = {
  'wmts.get': {
    ...wmts,
    route: 'landform.wmts',
    path: '/api/resource/{id}/wmts',
    params: IdParams,
    summary: 'Answers a WMTS request of keyword-value pairs, version 1.0.0, to a WMS service.',
    moreQuery: { pattern: '^[A-Za-z_]+$', examples: parameters, maxCount: 100 },
  },
  'wmts.rest': {
    ...wmts,
    route: 'landform.wmts.rest',
    path: '/api/resource/{id}/wmts/{path}',
    params: Type.Object({
      ...IdParams.properties,
      path: Type.Unsafe<string>({
        type: 'string',
        'x-rest': true,
        description:
          '1.0.0/WMTSCapabilities.xml, or 1.0.0/layer/style/matrix set/matrix/row/column.format, or for the features at a pixel 1.0.0/layer/style/matrix set/matrix/row/column/j/i.format.',
      }),
    }),
    summary: 'Answers a WMTS request in the form of a path, version 1.0.0, to a WMS service.',
  },
} as const satisfies Record<string, RouteDescriptor>
