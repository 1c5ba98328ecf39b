import type { Schema } from './schema.ts'

type Bounded = Schema & {
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly additionalProperties?: boolean | Schema
}

/**
 * Returns how many values a valid value has at most, of which lists and objects are some; infinite if its schema does not limit
 * them. Members that the schema does not name are not counted.
 */
export function maxValuesIn(schema: Schema): number {
  const { $ref, type, anyOf, oneOf } = schema
  const branches = anyOf ?? oneOf
  if (branches !== undefined) return Math.max(...branches.map(maxValuesIn))
  if ($ref !== undefined || type === undefined || Array.isArray(type)) return Number.POSITIVE_INFINITY
  return 1 + (type === 'array' ? maxItemsIn(schema) : type === 'object' ? maxMembersIn(schema) : 0)
}

function maxItemsIn({ items = {}, maxItems = Number.POSITIVE_INFINITY }: Bounded): number {
  return maxItems === 0 ? 0 : maxItems * maxValuesIn(items)
}

function maxMembersIn(schema: Bounded): number {
  const { properties, patternProperties, additionalProperties } = schema
  const [pattern] = Object.values(patternProperties ?? {})
  if (pattern !== undefined)
    return maxItemsIn({ items: pattern, maxItems: schema.maxProperties ?? Number.POSITIVE_INFINITY })
  if (properties === undefined || ![undefined, false].includes(additionalProperties as never))
    return Number.POSITIVE_INFINITY
  return Object.values(properties).reduce((sum, property) => sum + maxValuesIn(property), 0)
}
