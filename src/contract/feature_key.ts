import { Type } from './type.ts'

/** Fields that identify a feature of a layer: one keyname, or a list. */
export const FeatureKeySchema = Type.Unsafe<string | readonly string[]>({
  type: ['string', 'array'],
  minLength: 1,
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', minLength: 1 },
  description:
    'Field that identifies a feature in the source and on the server, or several; only with mode sync.',
})
