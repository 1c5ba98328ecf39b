import type { TObject } from 'typebox'
import { ImportReportSchema } from '../import_report.ts'
import { type DataCls, dataClsNames, dataOf } from '../registry.ts'
import { UploadSchema } from '../resource.ts'
import { EmptySchema, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

/** Most operations of one batch. */
export const maxOperations = 20_000

/** Most steps in which the operations of a batch depend on one another. */
export const maxWaves = 300

/** Most metadata keys that the operations of a batch write. */
export const maxBatchMetadata = 200_000

const nameRules = { minLength: 1, maxLength: 255 } as const

/**
 * One operation of a batch. Wherever a resource is named by its id, a text is the local name of one that an earlier
 * operation of the batch creates.
 */
export const BatchOperationSchema = Type.Object({
  op: Type.Unsafe<'create' | 'update' | 'delete'>({
    type: 'string',
    enum: ['create', 'update', 'delete'],
    description: 'What is done.',
  }),
  name: Type.Optional(
    Type.String({
      ...nameRules,
      description: 'Local name of a resource that is created, for the operations behind this one.',
    }),
  ),
  id: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0 }), Type.String(nameRules)], {
      description: 'The resource that is changed or deleted: id, or local name.',
    }),
  ),
  if_version: Type.Optional(
    Type.Integer({ description: 'Version it must have, before this operation; any where absent.' }),
  ),
  body: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'As in the request that does the same by itself.',
    }),
  ),
})

const prepared = { route: 'landform.prepared.collection', path: '/api/component/landform/prepared' } as const

type SourceMember = TObject<{ source: typeof UploadSchema }>

/** Members that bring a source, by class. */
const sourceMembers = Object.fromEntries(
  dataClsNames.map((cls) => [
    cls,
    Type.Optional(
      Type.Object({ source: UploadSchema, ...dataOf(cls)?.options }, { additionalProperties: true }),
    ),
  ]),
) as unknown as { readonly [C in DataCls]: ReturnType<typeof Type.Optional<SourceMember>> }

/** Many changes in one transaction, and what is got ready before it. */
export const batchRoutes = {
  'resource.batch': {
    route: 'landform.batch',
    method: 'POST',
    forUsers: true,
    takesKey: true,
    path: '/api/component/landform/batch',
    databaseUse: 'load',
    summary: 'Creates, changes and deletes many resources in one transaction: all, or nothing.',
    body: Type.Object({
      operations: Type.Array(BatchOperationSchema, {
        maxItems: maxOperations,
        description: `Operations, in their order. They write at most ${maxBatchMetadata} metadata keys, and depend on each other in at most ${maxWaves} steps.`,
      }),
    }),
    bodySize: 'large',
    response: Type.Object({
      results: Type.Array(
        Type.Object({
          id: Type.Integer({ description: 'The resource.' }),
          version: Type.Optional(Type.Integer({ description: 'Version it has now; none where it is gone.' })),
        }),
        { description: 'One for each operation, in order.' },
      ),
    }),
  },
  'source.prepare': {
    ...prepared,
    method: 'POST',
    forUsers: true,
    takesKey: true,
    databaseUse: 'load',
    summary: 'Reads and checks the data of an upload, for a creation or a change to take over within a day.',
    body: Type.Object({
      cls: Type.String({
        maxLength: 255,
        description: `Class of the resource: ${dataClsNames.join(' or ')}.`,
      }),
      id: Type.Optional(
        Type.Integer({ minimum: 0, description: 'The layer whose data they are to replace.' }),
      ),
      ...sourceMembers,
    }),
    bodySize: 'small',
    response: Type.Object({
      id: Type.String({ description: 'What `source.prepared` of the layer names it by.' }),
      feature_count: Type.Optional(
        Type.Integer({ description: 'Features that are going to be in a vector layer.' }),
      ),
      bad_count: Type.Optional(
        Type.Integer({ description: 'Features that were left out because they are bad.' }),
      ),
      fields: Type.Optional(
        Type.Array(
          Type.Object({ keyname: Type.String(), datatype: Type.String(), display_name: Type.String() }),
          { description: 'Fields that a vector layer is going to have.' },
        ),
      ),
      report: Type.Optional(ImportReportSchema),
      replaces: Type.Optional(
        Type.Object(
          {
            feature_count: Type.Integer({ description: 'Features that the layer has now.' }),
            data_version: Type.Integer({ description: 'Version of its data.' }),
            lost_fields: Type.Array(
              Type.Object({
                keyname: Type.String(),
                value_count: Type.Integer({ description: 'Features that have a value in it.' }),
              }),
              { description: 'Fields of the layer with values, for which the source has none.' },
            ),
            lost_attachments: Type.Integer({ description: 'Attachments of features that would be deleted.' }),
            lost_descriptions: Type.Integer({
              description: 'Descriptions of features that would be deleted.',
            }),
          },
          { description: 'Data of the layer that the source is to replace.' },
        ),
      ),
      picture: Type.Optional(
        Type.Object(
          {
            srs: Type.Object({ id: Type.Integer() }),
            xsize: Type.Integer(),
            ysize: Type.Integer(),
            band_count: Type.Integer(),
          },
          { description: 'Picture that a raster layer is going to have.' },
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
    summary: 'Forgets data that were prepared.',
    response: EmptySchema,
  },
} as const satisfies Record<string, RouteDescriptor>
