import type TypeBox from 'typebox'
import type { TProperties, TSchema } from 'typebox'

/**
 * Builders of plain JSON Schema, with the static types of TypeBox: `Static<typeof Schema>`. The contract needs only
 * these dozen builders, and loading the library would take longer than most commands.
 */
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>

/** Optional members: JSON Schema has no keyword for them, only a list of required ones. */
const optional = new WeakSet<object>()

const plain =
  (type: string) =>
  (options?: object): object => ({ type, ...options })

function objectOf(properties: TProperties, options?: object): object {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name] as TSchema))
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options }
}

function optionalOf(schema: TSchema): object {
  const copy = { ...schema }
  optional.add(copy)
  return copy
}

/** Schema builders. */
export const Type = {
  Array: (items: TSchema, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: plain('boolean'),
  Integer: plain('integer'),
  Null: plain('null'),
  Number: plain('number'),
  Object: objectOf,
  Optional: optionalOf,
  Record: (_keys: TSchema, values: TSchema, options?: object) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  String: plain('string'),
  Union: (anyOf: readonly TSchema[], options?: object) => ({ anyOf, ...options }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: TSchema) => (optional.has(schema) ? optionalOf(schema) : { ...schema }),
} as unknown as Builders
