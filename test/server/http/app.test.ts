import { request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ErrorBody } from '../../../src/contract/bodies/error.ts'
import { routeNames } from '../../../src/contract/routes.ts'
import { sendRawRequest } from '../../support/raw_request.ts'
import { createGroup } from '../../support/resources.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres', { bodyLimitBytes: 10_000 })
})
afterAll(() => server.stop())

const body = { resource: { cls: 'resource_group', parent: { id: 0 }, display_name: 'x' } }

test('a path works with and without a final slash, and with doubled slashes', async () => {
  for (const path of ['/api/resource/0', '/api/resource/0/', '//api/resource//0'])
    expect((await server.admin('GET', path)).status, path).toBe(200)
  for (const path of ['/api/component/pyramid/route', '/api/component/core/route/'])
    expect(await (await server.guest('GET', path)).json()).toHaveProperty('resource.item')
})

test('HEAD works wherever GET does, without a body', async () => {
  const head = await server.admin('HEAD', '/api/resource/0')
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'application/json',
    '',
  ])
  expect((await server.guest('HEAD', '/api/resource/0')).status).toBe(403)
})

test('a known path refuses TRACE like any other unsupported method', async () => {
  const asked = { method: 'TRACE', path: '/api/resource/0' }
  expect(await sendRawRequest(server.url, asked)).toMatchObject({
    status: 405,
    headers: { allow: 'GET, PUT, DELETE, HEAD, OPTIONS' },
    json: { code: 'request/method' },
  })
})

test('a known path with another method is 405 with the allowed methods', async () => {
  const response = await server.admin('PATCH', '/api/resource/0')
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, PUT, DELETE, HEAD, OPTIONS')
  expect((await response.json<ErrorBody>()).code).toBe('request/method')
  const options = await server.guest('OPTIONS', '/api/resource/search')
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
})

test('an unknown path is a JSON 404 below /api, and a page elsewhere', async () => {
  const api = await server.guest('GET', '/api/nothing', undefined, { accept: 'text/html' })
  expect([api.status, api.headers.get('content-type')]).toEqual([404, 'application/json'])
  expect(await api.json()).toMatchObject({ code: 'request/not-found', status_code: 404 })
  const page = await server.guest('GET', '/nothing<b>', undefined, { accept: 'text/html' })
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('No route matches /nothing%3Cb%3E.')
  for (const path of ['/api/resource/abc', '/api/resource/-1', '/api/resource/1.5'])
    expect((await (await server.admin('GET', path)).json<ErrorBody>()).code, path).toBe('request/not-found')
  expect((await server.admin('GET', '/api/resource/99999999999')).status).toBe(404)
})

test('a URL that cannot be decoded is a client error, not a server error', async () => {
  const response = await server.guest('GET', '/api/resource/%E0%A4%A')
  expect(response.status).toBe(400)
  expect(response.headers.get('content-type')).toBe('application/json')
})

test('JSON is read with any Content-Type, and without one', async () => {
  const types = ['application/x-www-form-urlencoded', 'text/plain', 'application/json; charset=utf-8', 'x']
  for (const [at, type] of types.entries()) {
    const named = { resource: { ...body.resource, display_name: `Type ${at}` } }
    const response = await server.admin('POST', '/api/resource/', JSON.stringify(named), {
      'content-type': type,
    })
    expect(response.status, type).toBe(200)
  }
  expect(await sendRaw('PUT', '/api/resource/0', JSON.stringify({ resmeta: { items: {} } }))).toBe(200)
})

test('a body that is not well-formed JSON is 400, and one that is not an object is 422', async () => {
  for (const text of ['{"resource":', 'resource=1', '\u0000'])
    expect((await server.admin('POST', '/api/resource/', text)).status, text).toBe(400)
  expect((await server.admin('POST', '/api/resource/', new Uint8Array([0x7b, 0xff, 0x7d]))).status).toBe(400)
  for (const text of ['[]', '5', 'null', '{"resource": []}', '{"resource": null}', ''])
    expect((await server.admin('POST', '/api/resource/', text)).status, text).toBe(422)
})

