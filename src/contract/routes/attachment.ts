import type { Static } from 'typebox'
import { nullable } from '../descriptor.ts'
import { EmptySchema, FeatureParams, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

/** Maximum number of attachments of a feature. */
export const maxAttachments = 1000

/** Maximum length of a feature description, in characters. */
export const maxDescription = 1_000_000

const labels = {
  name: Type.String({ minLength: 1, maxLength: 255, description: 'File name.' }),
  description: nullable(Type.String({ maxLength: 100_000 }), { description: 'Description.' }),
}

/** Members of an attachment in requests. */
const made = {
  name: Type.Optional(labels.name),
  size: Type.Optional(
    nullable(Type.Integer(), { description: 'Size in bytes; ignored: the size of the upload applies.' }),
  ),
  mime_type: Type.Optional(
    nullable(Type.String({ maxLength: 255 }), {
      description: 'Media type; defaults to the type of the upload.',
    }),
  ),
  description: Type.Optional(labels.description),
}

const upload = Type.Object(
  { id: Type.String({ maxLength: 255, description: 'Identifier of the upload.' }) },
  { additionalProperties: true },
)

/** New attachment, created from an upload. */
const AttachmentBody = Type.Object({ ...made, file_upload: upload }, { additionalProperties: true })

/** Attachment in the list of a feature in requests: an existing one, by id, or a new one. */
export const AttachmentEntry = Type.Object(
  {
    id: Type.Optional(
      nullable(Type.Integer(), { description: 'Identifier of an existing attachment to keep.' }),
    ),
    ...made,
    file_upload: Type.Optional(nullable(upload, { description: 'Upload of a new attachment.' })),
  },
  { additionalProperties: true },
)

/** Attachment in responses. */
export const AttachmentSchema = Type.Object({
  id: Type.Integer({ description: 'Identifier.' }),
  name: labels.name,
  size: Type.Integer({ description: 'Size in bytes.' }),
  mime_type: Type.String({ description: 'Media type.' }),
  description: labels.description,
  is_image: Type.Boolean({ description: 'Whether a preview is available.' }),
})

/** An attachment in responses. */
export type AnswerAttachment = Static<typeof AttachmentSchema>

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
    summary: 'Lists the attachments of a feature.',
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
    summary: 'Returns an attachment.',
    permission: 'data.read',
    response: AttachmentSchema,
  },
  'attachment.update': {
    ...item,
    method: 'PUT',
    summary: 'Changes the name and description of an attachment.',
    permission: 'data.write',
    body: Type.Object(
      { name: Type.Optional(labels.name), description: Type.Optional(labels.description) },
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
    summary: 'Downloads the file, or a range of it (Range).',
    params: AttachmentParams,
    permission: 'data.read',
    responseKind: 'file',
  },
  'attachment.image': {
    route: 'feature_attachment.image',
    method: 'GET',
    path: '/api/resource/{id}/feature/{fid}/attachment/{aid}/image',
    summary:
      'Returns a preview of an image: upright, with its aspect ratio, without metadata, never enlarged.',
    params: AttachmentParams,
    permission: 'data.read',
    query: query({
      size: Type.String({
        pattern: '^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$',
        examples: ['300x200'],
        description: 'Maximum width x maximum height, in pixels.',
      }),
    }),
    responseKind: 'image',
  },
} as const satisfies Record<string, RouteDescriptor>
