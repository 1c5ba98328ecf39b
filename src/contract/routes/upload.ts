import { UploadSchema } from '../resource.ts'
import { EmptySchema, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

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
    response: UploadSchema,
  },
  'upload.get': {
    ...item,
    method: 'GET',
    summary: 'One upload; HEAD says how much of it is here (tus).',
    response: UploadSchema,
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
