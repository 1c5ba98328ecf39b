import { extraRoutes, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

const Labelled = { label: Type.String(), identity: Type.String() }

/** Operations on the instance as a whole. */
export const instanceRoutes = {
  'instance.version': {
    route: 'pyramid.pkg_version',
    method: 'GET',
    path: '/api/component/core/pkg_version',
    aliases: ['/api/component/pyramid/pkg_version'],
    summary: 'Versions of the components.',
    plain: { omits: '^landform$' },
    response: Type.Record(Type.String(), Type.String()),
  },
  'instance.routes': {
    route: 'pyramid.route',
    method: 'GET',
    path: '/api/component/core/route',
    aliases: ['/api/component/pyramid/route'],
    summary: 'Paths of all operations, by route name.',
    plain: { omits: extraRoutes },
    response: Type.Record(Type.String(), Type.Array(Type.String())),
  },
  'instance.schema': {
    route: 'resource.schema',
    method: 'GET',
    path: '/resource/schema',
    summary: 'Scopes, permissions and classes.',
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
    summary: 'Which operations are done once under a key, and for how long it is kept.',
    response: Type.Object({
      header: Type.String({ description: 'Request header that the key comes in.' }),
      hours: Type.Integer({ description: 'How long a key and its answer are kept.' }),
      operations: Type.Array(Type.String(), { description: 'Methods and paths that take a key.' }),
    }),
  },
  'instance.ping': {
    route: 'pyramid.ping',
    method: 'GET',
    path: '/api/component/core/ping',
    aliases: ['/api/component/pyramid/ping'],
    summary: 'Whether the process answers, in the words of the original.',
    isAnonymous: true,
    response: Type.Object({}),
  },
  'instance.health': {
    route: 'pyramid.healthcheck',
    method: 'GET',
    path: '/api/component/core/healthcheck',
    aliases: ['/api/component/pyramid/healthcheck'],
    summary: 'Whether database and files answer, in the words of the original.',
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
    summary: 'Whether the process answers.',
    isAnonymous: true,
    response: Type.Object({ status: Type.String() }),
  },
  'instance.ready': {
    route: 'landform.readyz',
    method: 'GET',
    path: '/readyz',
    summary: 'Whether database and files answer.',
    isAnonymous: true,
    response: Type.Object({ status: Type.String() }),
  },
} as const satisfies Record<string, RouteDescriptor>
