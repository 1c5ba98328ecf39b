import { membersOf } from '../contract/bodies.ts'
import { annotationsOf } from '../contract/descriptor.ts'
import { type Dialect, dialectName, documentName } from '../contract/dialect.ts'
import type { Cls } from '../contract/registry.ts'

type Rename = (name: string) => string

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** Gives the members of a body under the names of the documents, whichever they came under. */
export function decodeMemberNames(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [documentName(name), value]))
}

/** Gives a body, whose members have the names of the documents, with the class names in its values decoded too. */
export function decodeBody(cls: Cls, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return renameMembers(cls, body, documentName)
}

/** Writes a representation in the names of a dialect. */
export function encodeRepresentation<T extends object>(cls: Cls, body: T, dialect: Dialect): T {
  if (dialect === 'document') return body
  const encode: Rename = (name) => dialectName(name, dialect)
  const renamed = renameMembers(cls, body as Record<string, unknown>, encode)
  return Object.fromEntries(Object.entries(renamed).map(([name, value]) => [encode(name), value])) as T
}

function renameMembers(
  cls: Cls,
  body: Readonly<Record<string, unknown>>,
  rename: Rename,
): Record<string, unknown> {
  const schemas = membersOf(cls)
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
      return [name, schema === undefined ? value : renameValues(schema as Schema, value, rename)]
    }),
  )
}

/** Copies a value with the class names in it renamed; the schema says where they stand. */
function renameValues(schema: Schema, value: unknown, rename: Rename): unknown {
  if (typeof value === 'string') return annotationsOf(schema as never)['x-class-name'] ? rename(value) : value
  if (!holdsClassNames(schema)) return value
  if (Array.isArray(value)) {
    const { items } = schema
    return items === undefined ? value : value.map((item) => renameValues(items, item, rename))
  }
  if (typeof value !== 'object' || value === null) return value
  const { properties = {} } = schema
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const inner = Object.hasOwn(properties, name) ? properties[name] : undefined
      return [name, inner === undefined ? member : renameValues(inner, member, rename)]
    }),
  )
}

const known = new WeakMap<object, boolean>()

/** Whether class names stand anywhere in values of a schema; most have none, and are not walked. */
function holdsClassNames(schema: Schema): boolean {
  const found = known.get(schema)
  if (found !== undefined) return found
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])]
  const holds = annotationsOf(schema as never)['x-class-name'] === true || inner.some(holdsClassNames)
  known.set(schema, holds)
  return holds
}
