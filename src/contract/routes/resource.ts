import { annotate } from '../descriptor.ts'
import { ImportReportSchema } from '../import_report.ts'
import { maxConditions } from '../limits.ts'
import { patterns } from '../pattern.ts'
import { AnyObjectSchema, EmptySchema, IdParams, list, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

const item = { route: 'resource.item', path: '/api/resource/{id}', params: IdParams } as const
const collection = { route: 'resource.collection', path: '/api/resource/' } as const
const parent = Type.Integer({ minimum: 0, description: 'Parent resource.' })

/** Beside what the API says, where the request brought a file along. */
const report = Type.Optional(annotate(ImportReportSchema, { 'x-extra': true }))

/** Answer to a creation. */
const CreatedSchema = Type.Object({
  id: Type.Integer(),
  parent: Type.Object({ id: Type.Integer() }),
  report,
})

/** Answer to a change. */
const ChangedSchema = Type.Object({ report })

/** Whether a permission holds, and why; reasons may have reasons of their own. */
const ExplanationSchema = Type.Object({
  result: Type.Boolean(),
  explain: Type.Array(AnyObjectSchema, {
    description:
      'Rules (`acl_rule`), required permissions (`requirement`, with their own `explain`), or `default` where none speaks.',
  }),
})

/** Most keynames that one request may ask for. */
export const maxKeynames = 10_000
/** Properties that resources are searched by, in the spellings that clients use. */
export const searchProperties = [
  'id',
  'cls',
  'parent',
  'parent_id',
  'parent__id',
  'owner_user',
  'owner_user_id',
  'owner_user__id',
  'keyname',
  'display_name',
  'description',
  'creation_date',
] as const

/** Words that say how metadata are compared; without one the value has to be equal as text. */
export const metadataOperators = ['like', 'ilike', 'json', 'has'] as const

const searchConditions = [
  ...searchProperties.flatMap((name) => [name, ...['in', 'like', 'ilike'].map((word) => `${name}__${word}`)]),
  'resmeta__{key}',
  'resmeta[{key}]',
  ...metadataOperators.map((word) => `resmeta__${word}[{key}]`),
]

/** Operations on resources. Bodies are composed of the class's members; `contract/bodies.ts` has their schemas. */
export const resourceRoutes = {
  'resource.get': {
    ...item,
    method: 'GET',
    summary: 'One resource.',
    permission: 'resource.read',
    plain: { holdsResources: true },
    response: AnyObjectSchema,
  },
  'resource.update': {
    ...item,
    method: 'PUT',
    databaseUse: 'load',
    summary: 'Changes a resource. Attributes sent as they are read change nothing and need no permission.',
    permission: 'resource.read',
    body: AnyObjectSchema,
    plain: { isNull: true },
    response: ChangedSchema,
  },
  'resource.delete': {
    ...item,
    method: 'DELETE',
    databaseUse: 'load',
    summary: 'Deletes a resource and all below it.',
    permission: 'resource.delete',
    plain: { isNull: true },
    response: EmptySchema,
  },
  'resource.list': {
    ...collection,
    method: 'GET',
    summary: 'Children of a resource.',
    query: query({ parent }),
    plain: { holdsResources: true },
    response: Type.Array(AnyObjectSchema),
  },
  'resource.create': {
    ...collection,
    method: 'POST',
    takesKey: true,
    databaseUse: 'load',
    summary: 'Creates a resource.',
    query: query({ parent, cls: Type.String({ description: 'Class.' }) }),
    body: AnyObjectSchema,
    plain: { status: 201 },
    response: CreatedSchema,
  },
  'resource.search': {
    route: 'resource.search',
    method: 'GET',
    path: '/api/resource/search/',
    summary: 'Resources whose properties have the given values.',
    query: query({
      serialization: Type.String({
        description: '`full` for whole representations, else only the resource key.',
      }),
      root: Type.Integer({ minimum: 0, description: 'Only the subtree of this resource, itself included.' }),
      parent_id__recursive: Type.Integer({ minimum: 0, description: 'Another name of root.' }),
      limit: Type.Integer({ minimum: 1, description: 'Most items of the answer.' }),
      offset: Type.Integer({ minimum: 0, description: 'Items to skip.' }),
    }),
    moreQuery: {
      pattern: '^(resmeta.*|[a-z][a-z_]*)$',
      examples: searchConditions,
      maxCount: maxConditions,
    },
    plain: { holdsResources: true },
    response: Type.Array(AnyObjectSchema),
  },
  'resource.permission': {
    route: 'resource.permission',
    method: 'GET',
    path: '/api/resource/{id}/permission',
    summary: 'Effective permissions on a resource.',
    params: IdParams,
    query: query({ user: Type.Integer({ description: 'Another user; needs change_permissions.' }) }),
    response: Type.Record(Type.String(), Type.Record(Type.String(), Type.Boolean())),
  },
  'resource.permission_explain': {
    route: 'resource.permission.explain',
    method: 'GET',
    path: '/api/resource/{id}/permission/explain',
    summary: 'Which rules and requirements decide permissions on a resource.',
    params: IdParams,
    query: query({
      scope: Type.String({ description: 'Only this scope.' }),
      permission: Type.String({ description: 'Only permissions of this name.' }),
      user: Type.Integer({ description: 'Another user; needs change_permissions.' }),
    }),
    response: Type.Record(Type.String(), Type.Record(Type.String(), ExplanationSchema)),
  },
  'resource.tree': {
    route: 'landform.resource.tree',
    method: 'GET',
    path: '/api/component/landform/tree',
    databaseUse: 'export',
    summary:
      'All readable resources of a subtree in one answer, as NDJSON: a head line, then one representation a line, without what the class implies: interfaces, scopes, and defaults within lists.',
    query: query({
      root: Type.Integer({ minimum: 0, description: 'Top of the subtree; 0 where absent.' }),
      keyname: list(Type.String(), {
        maxItems: 1000,
        description: 'Further resources to include, by keyname.',
      }),
    }),
    responseKind: 'stream',
  },
  'resource.keynames': {
    route: 'landform.resource.keynames',
    method: 'POST',
    path: '/api/component/landform/keynames',
    summary:
      'Which of some keynames belong to resources that the caller may not read. Needs a user: guests are refused.',
    body: Type.Object({
      keynames: Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: patterns.printable }), {
        maxItems: maxKeynames,
        description: 'Keynames to look for.',
      }),
    }),
    response: Type.Object({ unreadable: Type.Array(Type.String()) }),
  },
} as const satisfies Record<string, RouteDescriptor>
