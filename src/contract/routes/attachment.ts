import { nullable } from '../descriptor.ts'
import { EmptySchema, FeatureParams, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../type.ts'

const own = {
  name: Type.String({ minLength: 1, maxLength: 255, description: 'File name.' }),
  description: nullable(Type.String({ maxLength: 100_000 }), { description: 'Description.' }),
}

/** What an attachment is made of. */
const made = {
  name: Type.Optional(own.name),
  size: Type.Optional(nullable(Type.Integer(), { description: 'Size in bytes; that of the upload counts.' })),
  mime_type: Type.Optional(
    nullable(Type.String({ maxLength: 255 }), {
      description: 'Media type; that of the upload where absent.',
    }),
  ),
  description: Type.Optional(own.description),
}

const upload = Type.Object(
  { id: Type.String({ maxLength: 255, description: 'Identifier of the upload.' }) },
  { additionalProperties: true },
)

/** An attachment that is to be made of an upload. */
const AttachmentBody = Type.Object({ ...made, file_upload: upload }, { additionalProperties: true })

/** An attachment in the list of its feature, as requests carry it: one that stands, by its id, or a new one. */
export const AttachmentEntry = Type.Object(
  {
    id: Type.Optional(nullable(Type.Integer(), { description: 'Identifier of one that stays.' })),
    ...made,
    file_upload: Type.Optional(nullable(upload, { description: 'Upload that a new one is made of.' })),
  },
  { additionalProperties: true },
)

const AttachmentSchema = Type.Object({
  id: Type.Integer({ description: 'Identifier.' }),
  name: own.name,
  size: Type.Integer({ description: 'Size in bytes.' }),
  mime_type: Type.String({ description: 'Media type.' }),
  description: own.description,
  is_image: Type.Boolean({ description: 'Whether there is a preview.' }),
})

const IdAnswer = Type.Object({ id: Type.Integer() })
const AttachmentParams = Type.Object({
  ...FeatureParams.properties,
  aid: Type.Integer({ description: 'Attachment.' }),
})
const collection = {
  route: 'feature_attachment.collection',
  path: '/api/resource/{id}/feature/{fid}/attachment/',
  params: FeatureParams,
} as const
const item = {
  route: 'feature_attachment.item',
  path: '/api/resource/{id}/feature/{fid}/attachment/{aid}',
  params: AttachmentParams,
} as const

/** Operations on the attachments of a feature. */
export const attachmentRoutes = {
  'attachment.list': {
    ...collection,
    method: 'GET',
    summary: 'Attachments of a feature.',
    permission: 'data.read',
    response: Type.Array(AttachmentSchema),
  },
  'attachment.create': {
    ...collection,
    method: 'POST',
    takesKey: true,
    summary: 'Attaches an upload to a feature.',
    permission: 'data.write',
    body: AttachmentBody,
    response: IdAnswer,
  },
  'attachment.get': {
    ...item,
    method: 'GET',
    summary: 'One attachment.',
    permission: 'data.read',
    response: AttachmentSchema,
  },
  'attachment.update': {
    ...item,
    method: 'PUT',
    summary: 'Changes name and description.',
    permission: 'data.write',
    body: Type.Object(
      { name: Type.Optional(own.name), description: Type.Optional(own.description) },
      { additionalProperties: true },
    ),
    response: IdAnswer,
  },
  'attachment.delete': {
    ...item,
    method: 'DELETE',
    summary: 'Deletes an attachment.',
    permission: 'data.write',
    response: EmptySchema,
  },
  'attachment.download': {
    route: 'feature_attachment.download',
    method: 'GET',
    path: '/api/resource/{id}/feature/{fid}/attachment/{aid}/download',
    summary: 'The file, whole or in part (Range).',
    params: AttachmentParams,
    permission: 'data.read',
    responseKind: 'file',
  },
  'attachment.image': {
    route: 'feature_attachment.image',
    method: 'GET',
    path: '/api/resource/{id}/feature/{fid}/attachment/{aid}/image',
    summary: 'Preview of a picture: upright, in proportion, without metadata, never enlarged.',
    params: AttachmentParams,
    permission: 'data.read',
    query: query({
      size: Type.String({
        pattern: '^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$',
        examples: ['300x200'],
        description: 'Most width x most height, in pixels.',
      }),
    }),
    responseKind: 'image',
  },
} as const satisfies Record<string, RouteDescriptor>
