import { extraRoutes, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const Labelled = { label: Type.String(), identity: Type.String() }

/** Operations on the instance. */
export const instanceRoutes = {
  'instance.version': {
    route: 'pyramid.pkg_version',
    method: 'GET',
    path: '/api/component/core/pkg_version',
    aliases: ['/api/component/pyramid/pkg_version'],
    summary: 'Returns the versions of the components.',
    plain: { omits: '^landform$' },
    response: Type.Record(Type.String(), Type.String()),
  },
  'instance.routes': {
    route: 'pyramid.route',
    method: 'GET',
    path: '/api/component/core/route',
    aliases: ['/api/component/pyramid/route'],
    summary: 'Lists the paths of all operations, by route name.',
    plain: { omits: extraRoutes },
    response: Type.Record(Type.String(), Type.Array(Type.String())),
  },
  'instance.schema': {
    route: 'resource.schema',
    method: 'GET',
    path: '/resource/schema',
    summary: 'Lists scopes, permissions and classes.',
    response: Type.Object({
      scopes: Type.Record(
        Type.String(),
        Type.Object({
          ...Labelled,
          permissions: Type.Record(Type.String(), Type.Object({ label: Type.String() })),
        }),
      ),
      resources: Type.Record(Type.String(), Type.Object({ ...Labelled, scopes: Type.Array(Type.String()) })),
    }),
  },
  'instance.keys': {
    route: 'landform.idempotency',
    method: 'GET',
    path: '/api/component/landform/idempotency',
    summary: 'Lists the operations that accept an Idempotency-Key, and how long keys are valid.',
    response: Type.Object({
      header: Type.String({ description: 'Name of the request header.' }),
      hours: Type.Integer({ description: 'Retention time of a key and its response, in hours.' }),
      operations: Type.Array(Type.String(), { description: 'Methods and paths that accept a key.' }),
    }),
  },
  'instance.ping': {
    route: 'pyramid.ping',
    method: 'GET',
    path: '/api/component/core/ping',
    aliases: ['/api/component/pyramid/ping'],
    summary: 'Liveness check, in the format of NextGIS Web.',
    isAnonymous: true,
    response: Type.Object({}),
  },
  'instance.health': {
    route: 'pyramid.healthcheck',
    method: 'GET',
    path: '/api/component/core/healthcheck',
    aliases: ['/api/component/pyramid/healthcheck'],
    summary: 'Readiness check of the database and the file storage, in the format of NextGIS Web.',
    isAnonymous: true,
    response: Type.Object({
      success: Type.Boolean(),
      component: Type.Record(
        Type.String(),
        Type.Object({ success: Type.Boolean(), message: Type.Optional(Type.String()) }),
      ),
    }),
  },
  'instance.alive': {
    route: 'landform.healthz',
    method: 'GET',
    path: '/healthz',
    summary: 'Liveness check.',
    isAnonymous: true,
    response: Type.Object({ status: Type.String() }),
  },
  'instance.ready': {
    route: 'landform.readyz',
    method: 'GET',
    path: '/readyz',
    summary: 'Readiness check of the database and the file storage.',
    isAnonymous: true,
    response: Type.Object({ status: Type.String() }),
  },
} as const satisfies Record<string, RouteDescriptor>
