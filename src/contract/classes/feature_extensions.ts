import { nullable, oneOf } from '../descriptor.ts'
import { AttachmentEntry, maxAttachments, maxDescription } from '../routes/attachment.ts'
import { Type } from '../schema/type.ts'

/** Maximum number of features whose descriptions and attachments one request changes. */
export const maxExtended = 200_000

/** Descriptions and attachments of features in requests, by key. */
export const FeatureExtensionsSchema = Type.Object({
  key: Type.String({ minLength: 1, maxLength: 255, description: 'Field that identifies a feature.' }),
  clear: Type.Optional(
    Type.Array(oneOf(['description', 'attachment']), {
      maxItems: 2,
      uniqueItems: true,
      description: 'What all features of the layer lose first.',
    }),
  ),
  items: Type.Array(
    Type.Object({
      key: Type.String({ description: 'Value of the field, as text.' }),
      description: Type.Optional(
        nullable(Type.String({ maxLength: maxDescription }), {
          description: 'Description; null removes it.',
        }),
      ),
      attachment: Type.Optional(
        Type.Array(AttachmentEntry, {
          maxItems: maxAttachments,
          description: 'Complete list of attachments: those with an id are kept, the others are created.',
        }),
      ),
    }),
    {
      maxItems: maxExtended,
      description:
        'Features to change; absent members keep their value. A feature that does not exist is an error unless it would only lose something.',
    },
  ),
})
