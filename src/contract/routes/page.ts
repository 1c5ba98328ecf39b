import { LoginSchema } from '../principal.ts'
import { IdParams, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

const login = { route: 'landform.login', path: '/login' } as const
const next = Type.String({ maxLength: 4096, description: 'Path of the page to redirect to.' })

/** HTML pages. */
export const pageRoutes = {
  'page.home': {
    route: 'landform.home',
    method: 'GET',
    path: '/',
    summary: 'Redirects to the root of the tree.',
    responseKind: 'html',
  },
  'page.resource': {
    route: 'resource.show',
    method: 'GET',
    path: '/resource/{id}',
    summary: 'Page of a resource: children, members and permissions.',
    params: IdParams,
    permission: 'resource.read',
    query: query({ offset: Type.Integer({ minimum: 0, description: 'Number of children to skip.' }) }),
    responseKind: 'html',
  },
  'page.login': {
    ...login,
    method: 'GET',
    summary: 'Login page.',
    query: query({ next }),
    responseKind: 'html',
  },
  'page.login_submit': {
    ...login,
    method: 'POST',
    summary: 'Logs in with the fields of the form, and redirects to the next page.',
    changesSession: true,
    body: Type.Object({ ...LoginSchema.properties, next: Type.Optional(next) }),
    bodyKind: 'form',
    bodySize: 'small',
    responseKind: 'html',
  },
  'page.logout': {
    route: 'landform.logout',
    method: 'POST',
    path: '/logout',
    summary: 'Logs out, and redirects to the root of the tree.',
    changesSession: true,
    bodyKind: 'form',
    bodySize: 'small',
    responseKind: 'html',
  },
} as const satisfies Record<string, RouteDescriptor>
