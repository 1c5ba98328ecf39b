import { membersOf } from '../contract/bodies.ts'
import { type Annotations, annotationsOf } from '../contract/descriptor.ts'
import { type Dialect, dialectName, documentName, sisterNames } from '../contract/dialect.ts'
import { descriptorOf, isCls } from '../contract/registry.ts'
import { findSchemaFor, type Schema } from '../contract/schema.ts'

/** A resource as it goes over the wire: members by name. */
export type WireResource = Readonly<Record<string, unknown>>

type Codec = (words: Annotations, value: unknown) => unknown

/**
 * Brings a representation into the names and forms of the documents, in whichever dialect it came: class names,
 * member names, scales as text, references as the contract has them.
 */
export function toDocument(wire: WireResource): WireResource {
  const cls = documentName(classOf(wire) ?? '')
  if (!isCls(cls)) return wire
  return mapMembers(wire, cls, { name: documentName, codec: decode })
}

/** Brings a request body into the names and forms that a server of the dialect reads. */
export function toDialect(body: WireResource, cls: string, dialect: Dialect): WireResource {
  if (dialect === 'document' || !isCls(cls)) return body
  return mapMembers(body, cls, { name: (name) => dialectName(name, dialect), codec: encode })
}

const sisterWords = new RegExp(Object.values(sisterNames).join('|'))

/**
 * Tells whether a representation of our own server may need `toDocument`: its text has a name of the sisters, or its
 * class has members that the dialects write in different forms. Most have neither.
 */
export function mayDiffer(text: string, wire: WireResource): boolean {
  const cls = classOf(wire) ?? ''
  return sisterWords.test(text) || !isCls(cls) || hasForms(cls)
}

const formCache = new Map<string, boolean>()

function hasForms(cls: Parameters<typeof membersOf>[0]): boolean {
  const known = formCache.get(cls)
  if (known !== undefined) return known
  const found = /"x-form":"scale"|"form":"id"|"\$ref"/.test(JSON.stringify(descriptorOf(cls).members))
  formCache.set(cls, found)
  return found
}

function classOf(wire: WireResource): string | undefined {
  const cls = (wire.resource as { cls?: unknown } | undefined)?.cls
  return typeof cls === 'string' ? cls : undefined
}

interface Mapping {
  readonly name: (name: string) => string
  readonly codec: Codec
}

function mapMembers(wire: WireResource, cls: Parameters<typeof membersOf>[0], { name, codec }: Mapping) {
  const schemas = schemasOf(cls)
  const mapped: Record<string, unknown> = {}
  for (const [member, value] of Object.entries(wire)) {
    const schema = schemas[documentName(member)]
    mapped[name(member)] = schema === undefined ? value : walk(schema, value, codec)
  }
  return mapped
}

// Only members that hold something to translate are walked; a tree has ten thousands of the others.
const schemaCache = new Map<string, Readonly<Record<string, Schema>>>()

function schemasOf(cls: Parameters<typeof membersOf>[0]): Readonly<Record<string, Schema>> {
  const known = schemaCache.get(cls)
  if (known !== undefined) return known
  const entries = Object.entries(membersOf(cls)).filter(([, schema]) =>
    /"x-(class-name|form|ref)"|"\$ref"/.test(JSON.stringify(schema)),
  )
  const schemas = Object.fromEntries(entries) as Record<string, Schema>
  schemaCache.set(cls, schemas)
  return schemas
}

function walk(schema: Schema, value: unknown, codec: Codec): unknown {
  if (value === null || value === undefined) return value
  const own = annotationsOf(schema)
  if (own['x-class-name'] || own['x-form']) return codec(own, value)
  const fitting = findSchemaFor(schema, value)
  if (fitting === undefined) return value
  const words = annotationsOf(fitting)
  if (words['x-ref']) return codec(words, value)
  if (Array.isArray(value)) {
    const { items } = fitting
    return items === undefined ? value : value.map((item) => walk(items, item, codec))
  }
  return typeof value === 'object' ? walkObject(fitting, value, codec) : value
}

function walkObject({ properties }: Schema, value: object, codec: Codec): object {
  if (properties === undefined) return value
  const mapped: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    mapped[name] = schema === undefined ? member : walk(schema, member, codec)
  }
  return mapped
}

const decode: Codec = (words, value) => {
  if (words['x-class-name']) return typeof value === 'string' ? documentName(value) : value
  if (words['x-form'] === 'scale') return formatScale(value)
  const reference = words['x-ref']
  if (reference === undefined) return value
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value
  return reference.form === 'id' ? id : { id }
}

// The sisters want numbers for scales; a bookmark layer is the one bare reference that they write as an object.
const encode: Codec = (words, value) => {
  if (words['x-class-name']) return typeof value === 'string' ? dialectName(value, 'sister') : value
  if (words['x-form'] === 'scale') return parseScale(value)
  const reference = words['x-ref']
  return reference?.onDelete === 'clear' && typeof value === 'number' ? { id: value } : value
}

/** Writes a scale the way of the documents, `1 : 10000`, from a number or from text however spaced. */
export function formatScale(value: unknown): unknown {
  const denominator = typeof value === 'number' ? value : parseScale(value)
  return typeof denominator === 'number' ? `1 : ${denominator}` : value
}

function parseScale(value: unknown): unknown {
  const digits = typeof value === 'string' ? /^1\s*:\s*(\d+)$/.exec(value.trim())?.[1] : undefined
  return digits === undefined ? value : Number(digits)
}
