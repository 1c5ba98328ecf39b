import { IdParams, type RouteDescriptor } from '../route.ts'

const wfs = {
  route: 'wfsserver.wfs',
  path: '/api/resource/{id}/wfs',
  params: IdParams,
  errors: 'wfs',
  responseKind: 'stream',
} as const

/** Parameters of all operations; their names are case-insensitive. */
const parameters = [
  'SERVICE',
  'VERSION',
  'REQUEST',
  'ACCEPTVERSIONS',
  'TYPENAMES',
  'OUTPUTFORMAT',
  'RESULTTYPE',
  'PROPERTYNAME',
  'SRSNAME',
  'BBOX',
  'FILTER',
  'RESOURCEID',
  'SORTBY',
  'COUNT',
  'STARTINDEX',
  'STOREDQUERY_ID',
  'ID',
  'VALUEREFERENCE',
] as const

/** Operations of WFS services. */
export const wfsRoutes = {
  'wfs.get': {
    ...wfs,
    method: 'GET',
    databaseUse: 'export',
    summary: 'Answers a WFS request of keyword-value pairs, versions 1.0.0, 1.1.0 and 2.0.0.',
    moreQuery: { pattern: '^[A-Za-z_]+$', examples: parameters, maxCount: 50 },
  },
  'wfs.post': {
    ...wfs,
    method: 'POST',
    databaseUse: 'load',
    summary: 'Answers a WFS request in XML, such as a transaction.',
    moreQuery: { pattern: '^[A-Za-z_]+$', examples: parameters, maxCount: 50 },
    bodyKind: 'stream',
    bodySize: 'streamed',
  },
} as const satisfies Record<string, RouteDescriptor>
