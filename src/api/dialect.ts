import type { membersOf } from '../contract/bodies.ts'
import { WebmapItemSchema } from '../contract/classes/webmap.ts'
import { annotationsOf } from '../contract/descriptor.ts'
import { type Dialect, dialectName, documentName, sisterNames } from '../contract/dialect.ts'
import { type Cls, descriptorOf, isCls } from '../contract/registry.ts'
import type { Schema } from '../contract/schema.ts'
import { type Codec, toDocumentForm, toSisterForm, translateMembers } from '../contract/translate.ts'

/** A resource as it goes over the wire: members by name. */
export type WireResource = Readonly<Record<string, unknown>>

/**
 * Brings a representation into the names and forms of the documents, in whichever dialect it came: class names,
 * member names, scales as text, references as the contract has them.
 */
export function toDocument(wire: WireResource): WireResource {
  const cls = documentName(classOf(wire) ?? '')
  if (!isCls(cls)) return wire
  return mapMembers(wire, cls, { name: documentName, codec: toDocumentForm })
}

/** Brings a request body into the names and forms that a server of the dialect reads. */
export function toDialect(body: WireResource, cls: string, dialect: Dialect): WireResource {
  if (dialect === 'document' || !isCls(cls)) return body
  return mapMembers(body, cls, { name: (name) => dialectName(name, dialect), codec: toSisterForm })
}

const sisterWords = new RegExp(Object.values(sisterNames).join('|'))

/**
 * Tells whether a representation of our own server may need `toDocument`: its text has a name of the sisters, or a
 * member of its class in their form. Most have neither.
 */
export function mayDiffer(text: string, wire: WireResource): boolean {
  const cls = classOf(wire) ?? ''
  return sisterWords.test(text) || !isCls(cls) || sisterForm(cls)?.test(text) === true
}

const formCache = new Map<string, RegExp | undefined>()

/**
 * Gives what finds the members that the sisters write in another form, scales as numbers and bare references as objects;
 * undefined for a class that has none.
 */
function sisterForm(cls: Cls): RegExp | undefined {
  if (formCache.has(cls)) return formCache.get(cls)
  const names = { scale: new Set<string>(), id: new Set<string>(), seen: new Set<Schema>() }
  for (const schema of Object.values(descriptorOf(cls).members)) listForms(schema as Schema, '', names)
  const forms = [
    ...[...names.scale].map((name) => `"${name}":[-0-9]`),
    ...[...names.id].map((name) => `"${name}":\\[?\\{`),
  ]
  const found = forms.length === 0 ? undefined : new RegExp(forms.join('|'))
  formCache.set(cls, found)
  return found
}

interface FormNames {
  readonly scale: Set<string>
  readonly id: Set<string>
  /** Web maps hold themselves. */
  readonly seen: Set<Schema>
}

function listForms(schema: Schema, name: string, into: FormNames): void {
  if (into.seen.has(schema)) return
  into.seen.add(schema)
  const words = annotationsOf(schema)
  if (words['x-form'] === 'scale') into.scale.add(name)
  if (words['x-ref']?.form === 'id') into.id.add(name)
  const referred = schema.$ref === undefined ? [] : [WebmapItemSchema as Schema]
  const items = schema.items === undefined ? [] : [schema.items]
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...referred, ...items])
    listForms(part, name, into)
  for (const [member, part] of Object.entries(schema.properties ?? {})) listForms(part, member, into)
}

function classOf(wire: WireResource): string | undefined {
  const cls = (wire.resource as { cls?: unknown } | undefined)?.cls
  return typeof cls === 'string' ? cls : undefined
}

interface Mapping {
  readonly name: (name: string) => string
  readonly codec: Codec
}

function mapMembers(
  wire: WireResource,
  cls: Parameters<typeof membersOf>[0],
  { name, codec }: Mapping,
): WireResource {
  const named = Object.entries(wire).map(([member, value]) => [documentName(member), value] as const)
  const translated = translateMembers(cls, Object.fromEntries(named), codec)
  return Object.fromEntries(Object.entries(translated).map(([member, value]) => [name(member), value]))
}
