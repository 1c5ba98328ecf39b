import {
  catalogLimits,
  GeoserviceDetailSchema,
  GeoserviceItemSchema,
  IconSchema,
  iconSizes,
  StatusSchema,
} from '../catalog/catalog.ts'
import { CatalogOperationSchema, GeoserviceRecordSchema, IconRecordSchema } from '../catalog/catalog_edit.ts'
import { maxResourceId } from '../limits.ts'
import { query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const service = { service: 'catalog', isAnonymous: true, method: 'GET' } as const
const IdParam = (description: string) => Type.Object({ id: Type.Integer({ minimum: 0, description }) })

const word = (description: string) => Type.String({ description })

const format = { format: word('Format of the response: json.') } as const

const paging = {
  limit: word(`Number of records on a page, at most ${catalogLimits.page}.`),
  offset: word('Number of records to skip; lists without limit are complete.'),
} as const

/** Body of a page of a list. */
const pageOf = <T extends typeof IconSchema | typeof StatusSchema | typeof GeoserviceItemSchema>(items: T) =>
  Type.Object({
    count: Type.Integer({ description: 'Number of all matching records.' }),
    next: Type.Union([Type.String(), Type.Null()], { description: 'URL of the next page.' }),
    previous: Type.Union([Type.String(), Type.Null()], { description: 'URL of the previous page.' }),
    results: Type.Array(items),
  })

const listOrPage = <T extends typeof IconSchema | typeof GeoserviceItemSchema>(items: T) =>
  Type.Union([Type.Array(items), pageOf(items)])

const size = (side: string) =>
  word(
    `${side} in pixels, from ${iconSizes.minimum} to ${iconSizes.maximum}; otherwise ${iconSizes.default}.`,
  )

const image = {
  query: query({ ...format, width: size('Width'), height: size('Height') }),
  responseKind: 'image',
} as const

/** Operations of the catalog service: geoservices, records of their checks, icons. Read-only, for everybody. */
export const catalogRoutes = {
  'catalog.root': {
    ...service,
    route: 'catalog.root',
    path: '/api/v1/',
    summary: 'Returns the URL templates of the catalog.',
    query: query(format),
    response: Type.Record(Type.String(), Type.String()),
  },
  'catalog.geoservices': {
    ...service,
    route: 'catalog.geoservices',
    path: '/api/v1/geoservices/',
    summary: 'Lists geoservices: all of them, or a page if there is a limit.',
    query: query({
      ...format,
      ...paging,
      type: word('Type: tms, wms, wfs or geojson.'),
      epsg: word('EPSG code.'),
      submitter: word('Global identifier of the submitter.'),
      cumulative_status: word('Result of the last check: works, problematic or failed.'),
      search: word('Words; each occurs in the name or the description.'),
      intersects_extent: word('WKT or EWKT; the extent intersects it.'),
      intersects_boundary: word('WKT or EWKT; the boundary intersects it.'),
      ordering: word(
        'name, id, created_at or updated_at, descending with a leading minus; a list is separated by commas.',
      ),
    }),
    response: listOrPage(GeoserviceItemSchema),
  },
  'catalog.geoservice': {
    ...service,
    route: 'catalog.geoservice',
    path: '/api/v1/geoservices/{id}/',
    summary: 'Returns a geoservice.',
    params: IdParam('Geoservice.'),
    query: query(format),
    response: GeoserviceDetailSchema,
  },
  'catalog.statuses': {
    ...service,
    route: 'catalog.statuses',
    path: '/api/v1/geoservice_status/',
    aliases: ['/api/v1/geoservice_status.json'],
    summary: 'Returns a page of status records.',
    query: query({
      ...format,
      ...paging,
      geoservice: word('Geoservice.'),
      cumulative_status: word('Result: works, problematic or failed.'),
      ordering: word('check_at or cumulative_status, descending with a leading minus.'),
      search: word('Ignored.'),
    }),
    response: pageOf(StatusSchema),
  },
  'catalog.status': {
    ...service,
    route: 'catalog.status',
    path: '/api/v1/geoservice_status/{id}/',
    aliases: ['/api/v1/geoservice_status/{id}.json'],
    summary: 'Returns a status record.',
    params: IdParam('Status record.'),
    query: query(format),
    response: StatusSchema,
  },
  'catalog.icons': {
    ...service,
    route: 'catalog.icons',
    path: '/api/v1/icons/',
    summary: 'Lists icons: all of them, or a page if there is a limit.',
    query: query({ ...format, ...paging, search: word('Text in the name.') }),
    response: listOrPage(IconSchema),
  },
  'catalog.default_icon': {
    ...service,
    route: 'catalog.default_icon',
    path: '/api/v1/icons/default',
    aliases: ['/api/v1/icons/default/content'],
    summary: 'Returns the default icon as PNG.',
    ...image,
  },
  'catalog.icon': {
    ...service,
    route: 'catalog.icon',
    path: '/api/v1/icons/{id}/',
    summary: 'Returns an icon.',
    params: IdParam('Icon.'),
    query: query(format),
    response: IconSchema,
  },
  'catalog.icon_content': {
    ...service,
    route: 'catalog.icon_content',
    path: '/api/v1/icons/{id}/content',
    summary: 'Returns the image of an icon as PNG.',
    params: IdParam('Icon.'),
    ...image,
  },
} as const satisfies Record<string, RouteDescriptor>

const editing = { route: 'landform.catalog.records', path: '/api/component/catalog/' } as const

/** Operations of editors of the catalog: administrators, and members of the group of editors. */
export const catalogEditorRoutes = {
  'catalog.records': {
    ...editing,
    method: 'GET',
    forUsers: true,
    summary: 'Returns all icons and geoservices of the catalog, as manifests need them.',
    response: Type.Object({
      icons: Type.Array(IconRecordSchema),
      geoservices: Type.Array(GeoserviceRecordSchema),
    }),
  },
  'catalog.batch': {
    ...editing,
    method: 'POST',
    forUsers: true,
    takesKey: true,
    databaseUse: 'load',
    bodySize: 'large',
    summary: 'Creates, changes and deletes records of the catalog in one transaction.',
    body: Type.Object({
      operations: Type.Array(CatalogOperationSchema, {
        maxItems: 20_000,
        description: 'Operations, in order.',
      }),
    }),
    response: Type.Object({
      results: Type.Array(
        Type.Object({ id: Type.Integer({ description: 'Record.' }), version: Type.Optional(Type.Integer()) }),
        { description: 'One result per operation, in the same order.' },
      ),
    }),
  },
  'catalog.check': {
    route: 'landform.catalog.check',
    path: '/api/component/catalog/check',
    method: 'POST',
    forUsers: true,
    summary:
      'Checks geoservices now, and streams the results as JSON lines, in the order in which they arrive.',
    body: Type.Object({
      geoservices: Type.Optional(
        Type.Array(Type.Integer({ minimum: 0, maximum: maxResourceId }), {
          maxItems: catalogLimits.checkedServices,
          description: 'Geoservices to check; all if absent. Services that are being checked are left out.',
        }),
      ),
    }),
    responseKind: 'stream',
  },
  'catalog.icon_image': {
    route: 'landform.catalog.icon_image',
    path: '/api/component/catalog/icon/{id}/image',
    method: 'GET',
    forUsers: true,
    summary: 'Returns the image of an icon as it was stored.',
    params: IdParam('Icon.'),
    responseKind: 'file',
  },
} as const satisfies Record<string, RouteDescriptor>
