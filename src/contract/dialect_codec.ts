import { type Dialect, dialectName, documentName } from './dialect.ts'
import { type Cls, isCls } from './registry.ts'
import { type Codec, toDocumentForm, toSisterForm, translateMembers } from './translate.ts'

/** A resource as it goes over the wire: members by name. */
export type WireResource = Readonly<Record<string, unknown>>

/** Gives the members of a body under the names of the documents, whichever they came under. */
export function decodeMemberNames(body: WireResource): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [documentName(name), value]))
}

/**
 * Decodes the values of a request body whose members have the names of the documents: class names, and ids of resources
 * that came as objects. Scales and objects stay as they are, so that an error shows what was sent.
 */
export function decodeBody(cls: Cls, body: WireResource): Record<string, unknown> {
  return translateMembers(cls, body, toRequestForm)
}

const toRequestForm: Codec = (words, value) =>
  words['x-form'] === undefined && words['x-ref']?.form !== 'object' ? toDocumentForm(words, value) : value

/**
 * Decodes a representation, in whichever dialect it came, into the names and forms of the documents: class names, member
 * names, scales as text, references as the contract has them. Classes that the contract does not know stay as they are.
 */
export function decodeResource(wire: WireResource): WireResource {
  const cls = documentName(classOf(wire) ?? '')
  return isCls(cls) ? translateMembers(cls, decodeMemberNames(wire), toDocumentForm) : wire
}

function classOf(wire: WireResource): string | undefined {
  const cls = (wire.resource as { cls?: unknown } | undefined)?.cls
  return typeof cls === 'string' ? cls : undefined
}

/** Encodes a representation or a request body, written in the names of the documents, in the names and forms of a dialect. */
export function encodeResource<T extends object>(cls: string, body: T, dialect: Dialect): T {
  if (dialect === 'document' || !isCls(cls)) return body
  const translated = translateMembers(cls, decodeMemberNames(body as WireResource), toSisterForm)
  return Object.fromEntries(
    Object.entries(translated).map(([name, value]) => [dialectName(name, dialect), value]),
  ) as T
}
