import { expect } from 'vitest'
import type { Ask, TestResponse } from './server.ts'

/** Path of uploads. */
export const uploads = '/api/component/file_upload/'

const version = { 'tus-resumable': '1.0.0' }

/** A new resumable upload. */
export interface NewTusUpload {
  readonly length: number
  /** Metadata values by name, not encoded. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** A client for resumable uploads (tus). */
export interface TusClient {
  /** Creates an upload and returns its path. */
  begin(upload: NewTusUpload): Promise<string>
  /** Sends a chunk. */
  append(
    path: string,
    offset: number,
    content: Uint8Array | string,
    headers?: Record<string, string>,
  ): Promise<TestResponse>
  /** Reads the offset of the upload. */
  offset(path: string): Promise<number>
  /** Sends any request of the protocol. */
  send(method: string, path: string, headers?: Record<string, string>): Promise<TestResponse>
}

/** Formats the Upload-Metadata header. */
export function formatMetadata(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join()
}

/** Creates a client for resumable uploads. */
export function openTus(ask: Ask): TusClient {
  const send: TusClient['send'] = (method, path, headers = {}) =>
    ask(method, path, undefined, { ...version, ...headers })
  return {
    async begin({ length, metadata }) {
      const headers = metadata === undefined ? {} : { 'upload-metadata': formatMetadata(metadata) }
      const answer = await send('POST', uploads, { 'upload-length': String(length), ...headers })
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
