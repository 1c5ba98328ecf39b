import { type Cls, isCls } from '../registry.ts'
import { type Codec, toDocumentForm, toNextgisForm, translateMembers } from '../schema/translate.ts'
import { type Dialect, dialectName, documentName } from './dialect.ts'

/** Resource on the wire: members by name. */
export type WireResource = Readonly<Record<string, unknown>>

/** Translates the member names of a body from any dialect into those of the document. */
export function decodeMemberNames(body: WireResource): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [documentName(name), value]))
}

/**
 * Decodes the values of a request body whose members have the names of the document: class names, and ids of resources
 * sent as objects. Scales and objects stay unchanged, so that an error shows the original value.
 */
export function decodeBody(cls: Cls, body: WireResource): Record<string, unknown> {
  return translateMembers(cls, body, toRequestForm)
}

const toRequestForm: Codec = (words, value) =>
  words['x-form'] === undefined && words['x-ref']?.form !== 'object' ? toDocumentForm(words, value) : value

/**
 * Decodes a representation from any dialect into that of the document: class names, member names, scales as strings,
 * references as in the contract. Resources of unknown classes stay unchanged.
 */
export function decodeResource(wire: WireResource): WireResource {
  const cls = documentName(classOf(wire) ?? '')
  return isCls(cls) ? translateMembers(cls, decodeMemberNames(wire), toDocumentForm) : wire
}

function classOf(wire: WireResource): string | undefined {
  const cls = (wire.resource as { cls?: unknown } | undefined)?.cls
  return typeof cls === 'string' ? cls : undefined
}

/** Encodes a representation or a request body from the dialect of the document into another one. */
export function encodeResource<T extends object>(cls: string, body: T, dialect: Dialect): T {
  if (dialect === 'document' || !isCls(cls)) return body
  const translated = translateMembers(cls, decodeMemberNames(body as WireResource), toNextgisForm)
  return Object.fromEntries(
    Object.entries(translated).map(([name, value]) => [dialectName(name, dialect), value]),
  ) as T
}