test('a value that the database cannot store is refused with its location, wherever it is sent', async () => {
  const send = async (text: string) => {
    const response = await server.admin('POST', '/api/resource/', text)
    const failure = await response.json<ErrorBody>()
    expect(response.status, failure.message).toBe(422)
    return failure.message
  }
  const make = (name: string, meta = '{}') =>
    `{"resource": {"cls": "resource_group", "parent": {"id": 0}, "display_name": "${name}"},
      "resmeta": {"items": ${meta}}}`
  expect(await send(make('a\\u0000b'))).toContain('NUL')
  expect(await send(make('\\ud800'))).toContain('at $.resource.display_name')
  expect(await send(make('x', '{"a": "\\udc00"}'))).toContain('at $.resmeta.items.a')
  expect(await send(make('x', '{"a\\u0000": 1}'))).toContain('at $.resmeta.items')
  expect(await send(make('x', '{"a": 1e999}'))).toContain('out of range')
  expect(await send(make('x'.repeat(501)))).toContain('the string has 501 characters; the limit is 500')
  const query = await server.admin('GET', '/api/resource/search/?keyname=a%00b')
  expect((await query.json<ErrorBody>()).data).toEqual({ location: ['query', 'keyname'] })
  expect((await server.as('a\0b', 'x')('GET', '/api/resource/0')).status).toBe(400)
})

test('the longest allowed name is stored, and found again', async () => {
  const display_name = '🗺'.repeat(500)
  const id = await createGroup(server.admin, 0, { display_name, keyname: 'k'.repeat(255) })
  const query = new URLSearchParams({ display_name, keyname: 'k'.repeat(255) })
  const found = await server.admin('GET', `/api/resource/search/?${query}`)
  expect(await found.json()).toEqual([{ resource: expect.objectContaining({ id }) }])
})

test('excessive nesting is 400', async () => {
  const deep = `${'['.repeat(4000)}${']'.repeat(4000)}`
  const text = `{"resource": {"cls": "webmap"}, "webmap": {"root_item": ${deep}}}`
  expect((await server.admin('POST', '/api/resource/', text)).status).toBe(400)
})

