import { catalogLimits, GeoserviceDetailSchema } from '../catalog/catalog.ts'
import { maxSearchText } from '../limits.ts'
import { LoginSchema } from '../principal.ts'
import { IdParams, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const login = { route: 'landform.login', path: '/login' } as const
const next = Type.String({ maxLength: 4096, description: 'Path of the page to redirect to.' })

/** Number of geoservices on a page of the catalog. */
export const catalogPageLength = 50

/** Condition of the page of the catalog for geoservices without a check; the API has no such value. */
export const uncheckedStatus = 'unchecked'

/** HTML pages. */
export const pageRoutes = {
  'page.home': {
    route: 'landform.home',
    method: 'GET',
    path: '/',
    summary: 'Redirects to the root of the tree; shows the login form to guests who cannot read it.',
    responseKind: 'html',
  },
  'page.resource': {
    route: 'resource.show',
    method: 'GET',
    path: '/resource/{id}',
    summary: 'Page of a resource: children, members and permissions.',
    params: IdParams,
    permission: 'resource.read',
    query: query({
      offset: Type.Integer({ minimum: 0, description: 'Number of children to skip.' }),
      search: Type.String({
        maxLength: maxSearchText,
        description: 'Words; each occurs in the name of the children to show.',
      }),
    }),
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

const ServiceParams = Type.Object({ id: Type.Integer({ minimum: 0, description: 'Geoservice.' }) })

/** HTML pages of the catalog of geoservices, and the data that their scripts and images need. */
export const catalogPageRoutes = {
  'page.catalog': {
    route: 'landform.catalog.page',
    method: 'GET',
    path: '/catalog/',
    summary: `Page of the catalog: ${catalogPageLength} of the matching geoservices.`,
    query: query({
      search: Type.String({ description: 'Words; each occurs in the name or the description.' }),
      type: Type.String({ description: 'Type: tms, wms, wfs or geojson.' }),
      epsg: Type.String({ description: 'EPSG code.' }),
      cumulative_status: Type.String({
        description: 'Result of the last check: works, problematic, failed, or unchecked.',
      }),
      offset: Type.Integer({
        minimum: 0,
        maximum: catalogLimits.records,
        description: 'Number of geoservices to skip.',
      }),
    }),
    responseKind: 'html',
  },
  'page.geoservice': {
    route: 'landform.catalog.geoservice',
    method: 'GET',
    path: '/catalog/{id}/',
    summary: 'Page of a geoservice: members, checks and preview.',
    params: ServiceParams,
    responseKind: 'html',
  },
  'page.geoservice_record': {
    route: 'landform.catalog.geoservice_record',
    method: 'GET',
    path: '/catalog/{id}/service.json',
    isAnonymous: true,
    summary: 'Returns a geoservice, as the catalog does, at the address of the pages.',
    params: ServiceParams,
    response: GeoserviceDetailSchema,
  },
  'page.catalog_icon': {
    route: 'landform.catalog.page_icon',
    method: 'GET',
    path: '/catalog/icons/{icon}',
    isAnonymous: true,
    summary: 'Returns an icon, or the default icon, as PNG.',
    params: Type.Object({
      icon: Type.String({ pattern: '^(?:\\d{1,9}|default)$', description: 'Icon, or default.' }),
    }),
    query: query({
      width: Type.String({ description: 'Width in pixels.' }),
      height: Type.String({ description: 'Height in pixels.' }),
    }),
    responseKind: 'image',
  },
} as const satisfies Record<string, RouteDescriptor>
