import { afterAll, beforeAll, expect, test } from 'vitest'
import { captureLog, requestWithoutTable } from '../../support/log.ts'
import { addUser, goodPassword, logIn, mePath, tokensPath, usersPath } from '../../support/principals.ts'
import { adminPassword, startTestServer, type TestServer } from '../../support/server.ts'

const { log, written } = captureLog()

let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres', { log, trustedProxies: ['loopback'] })
})
afterAll(() => server.stop())

const profile = '/api/component/auth/profile'
const login = '/api/component/auth/login'
const basic = (name: string, password: string) => `Basic ${btoa(`${name}:${password}`)}`

test('the log contains no credentials, whether requests succeed or fail', async () => {
  const secrets = [
    'hunter2 typed wrong',
    'hunter3 in the login field',
    'hunter4 the new one',
    'hunter5 in a query',
  ]
  const [wrong = '', asLogin = '', next = '', inQuery = ''] = secrets
  const id = await addUser(server.admin, 'ada')
  const cookie = await logIn(server.guest, 'ada', goodPassword)
  const made = await server.as('ada', goodPassword)('POST', tokensPath, { name: 'robot' })
  const { id: tokenId, token } = await made.json<{ id: number; token: string }>()
  const bearer = { authorization: `Bearer ${token}` }
  secrets.push(adminPassword, goodPassword, cookie.split('=')[1] ?? '', token.slice('landform_'.length))

  await server.guest('POST', login, { login: 'ada', password: wrong })
  await server.guest('POST', login, { login: asLogin, password: wrong })
  await server.guest('POST', login, `{"login": "ada", "password": "${wrong}`)
  await server.guest('POST', login, { login: 'ada', password: wrong.repeat(200) })
  await server.as('ada', wrong)('GET', mePath)
  await server.as(asLogin, wrong)('GET', mePath, undefined, { 'x-forwarded-for': 'nowhere' })
  await server.guest('GET', mePath, undefined, { authorization: `Bearer ${wrong.replaceAll(' ', '-')}` })
  await server.guest('GET', mePath, undefined, { authorization: `Odd ${wrong}` })
  await server.guest('GET', mePath, undefined, { cookie: `landform=${wrong.replaceAll(' ', '-')}` })
  await server.guest('GET', `${mePath}?password=${encodeURIComponent(inQuery)}&token=${token}`)
  await server.guest('GET', `/nowhere/${token}?x=${token}`)
  await server.guest('GET', mePath, undefined, bearer)
  for (const body of [
    { password: next },
    { password: next, old_password: wrong },
    { password: 'weak1', old_password: goodPassword },
  ])
    await server.guest('PUT', profile, body, { cookie })
  for (let at = 0; at < 8; at += 1)
    await server.guest('POST', login, { login: 'bob', password: `${wrong}${at}` })

  await failInside({ cookie, id, wrong, next })

  await server.guest('PUT', profile, { password: next, old_password: goodPassword }, { cookie })
  await server.admin('PUT', usersPath + id, { password: goodPassword })
  await server.admin('DELETE', tokensPath + tokenId)
  await server.guest('POST', '/api/component/auth/logout', undefined, { cookie })
  await server.admin('DELETE', usersPath + id)

  const encoded = [basic('administrator', adminPassword), basic('ada', goodPassword), basic('ada', wrong)]
  const log = written.join('')
  expect(log.split('\n').length).toBeGreaterThan(40)
  expect(log).toContain('a login failed')
  expect(log).toContain('request failed')
  expect(log).toContain('"user":"ada"')
  const parts = [...secrets, ...secrets.map((secret) => secret.replaceAll(' ', '-')), ...encoded]
  for (const secret of [...parts, ...parts.map(encodeURIComponent), 'hunter', 'scrypt$', 'weak1'])
    expect(log.includes(secret), secret).toBe(false)
})

/** Has the server fail with secrets in its hands. */
async function failInside(secrets: {
  cookie: string
  id: number
  wrong: string
  next: string
}): Promise<void> {
  const { cookie, id, wrong, next } = secrets
  await requestWithoutTable(server, 'session', () =>
    server.guest('POST', login, { login: 'ada', password: goodPassword }),
  )
  server.running.context.authenticator.forget()
  await requestWithoutTable(server, 'session', () => server.guest('GET', mePath, undefined, { cookie }))
  await requestWithoutTable(server, 'token', () =>
    server.guest('GET', mePath, undefined, { authorization: 'Bearer hunter6' }),
  )
  await requestWithoutTable(server, 'token', () => server.admin('POST', tokensPath, { name: 'lost' }))
  await requestWithoutTable(server, 'principal', () => server.as('somebody', wrong)('GET', mePath))
  await requestWithoutTable(server, 'membership', () =>
    server.admin('PUT', usersPath + id, { password: next }),
  )
}
