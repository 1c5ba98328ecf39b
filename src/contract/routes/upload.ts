import { oneOf } from '../descriptor.ts'
import { UploadSchema } from '../resource.ts'
import { EmptySchema, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

const LoadedUploadSchema = Type.Object(
  {
    ...UploadSchema.properties,
    loading: Type.Optional(
      Type.Object(
        {
          step: oneOf(['reading', 'writing', 'indexing'], {
            description:
              'The file is looked at, and written meanwhile if it declares what it holds; else its features are written then; what is written is indexed.',
          }),
          features: Type.Integer({ description: 'Features that are done in this step.' }),
          total: Type.Optional(Type.Integer({ description: 'All there are, once they were counted.' })),
        },
        { description: 'How far it is, while it is read into a layer.' },
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
  params: Type.Object({ uid: Type.String({ pattern: '^[0-9a-f-]{32,36}$', description: 'Upload.' }) }),
} as const

/** Operations on uploads. */
export const uploadRoutes = {
  'upload.form': {
    ...collection,
    method: 'POST',
    takesKey: true,
    summary: 'Uploads files of a form, or begins an upload in parts (tus).',
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
    summary: 'One upload, and how far it is read into a layer; HEAD says how much of it is here (tus).',
    response: LoadedUploadSchema,
  },
  'upload.append': {
    ...item,
    method: 'PATCH',
    summary: 'Takes a part of an upload (tus).',
    bodyKind: 'raw',
  },
  'upload.override': {
    ...item,
    method: 'POST',
    summary: 'PATCH or DELETE, as X-HTTP-Method-Override says, for clients that cannot send them (tus).',
    bodyKind: 'raw',
  },
  'upload.delete': { ...item, method: 'DELETE', summary: 'Forgets an upload.', response: EmptySchema },
} as const satisfies Record<string, RouteDescriptor>
