import { AnyObjectSchema, IdParams, type RouteDescriptor } from '../route.ts'

const wms = {
  route: 'wmsserver.wms',
  path: '/api/resource/{id}/wms',
  params: IdParams,
  errors: 'wms',
  responseKind: 'image',
} as const

/** Parameters of all operations; their names are case-insensitive. */
const parameters = [
  'SERVICE',
  'VERSION',
  'REQUEST',
  'LAYERS',
  'STYLES',
  'CRS',
  'SRS',
  'BBOX',
  'WIDTH',
  'HEIGHT',
  'FORMAT',
  'TRANSPARENT',
  'BGCOLOR',
  'EXCEPTIONS',
  'QUERY_LAYERS',
  'INFO_FORMAT',
  'FEATURE_COUNT',
  'I',
  'J',
  'X',
  'Y',
  'TOLERANCE',
  'LAYER',
] as const

const moreQuery = { pattern: '^[A-Za-z_]+$', examples: parameters, maxCount: 100 } as const

/** Operations of WMS services. */
export const wmsRoutes = {
  'wms.get': {
    ...wms,
    method: 'GET',
    summary: 'Answers a WMS request of keyword-value pairs, versions 1.1.1 and 1.3.0.',
    moreQuery,
  },
  'wms.post': {
    ...wms,
    method: 'POST',
    summary: 'Answers a WMS request whose keyword-value pairs are in the body, as a form.',
    moreQuery,
    body: AnyObjectSchema,
    bodyKind: 'form',
    // As much as a query may have: parameters of megabytes would take a second to read.
    bodySize: 'small',
  },
} as const satisfies Record<string, RouteDescriptor>
