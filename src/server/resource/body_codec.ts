import { type Dialect, dialectName, documentName } from '../../contract/dialect.ts'
import type { Cls } from '../../contract/registry.ts'
import { type Codec, toDocumentForm, toSisterForm, translateMembers } from '../../contract/translate.ts'

/** Gives the members of a body under the names of the documents, whichever they came under. */
export function decodeMemberNames(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [documentName(name), value]))
}

/**
 * Gives a body, whose members have the names of the documents, with the values in it decoded too: class names, and ids
 * of resources that came as objects.
 */
export function decodeBody(cls: Cls, body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return translateMembers(cls, body, readForm)
}

// Scales and objects are read as they come, so that an error shows what was sent.
const readForm: Codec = (words, value) =>
  words['x-form'] === undefined && words['x-ref']?.form !== 'object' ? toDocumentForm(words, value) : value

/** Writes a representation in the names and forms of a dialect. */
export function encodeRepresentation<T extends object>(cls: Cls, body: T, dialect: Dialect): T {
  if (dialect === 'document') return body
  const translated = translateMembers(cls, body as Record<string, unknown>, toSisterForm)
  return Object.fromEntries(
    Object.entries(translated).map(([name, value]) => [dialectName(name, dialect), value]),
  ) as T
}
