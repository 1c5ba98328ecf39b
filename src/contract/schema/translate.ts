import { membersOf } from '../bodies/bodies.ts'
import type { Annotations } from '../descriptor.ts'
import { dialectName, documentName } from '../dialect/dialect.ts'
import { mapValue, mentioning, parts } from '../map_value.ts'
import type { Cls } from '../registry.ts'
import type { Schema } from './schema.ts'

/** Translates a value into another dialect by the keywords of its schema. */
export type Codec = (words: Annotations, value: unknown) => unknown

/** Translates the values in the members of a class into another dialect. */
export function translateMembers(
  cls: Cls,
  members: Readonly<Record<string, unknown>>,
  codec: Codec,
): Record<string, unknown> {
  const schemas = schemasOf(cls)
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined
      return [name, schema === undefined ? value : translate(schema, value, codec)]
    }),
  )
}

// Only members with values to translate are walked: a tree has tens of thousands of others.
const schemaCache = new Map<Cls, Readonly<Record<string, Schema>>>()

function schemasOf(cls: Cls): Readonly<Record<string, Schema>> {
  const known = schemaCache.get(cls)
  if (known !== undefined) return known
  const entries = Object.entries(membersOf(cls)).filter(([, schema]) => differs(schema as Schema))
  const schemas = Object.fromEntries(entries) as Record<string, Schema>
  schemaCache.set(cls, schemas)
  return schemas
}

/** Tells whether values of a schema may differ between dialects. */
const differs = mentioning(['x-class-name', 'x-form', 'x-ref'])

function translate(schema: Schema, value: unknown, codec: Codec): unknown {
  return mapValue(schema, value, {
    concerns: differs,
    replace: (words, found) =>
      words['x-class-name'] || words['x-form'] || words['x-ref'] ? codec(words, found) : parts,
  })
}

/** Translates values of any dialect into that of the document: class names, scales as strings, references. */
export const toDocumentForm: Codec = (words, value) => {
  if (words['x-class-name']) return typeof value === 'string' ? documentName(value) : value
  if (words['x-form'] === 'scale') return writeScale(value)
  const isObject = typeof value === 'object' && value !== null
  const form = words['x-ref']?.form
  if (form === 'id') return isObject && 'id' in value ? value.id : value
  return form === 'object' && isObject && 'id' in value ? { id: value.id } : value
}

/**
 * Translates values of the document into the NextGIS dialect: numbers for scales, and an object for the bookmark layer,
 * unlike other integer references.
 */
export const toNextgisForm: Codec = (words, value) => {
  if (words['x-class-name']) return typeof value === 'string' ? dialectName(value, 'nextgis') : value
  if (words['x-form'] === 'scale') return readScale(value)
  return words['x-ref']?.onDelete === 'clear' && typeof value === 'number' ? { id: value } : value
}

/** Formats a scale as in the document, `1 : 10000`, from a number or a string with any spacing. */
export function writeScale(value: unknown): unknown {
  const denominator = typeof value === 'number' ? value : readScale(value)
  return typeof denominator === 'number' ? `1 : ${denominator}` : value
}

function readScale(value: unknown): unknown {
  const digits = typeof value === 'string' ? /^1\s*:\s*(\d+)$/.exec(value.trim())?.[1] : undefined
  return digits === undefined ? value : Number(digits)
}
