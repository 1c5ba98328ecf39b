import { expect } from 'vitest'
import type { Ask, TestResponse } from './server.ts'

/** Path of all uploads. */
export const uploads = '/api/component/file_upload/'

const version = { 'tus-resumable': '1.0.0' }

/** What an upload in parts begins with. */
export interface TusBeginning {
  readonly length: number
  /** Pairs of name and value, in the clear. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** Uploads in parts, as any client of the protocol does. */
export interface TusClient {
  /** Begins an upload and gives its path. */
  begin(beginning: TusBeginning): Promise<string>
  /** Sends a part. */
  append(
    path: string,
    offset: number,
    content: Uint8Array | string,
    headers?: Record<string, string>,
  ): Promise<TestResponse>
  /** Where the upload stands. */
  offset(path: string): Promise<number>
  /** Sends any request of the protocol. */
  send(method: string, path: string, headers?: Record<string, string>): Promise<TestResponse>
}

/** Writes what a client says of an upload. */
export function formatMetadata(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join()
}

/** Opens a client of uploads in parts. */
export function openTus(ask: Ask): TusClient {
  const send: TusClient['send'] = (method, path, headers = {}) =>
    ask(method, path, undefined, { ...version, ...headers })
  return {
    async begin({ length, metadata }) {
      const said = metadata === undefined ? {} : { 'upload-metadata': formatMetadata(metadata) }
      const answer = await send('POST', uploads, { 'upload-length': String(length), ...said })
      expect(answer.status).toBe(201)
      return answer.headers.get('location') ?? ''
    },
    append: (...[path, offset, content, headers = {}]) =>
      ask('PATCH', path, typeof content === 'string' ? Buffer.from(content) : content, {
        ...version,
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(offset),
        ...headers,
      }),
    async offset(path) {
      const answer = await send('HEAD', path)
      expect(answer.status).toBe(200)
      return Number(answer.headers.get('upload-offset'))
    },
    send,
  }
}
