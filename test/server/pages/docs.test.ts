import { beforeAll, expect, test } from 'vitest'
import { describeServer, type TestServer } from '../../support/server.ts'

describeServer('the API documentation', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
  })

  test('is available as OpenAPI, with the operations of this version only', async () => {
    const answer = await server.guest('GET', '/openapi.json')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json'])
    const api = await answer.json<{ openapi: string; paths: Record<string, Record<string, object>> }>()
    expect(api.openapi).toBe('3.1.0')
    expect(api.paths['/api/resource/{id}']?.get).toMatchObject({ operationId: 'resource.get' })
    for (const [path, methods] of Object.entries(api.paths)) {
      const concrete = path.replaceAll(/\{\w+\}/g, '0')
      if (methods.get === undefined) continue
      expect((await server.guest('GET', concrete)).status, path).not.toBe(501)
    }
  })

  test('is available as a page without scripts and other hosts', async () => {
    const answer = await server.guest('GET', '/docs')
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const page = await answer.text()
    expect(page).toContain('/api/resource/{id}')
    expect(page).not.toMatch(/<script|https?:/)
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(page).toContain(`id="${target}"`)
  })

  test.each(['/openapi.json', '/docs'])(
    '%s has a strong ETag, and returns 304 to clients that have it',
    async (path) => {
      const first = await server.guest('GET', path)
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[\w-]+"$/)
      const again = await server.guest('GET', path, undefined, { 'if-none-match': etag })
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
      const other = await server.guest('GET', path, undefined, { 'if-none-match': '"other"' })
      expect([other.status, await other.text()]).toEqual([200, await first.text()])
    },
  )
})
