import { LoginSchema } from '../principal.ts'
import { IdParams, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

const login = { route: 'landform.login', path: '/login' } as const
const next = Type.String({ maxLength: 4096, description: 'Path of the page to go on with.' })

/** Pages for people to look around. */
export const pageRoutes = {
  'page.home': {
    route: 'landform.home',
    method: 'GET',
    path: '/',
    summary: 'Leads to the root of the tree.',
    responseKind: 'html',
  },
  'page.resource': {
    route: 'resource.show',
    method: 'GET',
    path: '/resource/{id}',
    summary: 'A resource as a page: what stands under it, its members, and what one may do with it.',
    params: IdParams,
    permission: 'resource.read',
    query: query({ offset: Type.Integer({ minimum: 0, description: 'Children to skip.' }) }),
    responseKind: 'html',
  },
  'page.login': {
    ...login,
    method: 'GET',
    summary: 'A form to log in with.',
    query: query({ next }),
    responseKind: 'html',
  },
  'page.login_submit': {
    ...login,
    method: 'POST',
    summary: 'Logs in with the fields of the form, and leads to the next page.',
    body: Type.Object({ ...LoginSchema.properties, next: Type.Optional(next) }),
    bodyKind: 'form',
    bodySize: 'small',
    responseKind: 'html',
  },
  'page.logout': {
    route: 'landform.logout',
    method: 'POST',
    path: '/logout',
    summary: 'Logs out, and leads to the root of the tree.',
    bodyKind: 'form',
    bodySize: 'small',
    responseKind: 'html',
  },
} as const satisfies Record<string, RouteDescriptor>
