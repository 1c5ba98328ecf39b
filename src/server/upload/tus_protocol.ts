import type { IncomingHttpHeaders } from 'node:http'
import { basename } from 'node:path/posix'
import { tus } from '../../contract/bodies/tus.ts'
import { problem } from '../../contract/problems.ts'

/** Tells whether a request uses the tus protocol. */
export function isTus(headers: IncomingHttpHeaders): boolean {
  return headers[tus.header] !== undefined
}

/**
 * Checks the tus version of a request.
 *
 * @throws {Problem} upload/version
 */
export function checkVersion(headers: IncomingHttpHeaders): void {
  const version = headers[tus.header]
  if (version !== tus.version)
    throw problem(
      'upload/version',
      `The server supports tus version ${tus.version}, got ${version ?? 'none'}.`,
    )
}

/**
 * Checks that the body of a request has the media type of an upload part.
 *
 * @throws {Problem} upload/media-type
 */
export function checkMediaType(headers: IncomingHttpHeaders): void {
  const type = headers['content-type']
  if (type !== tus.mediaType)
    throw problem(
      'upload/media-type',
      `The Content-Type of a part must be ${tus.mediaType}, got ${type ?? 'none'}.`,
    )
}

/**
 * Parses a header with a number of bytes.
 *
 * @throws {Problem} request/bad-header if it is missing or not a number
 */
export function readBytes(headers: IncomingHttpHeaders, name: 'upload-length' | 'upload-offset'): number {
  const text = headers[name]
  const count = Number(text)
  if (typeof text === 'string' && /^\d+$/.test(text) && Number.isSafeInteger(count)) return count
  throw badHeader(
    name,
    `must be a number of bytes, got ${text === undefined ? 'none' : JSON.stringify(text)}`,
  )
}

/** Metadata of an upload, as sent by the client. */
export interface UploadMetadata {
  readonly name: string | null
  readonly mimeType: string | null
  /** Complete header as sent. */
  readonly metadata: string | null
}

/**
 * Parses the Upload-Metadata header: plain names, values in base64.
 *
 * @throws {Problem} request/bad-header
 */
export function readMetadata(headers: IncomingHttpHeaders): UploadMetadata {
  const text = headers['upload-metadata']?.toString().trim() ?? ''
  const values = new Map<string, string>()
  for (const pair of text === '' ? [] : text.split(',')) {
    const [name = '', value = '', ...more] = pair.trim().split(' ')
    if (name === '' || values.has(name) || more.length > 0 || !isBase64(value))
      throw badHeader(
        'upload-metadata',
        `must contain names with values in base64, got ${JSON.stringify(pair)}`,
      )
    values.set(name, decode(value))
  }
  const name = values.get('name') ?? values.get('filename') ?? ''
  return {
    name: basename(name.replaceAll('\\', '/')) || null,
    mimeType: (values.get('mime_type') ?? values.get('filetype')) || null,
    metadata: text === '' ? null : text,
  }
}

/** Checksum of a part. */
export interface Checksum {
  readonly algorithm: string
  readonly digest: Buffer
}

/**
 * Parses the checksum header of a part; undefined without one.
 *
 * @throws {Problem} request/bad-header, also for an unknown algorithm
 */
export function readChecksum(headers: IncomingHttpHeaders): Checksum | undefined {
  const text = headers['upload-checksum']?.toString()
  if (text === undefined) return undefined
  const [algorithm = '', value = '', ...more] = text.trim().split(' ')
  if (!tus.checksums.some((known) => known === algorithm))
    throw badHeader(
      'upload-checksum',
      `supports ${tus.checksums.join(', ')}, got ${JSON.stringify(algorithm)}`,
    )
  if (value === '' || more.length > 0 || !isBase64(value))
    throw badHeader(
      'upload-checksum',
      `must be an algorithm and a digest in base64, got ${JSON.stringify(text)}`,
    )
  return { algorithm, digest: Buffer.from(value, 'base64') }
}

/** Returns the headers that describe the capabilities of the server. */
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

// Removes control characters, which do not belong in names and of which the database rejects NUL.
function decode(value: string): string {
  return Buffer.from(value, 'base64')
    .toString('utf8')
    .replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
}

function badHeader(name: string, message: string) {
  return problem('request/bad-header', `Header ${name} ${message}.`)
}
