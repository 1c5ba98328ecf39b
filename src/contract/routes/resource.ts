import { ImportReportSchema } from '../bodies/import_report.ts'
import { StyleIssuesSchema } from '../bodies/style_issue.ts'
import { annotate } from '../descriptor.ts'
import { maxConditions } from '../limits.ts'
import { AnyObjectSchema, EmptySchema, IdParams, list, query, type RouteDescriptor } from '../route.ts'
import { patterns } from '../schema/pattern.ts'
import { Type } from '../schema/type.ts'

const item = { route: 'resource.item', path: '/api/resource/{id}', params: IdParams } as const
const collection = { route: 'resource.collection', path: '/api/resource/' } as const
const parent = Type.Integer({ minimum: 0, description: 'Parent resource.' })

/** Extension of the original API, for requests with a file. */
const report = Type.Optional(annotate(ImportReportSchema, { 'x-extension': true }))

/** Answer to a creation. */
const CreatedSchema = Type.Object({
  id: Type.Integer(),
  parent: Type.Object({ id: Type.Integer() }),
  report,
  style_issues: StyleIssuesSchema,
})

/** Answer to a change. */
const ChangedSchema = Type.Object({ report, style_issues: StyleIssuesSchema })

/** Whether a permission is granted, and why; reasons may be nested. */
const ExplanationSchema = Type.Object({
  result: Type.Boolean(),
  explain: Type.Array(AnyObjectSchema, {
    description:
      'Rules (`acl_rule`), required permissions (`requirement`, with their own `explain`), or `default` if none applies.',
  }),
})

/** Maximum number of keynames in a request. */
export const maxKeynames = 10_000
/** Properties that resources can be searched by, in the spellings that clients use. */
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

/** Comparison operators of metadata; without one, the value is compared as a string. */
export const metadataOperators = ['like', 'ilike', 'json', 'has'] as const

const searchConditions = [
  ...searchProperties.flatMap((name) => [name, ...['in', 'like', 'ilike'].map((word) => `${name}__${word}`)]),
  'resmeta__{key}',
  'resmeta[{key}]',
  ...metadataOperators.map((word) => `resmeta__${word}[{key}]`),
]

/** Maximum number of keynames in a request for a tree. */
export const maxTreeKeynames = 1000

/** Maximum number of resources, keynames or names in a request for a part of a tree. */
export const maxPartItems = 10_000

const partIds = (description: string) =>
  Type.Optional(Type.Array(Type.Integer({ minimum: 0 }), { maxItems: maxPartItems, description }))

/** Part of a tree: all that is listed. */
const TreePartSchema = Type.Object({
  manifest: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Manifest whose managed or partly set resources are read.',
    }),
  ),
  managers: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: maxPartItems,
      description: 'Further manifests whose managed resources are read.',
    }),
  ),
  keynames: Type.Optional(
    Type.Array(Type.String(), { maxItems: maxPartItems, description: 'Resources by keyname.' }),
  ),
  ids: partIds('Resources by id.'),
  names: Type.Optional(
    Type.Array(Type.Object({ parent: Type.Integer({ minimum: 0 }), display_name: Type.String() }), {
      maxItems: maxPartItems,
      description: 'Resources by parent and display name.',
    }),
  ),
  below: partIds(
    'Resources with their descendants, the resources that use connections among these with their descendants, and the connections that these use.',
  ),
  referrers: partIds('Resources whose referrers are read, also those of their descendants.'),
})

/** Operations on resources. `contract/bodies.ts` has the schemas of the bodies, which depend on the class. */
export const resourceRoutes = {
  'resource.get': {
    ...item,
    method: 'GET',
    summary: 'Returns a resource.',
    permission: 'resource.read',
    plain: { holdsResources: true },
    response: AnyObjectSchema,
  },
  'resource.update': {
    ...item,
    method: 'PUT',
    databaseUse: 'load',
    summary: 'Changes a resource. Attributes with unchanged values need no permission.',
    permission: 'resource.read',
    body: AnyObjectSchema,
    plain: { isNull: true },
    response: ChangedSchema,
  },
  'resource.delete': {
    ...item,
    method: 'DELETE',
    databaseUse: 'load',
    summary: 'Deletes a resource with its descendants.',
    permission: 'resource.delete',
    plain: { isNull: true },
    response: EmptySchema,
  },
  'resource.list': {
    ...collection,
    method: 'GET',
    summary: 'Lists the children of a resource.',
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
    summary: 'Searches resources by their properties.',
    query: query({
      serialization: Type.String({
        description: '`full` for complete representations; otherwise only the member resource.',
      }),
      root: Type.Integer({
        minimum: 0,
        description: 'Limits the search to the subtree of this resource, including the resource.',
      }),
      parent_id__recursive: Type.Integer({ minimum: 0, description: 'Alias of root.' }),
      limit: Type.Integer({ minimum: 1, description: 'Maximum number of items to return.' }),
      offset: Type.Integer({ minimum: 0, description: 'Number of items to skip.' }),
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
    summary: 'Returns the effective permissions on a resource.',
    params: IdParams,
    query: query({ user: Type.Integer({ description: 'Another user; requires change_permissions.' }) }),
    response: Type.Record(Type.String(), Type.Record(Type.String(), Type.Boolean())),
  },
  'resource.permission_explain': {
    route: 'resource.permission.explain',
    method: 'GET',
    path: '/api/resource/{id}/permission/explain',
    summary: 'Explains which rules and requirements determine the permissions on a resource.',
    params: IdParams,
    query: query({
      scope: Type.String({ description: 'Only this scope.' }),
      permission: Type.String({ description: 'Only permissions of this name.' }),
      user: Type.Integer({ description: 'Another user; requires change_permissions.' }),
    }),
    response: Type.Record(Type.String(), Type.Record(Type.String(), ExplanationSchema)),
  },
  'resource.tree': {
    route: 'landform.resource.tree',
    method: 'GET',
    path: '/api/component/landform/tree',
    databaseUse: 'export',
    summary:
      'Returns all readable resources of a subtree as NDJSON: a header line, then one representation per line, without the interfaces and scopes of the class and without defaults within lists.',
    query: query({
      root: Type.Integer({ minimum: 0, description: 'Root of the subtree; defaults to 0.' }),
      keyname: list(Type.String(), {
        maxItems: maxTreeKeynames,
        description: 'Further resources to include, by keyname.',
      }),
    }),
    responseKind: 'stream',
  },
  'resource.tree_part': {
    route: 'landform.resource.tree',
    method: 'POST',
    path: '/api/component/landform/tree',
    databaseUse: 'export',
    summary:
      'Returns the readable resources that a plan of a manifest depends on, with those above them, as NDJSON like the tree. All resources if these are at least half of all; otherwise the header has `part`. `complete` is about all resources.',
    body: TreePartSchema,
    responseKind: 'stream',
  },
  'resource.keynames': {
    route: 'landform.resource.keynames',
    method: 'POST',
    path: '/api/component/landform/keynames',
    summary: 'Finds keynames that belong to resources the caller cannot read. Not available to guests.',
    body: Type.Object({
      keynames: Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: patterns.printable }), {
        maxItems: maxKeynames,
        description: 'Keynames to find.',
      }),
    }),
    response: Type.Object({ unreadable: Type.Array(Type.String()) }),
  },
} as const satisfies Record<string, RouteDescriptor>
