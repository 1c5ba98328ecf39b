import type TypeBox from 'typebox'
import type { TProperties, TSchema } from 'typebox'

/**
 * Builders of JSON Schema whose TypeScript types TypeBox computes: `Static<typeof Schema>`. What they give is plain JSON
 * Schema. These dozen are all that the contract is written in; the library itself is a type checker for JavaScript, and
 * loading it would take longer than most commands do.
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

/** Members that an object may lack: this is no word of JSON Schema, which lists those that it needs. */
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

/** Makes schemas. */
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
