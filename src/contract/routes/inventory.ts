import { nullable } from '../descriptor.ts'
import { maxResourceIds } from '../limits.ts'
import { AnyObjectSchema, EmptySchema, IdParams, list, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

/** Maximum number of attributes in a request. */
const maxAttributes = 50

const CountSchema = Type.Object({
  count: Type.Integer({ description: 'Resources.' }),
  resources: Type.Record(Type.String(), Type.Integer(), { description: 'Number of resources by class.' }),
})

const items = {
  route: 'resource.items.delete',
  path: '/api/resource/delete',
  query: query({
    resources: list(Type.Integer({ minimum: 0 }), {
      maxItems: maxResourceIds,
      description: 'Resources to delete, each with its descendants.',
    }),
    partial: Type.Boolean({
      description: 'Whether to skip resources that cannot be deleted; otherwise nothing is deleted.',
    }),
  }),
} as const

/** Operations that read or delete many resources at once. */
export const inventoryRoutes = {
  'resource.delete_check': {
    ...items,
    method: 'GET',
    summary: 'Counts the resources that a deletion would affect.',
    response: Type.Object({ affected: CountSchema, unaffected: CountSchema }),
  },
  'resource.delete_many': {
    ...items,
    method: 'POST',
    databaseUse: 'load',
    summary: 'Deletes several resources with their descendants.',
    response: EmptySchema,
  },
  'resource.volume': {
    route: 'resource.volume',
    method: 'GET',
    path: '/api/resource/{id}/volume',
    summary: 'Returns the storage volume of a resource in bytes: features with their indexes, and files.',
    params: IdParams,
    permission: 'resource.read',
    query: query({
      recursive: Type.Boolean({
        description: 'Whether to include the descendants that the caller can read.',
      }),
    }),
    response: Type.Object({ volume: Type.Integer({ description: 'Bytes.' }) }),
  },
  'resource.contents': {
    route: 'landform.resource.contents',
    method: 'POST',
    path: '/api/component/landform/contents',
    databaseUse: 'export',
    forUsers: true,
    summary:
      'Returns what readable resources hold, and who changed them last; of data, for those who can read them.',
    body: Type.Object({
      resources: Type.Array(Type.Integer({ minimum: 0 }), {
        maxItems: maxResourceIds,
        description: 'Resources, without their descendants.',
      }),
    }),
    response: Type.Array(
      Type.Object({
        id: Type.Integer({ description: 'Resource.' }),
        attachments: Type.Optional(
          Type.Integer({ description: 'Number of files attached to its features.' }),
        ),
        bytes: Type.Optional(Type.Number({ description: 'Storage of features, files and styles.' })),
        changed: Type.String({
          description: 'Last change of the resource or its data: UTC, ISO 8601 without time zone.',
        }),
        user: nullable(Type.String(), { description: 'Keyname of who made it; null if unknown.' }),
        data_changed: Type.Optional(
          Type.String({
            description: 'Last change of the data alone, with descriptions and attachments of features; UTC.',
          }),
        ),
        data_user: Type.Optional(
          nullable(Type.String(), { description: 'Keyname of who changed the data; null if unknown.' }),
        ),
        changed_features: Type.Optional(
          Type.Array(
            Type.Object({
              since: Type.Integer({
                description: 'Version of the data after which the features changed, up to the list before.',
              }),
              features: Type.Array(Type.Integer(), { description: 'Ids, also of deleted features.' }),
            }),
            {
              description:
                'Features of a vector layer that changed last, newest change first, back to the first change that is too large, too old or of the whole layer.',
            },
          ),
        ),
      }),
    ),
  },
  'resource.attributes': {
    route: 'resource.attr',
    method: 'POST',
    path: '/api/component/resource/attr',
    summary: 'Returns selected attributes of resources.',
    body: Type.Object({
      resources: Type.Union(
        [
          Type.Array(Type.Integer({ minimum: 0 }), { maxItems: maxResourceIds }),
          Type.Object({
            type: Type.Unsafe<'search'>({ type: 'string', enum: ['search'] }),
            root: Type.Optional(Type.Integer({ minimum: 0 })),
          }),
        ],
        { description: 'Ids, or a search: the subtree of `root`, including `root`.' },
      ),
      attributes: Type.Array(Type.Array(Type.String({ maxLength: 255 }), { minItems: 1, maxItems: 4 }), {
        maxItems: maxAttributes,
        description:
          'Names with their arguments: `resource.cls` and other members of the representation, `resource.parents`, ' +
          '`resource.is_deletable`, `resource.children_creatable`, `resource.has_permission` with the permission.',
      }),
    }),
    response: Type.Object({
      items: Type.Array(Type.Unsafe<[id: number, values: ([0, unknown] | [1])[]]>({ type: 'array' }), {
        description:
          'Each id with its values in order: `[0, value]`, or `[1]` for values that the caller cannot read.',
      }),
    }),
  },
  'resource.blueprint': {
    route: 'resource.blueprint',
    method: 'GET',
    path: '/api/component/resource/blueprint',
    summary: 'Lists classes, scopes and categories.',
    response: AnyObjectSchema,
  },
  'resource.quota': {
    route: 'resource.quota',
    method: 'GET',
    path: '/api/resource/quota',
    summary: 'Returns the resource quota and the number of readable resources.',
    response: Type.Object({
      limit: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Maximum number of resources; null for no limit.',
      }),
      resource_cls: Type.Union([Type.Array(Type.String()), Type.Null()], {
        description: 'Classes that count towards the quota; null for all.',
      }),
      count: Type.Integer(),
    }),
  },
  'resource.quota_check': {
    route: 'resource.quota_check',
    method: 'POST',
    path: '/api/component/resource/check_quota',
    summary: 'Checks whether the quota allows a number of new resources by class.',
    body: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      maxProperties: 100,
      description: 'Number of new resources by class.',
    }),
    bodySize: 'small',
    response: Type.Object({ success: Type.Boolean() }),
  },
} as const satisfies Record<string, RouteDescriptor>
