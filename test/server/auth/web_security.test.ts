import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addUser, goodPassword, guessConcurrently, logIn, mePath } from '../../support/principals.ts'
import { createGroup } from '../../support/resources.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

const friend = 'https://maps.example.net'
const stranger = 'https://evil.example'

describe('a server with an allowed origin and a trusted proxy', () => {
  let server: TestServer
  let cookie: string
  beforeAll(async () => {
    server = await startTestServer('postgres', { corsOrigins: [friend], trustedProxies: ['loopback'] })
    await addUser(server.admin, 'ada')
    cookie = await logIn(server.guest, 'ada', goodPassword)
  })
  afterAll(() => server.stop())

  const preflight = (origin: string, path = '/api/resource/0') =>
    server.guest('OPTIONS', path, undefined, {
      origin,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type',
    })

  test('pages of an allowed origin can send requests with credentials and read the responses', async () => {
    const asked = await preflight(friend)
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-origin')).toBe(friend)
    expect(asked.headers.get('access-control-allow-credentials')).toBe('true')
    expect(asked.headers.get('access-control-allow-methods')).toContain('PUT')
    expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
    const answer = await server.guest('GET', mePath, undefined, { origin: friend })
    expect(answer.headers.get('access-control-allow-origin')).toBe(friend)
    expect(answer.headers.get('access-control-expose-headers')).toContain('ETag')
    expect(answer.headers.get('vary')).toContain('Origin')
  })

  test('they can read errors too', async () => {
    const answer = await server.guest('GET', '/api/resource/0', undefined, { origin: friend })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, friend])
  })

  test('other origins get no CORS headers', async () => {
    for (const origin of [stranger, `${friend}.evil.example`, 'null', 'http://maps.example.net']) {
      for (const answer of [
        await preflight(origin),
        await server.guest('GET', mePath, undefined, { origin }),
      ])
        expect(answer.headers.get('access-control-allow-origin'), origin).toBeNull()
      expect((await preflight(origin)).headers.get('allow')).toContain('PUT')
    }
  })

  test('plain OPTIONS requests list the methods, and unknown paths are 404', async () => {
    const plain = await server.guest('OPTIONS', '/api/resource/0', undefined, { origin: friend })
    expect([plain.status, plain.headers.get('allow')]).toEqual([204, 'GET, PUT, DELETE, HEAD, OPTIONS'])
    expect((await server.guest('OPTIONS', '/api/nowhere')).status).toBe(404)
  })

  test('a page of an allowed origin can change what the signed-in user can change', async () => {
    const change = { display_name: 'Ada' }
    const from = (origin: string) =>
      server.guest('PUT', '/api/component/auth/profile', change, {
        cookie,
        origin,
        'sec-fetch-site': 'cross-site',
      })
    expect((await from(friend)).status).toBe(200)
    expect((await from(stranger)).status).toBe(403)
  })

  test('a page of another site cannot log anybody in or out with a form', async () => {
    const fields = new URLSearchParams({ login: 'ada', password: goodPassword }).toString()
    const from = (path: string, origin: string) =>
      server.guest('POST', path, fields, { origin, 'content-type': 'application/x-www-form-urlencoded' })
    for (const path of ['/login', '/logout']) {
      const answer = await from(path, stranger)
      expect([path, answer.status, answer.headers.get('set-cookie')]).toEqual([path, 403, null])
    }
    expect((await from('/login', server.url)).redirected).toBe(true)
  })

  test('https at the proxy makes the cookie secure', async () => {
    const body = { login: 'ada', password: goodPassword }
    const secure = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'gis.example.org' }
    const answer = await server.guest('POST', '/api/component/auth/login', body, {
      ...secure,
      origin: 'https://gis.example.org',
    })
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-landform=.*; Secure$/)
    const own = { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', ...secure }
    expect((await server.guest('GET', mePath, undefined, own)).status).toBe(200)
  })

  test('guessing behind the proxy delays only the address of the client', async () => {
    await addUser(server.admin, 'victim')
    const from = (address: string, password: string) =>
      server.as('victim', password)('GET', mePath, undefined, { 'x-forwarded-for': `${address}, 127.0.0.1` })
    await guessConcurrently((at) => from('203.0.113.5', `guess ${at}`))
    expect((await from('203.0.113.6', goodPassword)).status).toBe(200)
    // What is known to be right is let through wherever it comes from.
    expect((await from('203.0.113.5', goodPassword)).status).toBe(200)
  })
})

describe('a server with default settings', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer('postgres')
  })
  afterAll(() => server.stop())

  test('allows no other origin', async () => {
    const asked = await server.guest('OPTIONS', '/api/resource/0', undefined, {
      origin: friend,
      'access-control-request-method': 'PUT',
    })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, null])
    expect((await server.guest('GET', mePath, undefined, { origin: friend })).headers.get('vary')).toBeNull()
  })

  test('trusts no proxy: a forged address does not avoid the delay', async () => {
    await guessConcurrently((at) => {
      const headers = { 'x-forwarded-for': `203.0.113.${at}`, 'x-forwarded-proto': 'https' }
      return server.as('nobody', `guess ${at}`)('GET', mePath, undefined, headers)
    })
  })

  test('delays guessing through the login route, and reports how long', async () => {
    await addUser(server.admin, 'prey')
    const guess = (password: string) =>
      server.guest('POST', '/api/component/auth/login', { login: 'prey', password })
    await guessConcurrently((at) => guess(`guess ${at}`))
  })

  test('delays unknown tokens and sessions eventually, and valid ones never', async () => {
    const made = await (
      await server.admin('POST', '/api/component/landform/token/', { name: 'right' })
    ).json<{ token: string }>()
    const ask = (headers: Record<string, string>) => server.guest('GET', mePath, undefined, headers)
    const statuses = []
    for (let at = 0; at < 130; at += 1)
      statuses.push(
        (await ask(at % 2 === 0 ? { authorization: `Bearer ${at}` } : { cookie: `landform=${at}` })).status,
      )
    expect(new Set(statuses.slice(0, 100))).toEqual(new Set([401]))
    expect(statuses).toContain(429)
    expect((await ask({ authorization: `Bearer ${made.token}` })).status).toBe(200)
  })

  test('sends a policy that allows no scripts, and pages send their own', async () => {
    const json = await server.admin('GET', '/api/resource/0')
    expect(json.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(json.headers.get('x-content-type-options')).toBe('nosniff')
    expect(json.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(json.headers.get('x-powered-by')).toBeNull()
    const group = await createGroup(server.admin, 0, { display_name: 'With a map' })
    const { id } = await (
      await server.admin('POST', '/api/resource/', {
        resource: { cls: 'webmap', parent: { id: group }, display_name: 'Map' },
        webmap: { root_item: { item_type: 'root', children: [] } },
      })
    ).json<{ id: number }>()
    const page = await server.admin('GET', `/resource/${id}/display/tiny`)
    expect(page.headers.get('content-security-policy')).toContain('frame-ancestors *')
    expect(page.headers.get('content-security-policy')).not.toContain("frame-ancestors 'none'")
    expect(page.headers.get('x-frame-options')).toBeNull()
  })
})
