import { membersOf } from './bodies.ts'
import { type Annotations, annotationsOf } from './descriptor.ts'
import { dialectName, documentName } from './dialect.ts'
import type { Cls } from './registry.ts'
import { findSchemaFor, type Schema } from './schema.ts'

/** Gives a value the form another dialect has for it; the words are those of its schema. */
export type Codec = (words: Annotations, value: unknown) => unknown

/** Brings the values of a class's members into another dialect; what is not written differently stays as it is. */
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

// Only members that hold something to translate are walked; a tree has ten thousands of the others.
const schemaCache = new Map<Cls, Readonly<Record<string, Schema>>>()

function schemasOf(cls: Cls): Readonly<Record<string, Schema>> {
  const known = schemaCache.get(cls)
  if (known !== undefined) return known
  const entries = Object.entries(membersOf(cls)).filter(([, schema]) => differs(schema as Schema))
  const schemas = Object.fromEntries(entries) as Record<string, Schema>
  schemaCache.set(cls, schemas)
  return schemas
}

const differing = new WeakMap<Schema, boolean>()

/** Tells whether dialects may write values of a schema differently. */
function differs(schema: Schema): boolean {
  const known = differing.get(schema)
  if (known !== undefined) return known
  const found = /"x-(class-name|form|ref)"|"\$ref"/.test(JSON.stringify(schema))
  differing.set(schema, found)
  return found
}

function translate(schema: Schema, value: unknown, codec: Codec): unknown {
  if (value === null || value === undefined || !differs(schema)) return value
  const own = annotationsOf(schema)
  if (own['x-class-name'] || own['x-form']) return codec(own, value)
  const fitting = findSchemaFor(schema, value)
  if (fitting === undefined) return value
  const words = annotationsOf(fitting)
  if (words['x-ref']) return codec(words, value)
  if (Array.isArray(value)) {
    const { items } = fitting
    return items === undefined ? value : value.map((item) => translate(items, item, codec))
  }
  return typeof value === 'object' ? translateObject(fitting, value, codec) : value
}

function translateObject({ properties }: Schema, value: object, codec: Codec): object {
  if (properties === undefined) return value
  const translated: Record<string, unknown> = { ...value }
  for (const [name, member] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (schema !== undefined) translated[name] = translate(schema, member, codec)
  }
  return translated
}

/** The form of the documents, from either: class names, scales as text, references as the contract has them. */
export const toDocumentForm: Codec = (words, value) => {
  if (words['x-class-name']) return typeof value === 'string' ? documentName(value) : value
  if (words['x-form'] === 'scale') return writeScale(value)
  const isObject = typeof value === 'object' && value !== null
  const form = words['x-ref']?.form
  if (form === 'id') return isObject && 'id' in value ? value.id : value
  return form === 'object' && isObject && 'id' in value ? { id: value.id } : value
}

/**
 * The form of the sister dialect, from that of the documents: numbers for scales, and for a bookmark layer, alone among
 * bare references, an object.
 */
export const toSisterForm: Codec = (words, value) => {
  if (words['x-class-name']) return typeof value === 'string' ? dialectName(value, 'sister') : value
  if (words['x-form'] === 'scale') return readScale(value)
  return words['x-ref']?.onDelete === 'clear' && typeof value === 'number' ? { id: value } : value
}

/** Writes a scale the way of the documents, `1 : 10000`, from a number or from text however spaced. */
export function writeScale(value: unknown): unknown {
  const denominator = typeof value === 'number' ? value : readScale(value)
  return typeof denominator === 'number' ? `1 : ${denominator}` : value
}

function readScale(value: unknown): unknown {
  const digits = typeof value === 'string' ? /^1\s*:\s*(\d+)$/.exec(value.trim())?.[1] : undefined
  return digits === undefined ? value : Number(digits)
}
