import type { Datatype } from './geometry.ts'
import { Type } from './schema/type.ts'

/** Length of the digest of a key, and of that of a feature, in hexadecimal digits. */
export const digestLength = 16

/** Types of the values of a row that is digested, by their numbers in PostgreSQL. */
export const digestedTypes = {
  INTEGER: 23,
  BIGINT: 20,
  REAL: 701,
  STRING: 25,
  DATE: 1082,
  TIME: 1083,
  DATETIME: 1114,
  GEOMETRY: 17,
} as const satisfies Readonly<Record<Datatype | 'GEOMETRY', number>>

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