test('invalid HTTP and a head that is too long are refused in the same format', async () => {
  const long = `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(100_000)}\r\n\r\n`
  for (const [text, status] of [
    ['nonsense\r\n\r\n', 400],
    ['FOO /api/resource/0 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    [long, 431],
    ['GET /api/resource/search/?display_name=Łódź HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ] as const) {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.end(text)
    const answer = (await Array.fromAsync(socket as AsyncIterable<Buffer>)).join('')
    const [head = '', told = ''] = answer.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const { code, status_code, request_id, hint } = JSON.parse(told) as ErrorBody
    expect(hint).toEqual(text.includes('Łódź') ? expect.stringContaining('Percent-encode') : undefined)
    expect([code, status_code]).toEqual(['request/malformed', status])
    expect(head).toContain(`X-Request-Id: ${request_id}`)
  }
  expect((await server.guest('GET', '/healthz')).status).toBe(200)
})

test('a body over the limit is 413, with or without Content-Length, and the connection stays usable', async () => {
  const large = JSON.stringify({ ...body, filler: 'x'.repeat(20_000) })
  const declared = await server.admin('POST', '/api/resource/', large)
  expect([declared.status, (await declared.json<ErrorBody>()).code]).toEqual([413, 'request/too-large'])
  expect(await sendRaw('POST', '/api/resource/', large)).toBe(413)
  expect((await server.admin('GET', '/api/resource/0')).status).toBe(200)
})

test('parameters that were escaped twice are read', async () => {
  const id = await createGroup(server.admin, 0, { display_name: 'Escaped' })
  const found = await server.admin('GET', `/api/resource/search/?cls=resource_group&amp;root=${id}`)
  expect(await found.json()).toHaveLength(1)
})

test('an invalid parameter is named, and unknown ones are ignored', async () => {
  const bad = await (await server.admin('GET', '/api/resource/?parent=x')).json<ErrorBody>()
  expect([bad.status_code, bad.message, bad.data]).toEqual([
    422,
    'Parameter "parent": expected an integer, got "x".',
    { location: ['query', 'parent'] },
  ])
  expect((await server.admin('GET', '/api/resource/0?client=x&constructor=1')).status).toBe(200)
})

test('every error has a request id, which the client may choose', async () => {
  const chosen = await server.guest('GET', '/api/resource/0', undefined, { 'x-request-id': 'abc-12345678' })
  expect(chosen.headers.get('x-request-id')).toBe('abc-12345678')
  expect((await chosen.json<ErrorBody>()).request_id).toBe('abc-12345678')
  const odd = await server.guest('GET', '/api/resource/0', undefined, { 'x-request-id': 'a b"c' })
  expect((await odd.json<ErrorBody>()).request_id).toMatch(/^[0-9a-f-]{36}$/)
})

test('an error body has the members that clients read', async () => {
  const response = await server.admin('GET', '/api/resource/4711')
  expect(await response.json()).toEqual({
    title: 'Resource not found',
    message: 'Resource with id = 4711 was not found.',
    exception: 'nextgisweb.resource.exception.ResourceNotFound',
    status_code: 404,
    data: { resource_id: 4711 },
    code: 'resource/not-found',
    request_id: expect.any(String),
  })
})

test('an internal error reveals only its request id', async () => {
  await server.database.query('alter table resmeta rename to resmeta_gone')
  try {
    const response = await server.admin('GET', '/api/resource/0')
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(text).not.toContain('resmeta')
    expect(JSON.parse(text)).toMatchObject({
      code: 'server/internal',
      data: {},
      request_id: expect.any(String),
    })
  } finally {
    await server.database.query('alter table resmeta_gone rename to resmeta')
  }
})

test('versions, operations and classes are public', async () => {
  const version = await (await server.guest('GET', '/api/component/pyramid/pkg_version')).json()
  expect(version).toEqual({ nextgisweb: '3.10.0', landform: '0.0.0' })
  const routes = await (await server.guest('GET', '/api/component/core/route')).json<
    Record<string, string[]>
  >()
  expect(routes['resource.item']).toEqual(['/api/resource/{0}', 'id'])
  expect(routes['landform.resource.tree']).toEqual(['/api/component/landform/tree'])
  expect(Object.keys(routes).length).toBeLessThanOrEqual(routeNames.length)
  const schema = await (await server.guest('GET', '/resource/schema')).json<{
    scopes: Record<string, unknown>
    resources: Record<string, unknown>
  }>()
  expect(schema.scopes.webmap).toEqual({
    identity: 'webmap',
    label: 'Web map',
    permissions: { display: { label: 'Display' } },
  })
  expect(schema.resources.geodb_layer).toMatchObject({
    identity: 'geodb_layer',
    scopes: ['resource', 'datastruct', 'data', 'metadata'],
  })
})

test('health checks are public', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const response = await server.guest('GET', path)
    expect([response.status, await response.json()], path).toEqual([200, { status: 'ok' }])
  }
})

test('the NextGIS dialect is always accepted, and returned on request', async () => {
  const headers = { 'x-api-dialect': 'ngw' }
  const schema = await (await server.guest('GET', '/resource/schema', undefined, headers)).json<{
    resources: Record<string, unknown>
  }>()
  expect(Object.keys(schema.resources)).toContain('postgis_layer')
  expect(Object.keys(schema.resources)).not.toContain('geodb_layer')
  const search = await server.admin('GET', '/api/resource/search/?cls=mapserver_style')
  expect([search.status, await search.json()]).toEqual([200, []])
})

test('users and groups are listed briefly; guests see only system ones', async () => {
  const names = async (path: string, ask = server.guest) =>
    (await (await ask('GET', path)).json<{ keyname: string }[]>()).map(({ keyname }) => keyname)
  expect(await names('/api/component/auth/user/?brief=true')).toEqual([
    'guest',
    'everyone',
    'authenticated',
    'owner',
  ])
  expect(await names('/api/component/auth/user/', server.admin)).toContain('administrator')
  expect(await names('/api/component/auth/group/?brief=true')).toEqual(['administrators'])
})

/** Sends a body in chunks, without its length and without a Content-Type. */
function sendRaw(method: string, path: string, text: string): Promise<number> {
  const token = Buffer.from('administrator:a test password').toString('base64')
  return new Promise((resolve, reject) => {
    const sent = request(server.url + path, { method, headers: { authorization: `Basic ${token}` } })
    sent.once('response', (response) => resolve(response.resume().statusCode ?? 0))
    sent.once('error', reject)
    for (let at = 0; at < text.length; at += 1000) sent.write(text.slice(at, at + 1000))
    sent.end()
  })
}
