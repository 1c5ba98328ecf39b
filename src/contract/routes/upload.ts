import { UploadSchema } from '../bodies/resource.ts'
import { oneOf } from '../descriptor.ts'
import { EmptySchema, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const LoadedUploadSchema = Type.Object(
  {
    ...UploadSchema.properties,
    loading: Type.Optional(
      Type.Object(
        {
          step: oneOf(['reading', 'writing', 'indexing'], {
            description:
              'reading: the file is read, and features are written at the same time if the file declares its fields and geometry type; writing: the features are written; indexing: indexes are built.',
          }),
          features: Type.Integer({ description: 'Number of features processed in this step.' }),
          total: Type.Optional(Type.Integer({ description: 'Total number of features, if known.' })),
        },
        { description: 'Progress while the upload is loaded into a layer.' },
      ),
    ),
  },
  { additionalProperties: true },
)

const collection = {
  route: 'file_upload.collection',
  path: '/api/component/file_upload/',
  aliases: ['/api/component/file_upload/upload'],
  otherRoutes: { 'file_upload.upload': '/api/component/file_upload/upload' },
} as const
const item = {
  route: 'file_upload.item',
  path: '/api/component/file_upload/{uid}',
  params: Type.Object({
    uid: Type.String({
      pattern: '^[0-9a-f-]{32,36}$',
      description: 'Upload of the caller, or of a guest.',
    }),
  }),
} as const

/** Operations on uploads. */
export const uploadRoutes = {
  'upload.form': {
    ...collection,
    method: 'POST',
    takesKey: true,
    summary: 'Uploads files of a form, or starts a resumable upload (tus).',
    bodyKind: 'multipart',
    response: Type.Object({ upload_meta: Type.Array(UploadSchema) }),
  },
  'upload.raw': {
    ...collection,
    method: 'PUT',
    takesKey: true,
    summary: 'Uploads the body as one file.',
    bodyKind: 'raw',
    plain: { status: 201 },
    response: UploadSchema,
  },
  'upload.get': {
    ...item,
    method: 'GET',
    summary: 'Returns an upload and its load progress; HEAD returns the upload offset (tus).',
    response: LoadedUploadSchema,
  },
  'upload.append': {
    ...item,
    method: 'PATCH',
    summary: 'Uploads a part of a resumable upload (tus).',
    bodyKind: 'raw',
  },
  'upload.override': {
    ...item,
    method: 'POST',
    summary: 'Handles PATCH or DELETE by X-HTTP-Method-Override, for clients that cannot send them (tus).',
    bodyKind: 'raw',
  },
  'upload.delete': { ...item, method: 'DELETE', summary: 'Deletes an upload.', response: EmptySchema },
} as const satisfies Record<string, RouteDescriptor>
