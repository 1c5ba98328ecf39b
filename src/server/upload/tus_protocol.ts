import type { IncomingHttpHeaders } from 'node:http'
import { basename } from 'node:path/posix'
import { problem } from '../../contract/problems.ts'
import { tus } from '../../contract/tus.ts'

/** Tells whether a request speaks of an upload in parts. */
export function isTus(headers: IncomingHttpHeaders): boolean {
  return headers[tus.header] !== undefined
}

/**
 * Checks the version that a request speaks.
 *
 * @throws {Problem} upload/version
 */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = headers[tus.header]
  if (version !== tus.version)
    throw problem(
      'upload/version',
      `The server speaks version ${tus.version} of tus, not ${version ?? 'none'}.`,
    )
}

/**
 * Checks that the body of a request is a part.
 *
 * @throws {Problem} upload/media-type
 */
export function checkMediaType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']
  if (type !== tus.mediaType)
    throw problem('upload/media-type', `A part comes as ${tus.mediaType}, not as ${type ?? 'nothing'}.`)
}

/**
 * Reads a header that counts bytes.
 *
 * @throws {Problem} request/bad-header where it is missing, or no count
 */
export function readBytes(headers: IncomingHttpHeaders, name: 'upload-length' | 'upload-offset'): number {
  const text = headers[name]
  const count = Number(text)
  if (typeof text === 'string' && /^\d+$/.test(text) && Number.isSafeInteger(count)) return count
  throw badHeader(name, `takes a number of bytes, got ${text === undefined ? 'none' : JSON.stringify(text)}`)
}

/** What a client says of an upload. */
export interface UploadMetadata {
  readonly name: string | null
  readonly mimeType: string | null
  /** All of it, as it came. */
  readonly metadata: string | null
}

/**
 * Reads what a client says of an upload: names in the clear, values in base64.
 *
 * @throws {Problem} request/bad-header
 */
export function readMetadata(headers: IncomingHttpHeaders): UploadMetadata {
  const text = headers['upload-metadata']?.toString().trim() ?? ''
  const values = new Map<string, string>()
  for (const pair of text === '' ? [] : text.split(',')) {
    const [name = '', value = '', ...more] = pair.trim().split(' ')
    if (name === '' || values.has(name) || more.length > 0 || !isBase64(value))
      throw badHeader('upload-metadata', `takes names and values in base64, got ${JSON.stringify(pair)}`)
    values.set(name, decode(value))
  }
  const name = values.get('name') ?? values.get('filename') ?? ''
  return {
    name: basename(name.replaceAll('\\', '/')) || null,
    mimeType: (values.get('mime_type') ?? values.get('filetype')) || null,
    metadata: text === '' ? null : text,
  }
}

/** What the bytes of a part come to. */
export interface Checksum {
  readonly algorithm: string
  readonly digest: Buffer
}

/**
 * Reads the checksum of a part, where it has one.
 *
 * @throws {Problem} request/bad-header, for an unknown algorithm too
 */
export function readChecksum(headers: IncomingHttpHeaders): Checksum | undefined {
  const text = headers['upload-checksum']?.toString()
  if (text === undefined) return undefined
  const [algorithm = '', value = '', ...more] = text.trim().split(' ')
  if (!tus.checksums.some((known) => known === algorithm))
    throw badHeader('upload-checksum', `takes ${tus.checksums.join(', ')}, got ${JSON.stringify(algorithm)}`)
  if (value === '' || more.length > 0 || !isBase64(value))
    throw badHeader(
      'upload-checksum',
      `takes an algorithm and a digest in base64, got ${JSON.stringify(text)}`,
    )
  return { algorithm, digest: Buffer.from(value, 'base64') }
}

/** Headers that say what the server can do. */
export function serverHeaders(maxBytes: number): Record<string, string> {
  return {
    'tus-version': tus.version,
    'tus-extension': tus.extensions.join(),
    'tus-max-size': String(maxBytes),
    'tus-checksum-algorithm': tus.checksums.join(),
  }
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

// Control characters have no place in a name, and the database takes no NUL.
function decode(value: string): string {
  return Buffer.from(value, 'base64')
    .toString('utf8')
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
}

function badHeader(name: string, message: string) {
  return problem('request/bad-header', `The header ${name} ${message}.`)
}
