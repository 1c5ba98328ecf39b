import { maxResourceIds } from '../limits.ts'
import { AnyObjectSchema, EmptySchema, IdParams, list, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

/** Most attributes that one request reads. */
const maxAttributes = 50

const CountSchema = Type.Object({
  count: Type.Integer({ description: 'Resources.' }),
  resources: Type.Record(Type.String(), Type.Integer(), { description: 'How many of each class.' }),
})

const items = {
  route: 'resource.items.delete',
  path: '/api/resource/delete',
  query: query({
    resources: list(Type.Integer({ minimum: 0 }), {
      maxItems: maxResourceIds,
      description: 'Resources to delete, each with all below it.',
    }),
    partial: Type.Boolean({
      description: 'Whether those that cannot be deleted are left; else nothing is deleted.',
    }),
  }),
} as const

/** Operations that look at many resources at once, or take them away. */
export const inventoryRoutes = {
  'resource.delete_check': {
    ...items,
    method: 'GET',
    summary: 'What deleting some resources would take away.',
    response: Type.Object({ affected: CountSchema, unaffected: CountSchema }),
  },
  'resource.delete_many': {
    ...items,
    method: 'POST',
    databaseUse: 'load',
    summary: 'Deletes some resources and all below them.',
    response: EmptySchema,
  },
  'resource.volume': {
    route: 'resource.volume',
    method: 'GET',
    path: '/api/resource/{id}/volume',
    summary: 'Bytes that a resource takes on the server: features with their indexes, and files.',
    params: IdParams,
    permission: 'resource.read',
    query: query({
      recursive: Type.Boolean({
        description: 'Whether what is below counts too, as far as one may read it.',
      }),
    }),
    response: Type.Object({ volume: Type.Integer({ description: 'Bytes.' }) }),
  },
  'resource.attributes': {
    route: 'resource.attr',
    method: 'POST',
    path: '/api/component/resource/attr',
    summary: 'Some attributes of some resources.',
    body: Type.Object({
      resources: Type.Union(
        [
          Type.Array(Type.Integer({ minimum: 0 }), { maxItems: maxResourceIds }),
          Type.Object({
            type: Type.Unsafe<'search'>({ type: 'string', enum: ['search'] }),
            root: Type.Optional(Type.Integer({ minimum: 0 })),
          }),
        ],
        { description: 'Ids, or a search: all below `root`, itself included.' },
      ),
      attributes: Type.Array(Type.Array(Type.String({ maxLength: 255 }), { minItems: 1, maxItems: 4 }), {
        maxItems: maxAttributes,
        description:
          'Names with their arguments: `resource.cls` and whatever else representations have, `resource.parents`, ' +
          '`resource.is_deletable`, `resource.children_creatable`, `resource.has_permission` with the permission.',
      }),
    }),
    response: Type.Object({
      items: Type.Array(Type.Unsafe<[id: number, values: ([0, unknown] | [1])[]]>({ type: 'array' }), {
        description: 'Each id with its values in order: `[0, value]`, or `[1]` for what one may not see.',
      }),
    }),
  },
  'resource.blueprint': {
    route: 'resource.blueprint',
    method: 'GET',
    path: '/api/component/resource/blueprint',
    summary: 'Classes, scopes and categories.',
    response: AnyObjectSchema,
  },
  'resource.quota': {
    route: 'resource.quota',
    method: 'GET',
    path: '/api/resource/quota',
    summary: 'Most resources there may be, and how many one may read.',
    response: Type.Object({
      limit: Type.Union([Type.Integer(), Type.Null()], { description: 'Null: as many as fit.' }),
      resource_cls: Type.Union([Type.Array(Type.String()), Type.Null()], {
        description: 'Classes that count; null for all.',
      }),
      count: Type.Integer(),
    }),
  },
  'resource.quota_check': {
    route: 'resource.quota_check',
    method: 'POST',
    path: '/api/component/resource/check_quota',
    summary: 'Whether so many resources of some classes may still be made.',
    body: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      maxProperties: 100,
      description: 'Numbers by class.',
    }),
    bodySize: 'small',
    response: Type.Object({ success: Type.Boolean() }),
  },
} as const satisfies Record<string, RouteDescriptor>
