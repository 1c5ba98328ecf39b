import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findSlowness } from '../../../src/server/http/slow_client.ts'
import { oneDriver } from '../../support/drivers.ts'
import { adminPassword, startTestServer, type TestServer } from '../../support/server.ts'
import { type Drip, drip } from '../../support/slow_request.ts'
import { openTus, uploads } from '../../support/tus.ts'
import { findUnreferencedFiles } from '../../support/unreferenced_files.ts'

/** A client that sends one byte every 10 ms sends a tenth of this. */
const limits = { minRate: 1000, clientTimeoutSeconds: 0.5 }

/** Waits until the server has closed the connection of the next request. */
function nextConnectionClosed(): Promise<void> {
  return new Promise((resolve) => {
    const onRequest = (message: unknown) => {
      unsubscribe('http.server.request.start', onRequest)
      const { socket } = message as { readonly socket: Socket }
      socket.once('close', () => resolve())
    }
    subscribe('http.server.request.start', onRequest)
  })
}

describe.each(oneDriver)('a client that is too slow, on %s', (driver) => {
  let server: TestServer
  let layer: string
  beforeAll(async () => {
    server = await startTestServer(driver, limits)
    const made = await server.admin('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Slow' },
      vector_layer: {
        srs: { id: 3857 },
        geometry_type: 'POINT',
        fields: [{ keyname: 's', datatype: 'STRING', display_name: 's' }],
      },
    })
    layer = `/api/resource/${(await made.json<{ id: number }>()).id}/feature/`
  })
  afterAll(() => server.stop())

  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nstart'
  const bodies: readonly (readonly [string, () => Drip])[] = [
    ['JSON', () => ({ method: 'POST', path: '/api/resource/', start: '{"resource":' })],
    ['JSON of a guest', () => ({ method: 'POST', path: '/api/component/auth/login', start: '{"login":' })],
    ['features', () => ({ method: 'PATCH', path: layer, start: '[{"id": 1,' })],
    ['a file', () => ({ method: 'PUT', path: uploads, start: 'start' })],
    [
      'a form',
      () => ({
        method: 'POST',
        path: uploads,
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        start: form,
      }),
    ],
  ]

  test.each(bodies)('is refused while it sends %s, and leaves nothing behind', async (_, body) => {
    const { status, body: answer } = await drip(server, body())
    expect([status, answer.code], answer.message).toEqual([408, 'request/too-slow'])
    await expect.poll(() => findUnreferencedFiles(server)).toEqual([])
    expect((await server.admin('GET', layer)).status).toBe(200)
  })

  test('resumes a resumable upload at its offset', async () => {
    const tus = openTus(server.admin)
    const content = Buffer.alloc(60_000, ' ')
    const path = await tus.begin({ length: content.length, metadata: { name: 'a.txt' } })
    const headers = {
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    }
    const refused = await drip(server, { method: 'PATCH', path, headers, start: 'start' })
    expect([refused.status, refused.body.code]).toEqual([408, 'request/too-slow'])
    await expect.poll(() => tus.offset(path)).toBeGreaterThan(0)
    const offset = await tus.offset(path)
    expect((await tus.append(path, offset, content.subarray(offset))).status).toBe(204)
  })

  test('is disconnected while it does not read its response', async () => {
    const features = Array.from({ length: 20_000 }, () => ({ fields: { s: 'x'.repeat(1000) } }))
    expect((await server.admin('PATCH', layer, features)).status).toBe(200)
    const authorization = `Basic ${Buffer.from(`administrator:${adminPassword}`).toString('base64')}`
    const closed = nextConnectionClosed()
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${server.url}${layer}?limit=19999`, { headers: { authorization }, agent: false }, resolve)
        .on('error', reject)
        .end()
    })
    expect(answer.statusCode).toBe(200)
    await closed
    await expect(answer.toArray()).rejects.toThrow('aborted')
  })
})

test('a client is slow only while the server waits for it', () => {
  const at = (receivedBytes: number, sentBytes: number, more: object = {}) => ({
    receivedBytes,
    sentBytes,
    isSending: false,
    isReading: false,
    ...more,
  })
  const [sending, taking] = [{ isSending: true }, { isReading: true }]
  expect(findSlowness(at(0, 0, sending), at(99, 0, sending), 100)).toBe('body')
  expect(findSlowness(at(0, 0, sending), at(100, 0, sending), 100)).toBe(undefined)
  expect(findSlowness(at(0, 0), at(0, 0, sending), 100)).toBe(undefined)
  expect(findSlowness(at(0, 0, sending), at(0, 0), 100)).toBe(undefined)
  expect(findSlowness(at(0, 0, taking), at(0, 99, taking), 100)).toBe('answer')
  expect(findSlowness(at(0, 0, taking), at(0, 100, taking), 100)).toBe(undefined)
  expect(findSlowness(at(0, 0), at(0, 0), 100)).toBe(undefined)
})
