import type { RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

/** The description of all operations. */
export const docsRoutes = {
  'docs.openapi': {
    route: 'landform.openapi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'All operations, as OpenAPI.',
    response: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
  },
  'docs.page': {
    route: 'landform.docs',
    method: 'GET',
    path: '/docs',
    summary: 'All operations, as a page.',
    responseKind: 'html',
  },
} as const satisfies Record<string, RouteDescriptor>
