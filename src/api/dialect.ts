import type { membersOf } from '../contract/bodies.ts'
import { type Dialect, dialectName, documentName } from '../contract/dialect.ts'
import { isCls } from '../contract/registry.ts'
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
