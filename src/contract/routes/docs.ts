import type { RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

/** Operations that describe the API. */
export const docsRoutes = {
  'docs.openapi': {
    route: 'landform.openapi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Returns the OpenAPI document of all operations.',
    response: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
  },
  'docs.page': {
    route: 'landform.docs',
    method: 'GET',
    path: '/docs',
    summary: 'Returns a page that documents all operations.',
    responseKind: 'html',
  },
} as const satisfies Record<string, RouteDescriptor>
