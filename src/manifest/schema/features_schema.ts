import { maxExtended } from '../../contract/classes/feature_extensions.ts'
import { maxAttachments, maxDescription } from '../../contract/routes/attachment.ts'
import type { JsonSchema } from './field_schema.ts'

const path = { type: 'string', minLength: 1 }

const attachmentSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['path'],
  properties: {
    path: { ...path, description: 'Path or pattern, relative to the folder of the manifest.' },
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Name on the server; defaults to the name of the file. Not for patterns.',
    },
    mime_type: { type: 'string', description: 'Media type; the server derives it from the name if absent.' },
    description: { type: 'string', maxLength: 100_000, description: 'Description.' },
  },
}

/** Schema of `features:`: descriptions and attachments by key of feature. */
export const featuresSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['key'],
  properties: {
    key: { type: 'string', minLength: 1, description: 'Field that identifies a feature.' },
    descriptions: {
      type: 'object',
      maxProperties: maxExtended,
      additionalProperties: { type: 'string', minLength: 1, maxLength: maxDescription },
      description: 'Descriptions of all features, by the value of the key; other features have none.',
    },
    attachments: {
      type: 'object',
      maxProperties: maxExtended,
      additionalProperties: {
        type: 'array',
        maxItems: maxAttachments,
        items: { anyOf: [path, attachmentSchema] },
      },
      description:
        'Attachments of all features, by the value of the key: paths and patterns (photos/north/*.jpg), relative to the folder of the manifest; other features have none.',
    },
  },
  description: 'Descriptions and attachments of features. Absent parts are not managed.',
}
