import type { TObject } from 'typebox'
import { ImportReportSchema } from '../bodies/import_report.ts'
import { UploadSchema } from '../bodies/resource.ts'
import { StyleIssuesSchema } from '../bodies/style_issue.ts'
import { maxFields } from '../classes/feature_layer.ts'
import { type DataCls, dataClsNames, dataOf } from '../registry.ts'
import { EmptySchema, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

/** Maximum number of operations in a batch. */
export const maxOperations = 20_000

/** Maximum depth of dependencies between the operations of a batch. */
export const maxWaves = 300

/** Maximum number of metadata keys that the operations of a batch write. */
export const maxBatchMetadata = 200_000

/** Maximum number of resources that a deletion lists. */
export const maxListedDeletions = 200_000

const nameRules = { minLength: 1, maxLength: 255 } as const

/**
 * One operation of a batch. Wherever an id is expected, a string is the local name of a resource that an earlier
 * operation of the batch creates.
 */
export const BatchOperationSchema = Type.Object({
  op: Type.Unsafe<'create' | 'update' | 'delete'>({
    type: 'string',
    enum: ['create', 'update', 'delete'],
    description: 'Kind of operation.',
  }),
  name: Type.Optional(
    Type.String({
      ...nameRules,
      description: 'Local name of the created resource, for later operations of the batch.',
    }),
  ),
  id: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0 }), Type.String(nameRules)], {
      description:
        'Resource to change or delete: id or local name. Of a new resource: id of the deleted resource that it restores, which administrators and who deleted that one may do.',
    }),
  ),
  if_version: Type.Optional(
    Type.Integer({ description: 'Required version before this operation; any version if absent.' }),
  ),
  if_deletes: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.Integer({ minimum: 0, description: 'Resource.' }),
        data_version: Type.Optional(
          Type.Integer({ description: 'Required version of the data of a layer; any version if absent.' }),
        ),
      }),
      {
        maxItems: maxListedDeletions,
        description:
          'Only resources that a deletion may delete: the resource itself and those below it; all if absent.',
      },
    ),
  ),
  body: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'Body of the corresponding single request.',
    }),
  ),
})

const prepared = { route: 'landform.prepared.collection', path: '/api/component/landform/prepared' } as const

type SourceMember = TObject<{ source: typeof UploadSchema }>

/** Members with a source, by class. */
const sourceMembers = Object.fromEntries(
  dataClsNames.map((cls) => [
    cls,
    Type.Optional(
      Type.Object({ source: UploadSchema, ...dataOf(cls)?.options }, { additionalProperties: true }),
    ),
  ]),
) as unknown as { readonly [C in DataCls]: ReturnType<typeof Type.Optional<SourceMember>> }

/** Operations of batches: many changes in one transaction, and the sources prepared for them. */
export const batchRoutes = {
  'resource.batch': {
    route: 'landform.batch',
    method: 'POST',
    forUsers: true,
    takesKey: true,
    path: '/api/component/landform/batch',
    databaseUse: 'load',
    summary: 'Creates, changes and deletes resources in one transaction.',
    body: Type.Object({
      journal: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Entry of the journal that this batch completes.' }),
      ),
      operations: Type.Array(BatchOperationSchema, {
        maxItems: maxOperations,
        description: `Operations, in order, with at most ${maxBatchMetadata} metadata keys and ${maxWaves} levels of dependencies.`,
      }),
    }),
    bodySize: 'large',
    response: Type.Object({
      results: Type.Array(
        Type.Object({
          id: Type.Integer({ description: 'Resource.' }),
          version: Type.Optional(
            Type.Integer({ description: 'New version; absent if the resource was deleted.' }),
          ),
          style_issues: StyleIssuesSchema,
        }),
        { description: 'One result per operation, in the same order.' },
      ),
    }),
  },
  'source.prepare': {
    ...prepared,
    method: 'POST',
    forUsers: true,
    takesKey: true,
    databaseUse: 'load',
    summary: 'Reads and checks the data of an upload, for a creation or change within a day.',
    body: Type.Object({
      cls: Type.String({
        maxLength: 255,
        description: `Class of the resource: ${dataClsNames.join(' or ')}.`,
      }),
      id: Type.Optional(Type.Integer({ minimum: 0, description: 'Layer whose data to replace.' })),
      ...sourceMembers,
      feature_layer: Type.Optional(
        Type.Object(
          {
            fields: Type.Optional(
              Type.Array(
                Type.Object(
                  { keyname: Type.String(), datatype: Type.String() },
                  { additionalProperties: true },
                ),
                { maxItems: maxFields },
              ),
            ),
          },
          {
            additionalProperties: true,
            description: 'Datatypes to which the values of fields are converted while they are read.',
          },
        ),
      ),
    }),
    bodySize: 'small',
    response: Type.Object({
      id: Type.String({ description: 'Identifier, for `source.prepared` of the layer.' }),
      feature_count: Type.Optional(Type.Integer({ description: 'Number of features for a vector layer.' })),
      bad_count: Type.Optional(
        Type.Integer({ description: 'Number of invalid features that were skipped.' }),
      ),
      fields: Type.Optional(
        Type.Array(
          Type.Object({ keyname: Type.String(), datatype: Type.String(), display_name: Type.String() }),
          { description: 'Fields for a vector layer.' },
        ),
      ),
      report: Type.Optional(ImportReportSchema),
      replaces: Type.Optional(
        Type.Object(
          {
            feature_count: Type.Integer({ description: 'Current number of features in the layer.' }),
            data_version: Type.Integer({ description: 'Version of the data.' }),
            lost_fields: Type.Array(
              Type.Object({
                keyname: Type.String(),
                value_count: Type.Integer({ description: 'Number of features with a value in the field.' }),
              }),
              { description: 'Fields of the layer with values that the source does not have.' },
            ),
            lost_attachments: Type.Integer({
              description: 'Number of feature attachments that would be deleted.',
            }),
            lost_descriptions: Type.Integer({
              description: 'Number of feature descriptions that would be deleted.',
            }),
          },
          { description: 'Current data of the layer that the source replaces.' },
        ),
      ),
      raster: Type.Optional(
        Type.Object(
          {
            srs: Type.Object({ id: Type.Integer() }),
            xsize: Type.Integer(),
            ysize: Type.Integer(),
            band_count: Type.Integer(),
          },
          { description: 'Raster for a raster layer.' },
        ),
      ),
    }),
  },
  'source.discard': {
    route: 'landform.prepared.item',
    method: 'DELETE',
    path: '/api/component/landform/prepared/{uid}',
    params: Type.Object({ uid: Type.String({ pattern: '^[0-9a-f]{32}$', description: 'Prepared source.' }) }),
    databaseUse: 'load',
    summary: 'Deletes a prepared source.',
    response: EmptySchema,
  },
} as const satisfies Record<string, RouteDescriptor>
