import { beforeAll, describe, expect, test } from 'vitest'
import { type RouteName, routeNames, routeOf } from '../../../src/contract/routes.ts'
import { listSecrets, type Schema } from '../../../src/contract/schema/schema.ts'
import { findKey } from '../../../src/store/auth/idempotency_key.ts'
import { newGeoservice } from '../../support/catalog.ts'
import { createGroup } from '../../support/resources.ts'
import { type Ask, describeServers, type TestResponse, type TestServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'
import { createUser, principalId, userPassword } from '../../support/users.ts'
import { geojson, point } from '../../support/vector.ts'

/** A request that makes something. */
interface Creating {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly headers?: Record<string, string>
}

let keys = 0
const newKey = () => {
  keys += 1
  return `key-${keys}`
}

const read = async (answer: TestResponse) => ({
  status: answer.status,
  replayed: answer.headers.get('idempotency-replayed'),
  retryAfter: answer.headers.get('retry-after'),
  body: await answer.json<Record<string, unknown>>(),
})

describeServers('a request with an idempotency key', (start) => {
  let server: TestServer
  let group = 0
  let layer = 0
  let source: object
  let made = 0
  beforeAll(async () => {
    server = await start()
    group = await createGroup(server.admin, 0, { display_name: 'Keyed' })
    layer = await createLayer(server.admin, { name: 'Keyed layer', parent: group, geometryType: 'POINT' })
    const upload = await server.admin(
      'PUT',
      '/api/component/file_upload/',
      geojson([{ geometry: point(1, 2) }]),
    )
    source = { ...(await upload.json<object>()), name: 'a.geojson' }
  })

  const send = async ({ method, path, body, headers }: Creating, key: string, ask: Ask = server.admin) =>
    read(await ask(method, path, body, { ...headers, 'idempotency-key': key }))

  const count = async (table: string) => {
    const [row] = await server.database.query<{ count: number }>(
      `select count(*)::int as count from ${table}`,
    )
    return row?.count ?? 0
  }

  const groupRequest = (display_name: string): Creating => ({
    method: 'POST',
    path: '/api/resource/',
    body: { resource: { cls: 'resource_group', parent: { id: group }, display_name } },
  })

  /** One request for each operation that takes a key, and the table that it adds a row to. */
  const requests: Partial<Record<RouteName, () => readonly [request: Creating, table: string]>> = {
    'resource.create': () => [groupRequest(`Once ${made}`), 'resource'],
    'resource.batch': () => {
      const { body } = groupRequest(`Batch ${made}`)
      const operations = [{ op: 'create', body }]
      return [{ method: 'POST', path: '/api/component/landform/batch', body: { operations } }, 'resource']
    },
    'journal.begin': () => [
      {
        method: 'POST',
        path: '/api/component/landform/journal/',
        body: { manifest: `once-${made}`, changes: [] },
      },
      'journal_entry',
    ],
    'catalog.batch': () => {
      const operations = [newGeoservice(`Service ${made}`)]
      return [{ method: 'POST', path: '/api/component/catalog/', body: { operations } }, 'geoservice']
    },
    'source.prepare': () => [
      {
        method: 'POST',
        path: '/api/component/landform/prepared',
        body: { cls: 'vector_layer', vector_layer: { source, srs: { id: 3857 } } },
      },
      'prepared_source',
    ],
    'feature.create': () => [
      { method: 'POST', path: `/api/resource/${layer}/feature/`, body: { geom: 'POINT (1 2)', fields: {} } },
      `(${featuresOf}) f`,
    ],
    'feature.patch': () => [
      { method: 'PATCH', path: `/api/resource/${layer}/feature/`, body: [{ geom: 'POINT (3 4)' }] },
      `(${featuresOf}) f`,
    ],
    'attachment.create': () => [
      {
        method: 'POST',
        path: `/api/resource/${layer}/feature/1/attachment/`,
        body: { name: `attached ${made}.geojson`, file_upload: source },
      },
      'attachment',
    ],
    'upload.raw': () => [
      { method: 'PUT', path: '/api/component/file_upload/', body: `content ${made}` },
      'upload',
    ],
    'upload.form': () => {
      const body = new FormData()
      body.append('file', new Blob([`form ${made}`]), 'a.txt')
      return [{ method: 'POST', path: '/api/component/file_upload/', body }, 'upload']
    },
    'auth.user_create': () => [
      {
        method: 'POST',
        path: '/api/component/auth/user/',
        body: { keyname: `once${made}`, password: 'a long password' },
      },
      'principal',
    ],
    'auth.group_create': () => [
      { method: 'POST', path: '/api/component/auth/group/', body: { keyname: `ones${made}` } },
      'principal',
    ],
    'token.create': () => [
      { method: 'POST', path: '/api/component/landform/token', body: { name: `once ${made}` } },
      'token',
    ],
  }
  // The table of a layer is known once it has a feature.
  let featuresOf = ''
  beforeAll(async () => {
    await server.admin('POST', `/api/resource/${layer}/feature/`, { geom: 'POINT (0 0)', fields: {} })
    const [row] = await server.database.query<{ name: string }>(
      'select table_name as name from layer where resource_id = $1',
      [layer],
    )
    featuresOf = `select * from ${row?.name}`
  })

  const takers = routeNames.filter((name) => routeOf(name).takesKey === true)
  const showsOnce = (name: RouteName) => listSecrets((routeOf(name).response ?? {}) as Schema).length > 0

  test.each(takers.filter(showsOnce))(
    '%s: is executed once, and its secret is not shown again',
    async (name) => {
      made += 1
      const [request, table] = requests[name]?.() ?? [groupRequest('none'), 'no test for it']
      const key = newKey()
      const first = await send(request, key)
      expect(first).toMatchObject({ status: 200, replayed: null })
      const { token, ...shown } = first.body
      const before = await count(table)
      const again = await send(request, key)
      expect(again).toMatchObject({
        status: 409,
        body: {
          code: 'request/answer-lost',
          message: 'The request was completed before, but "token" is returned only once.',
          hint: 'Delete what the request created and send it with a new key.',
          data: { answer: shown },
        },
      })
      expect(JSON.stringify(again)).not.toContain(String(token))
      expect(await count(table)).toBe(before)
      expect(await send({ ...request, body: { name: 'other' } }, key)).toMatchObject({
        body: { code: 'request/key-reused' },
      })
    },
  )

  test('does not store secrets that are shown once, not even encrypted', async () => {
    const key = newKey()
    const path = '/api/component/landform/token'
    const { body } = await send({ method: 'POST', path, body: { name: `sealed ${key}` } }, key)
    const userId = await adminId()
    const found = await findKey(server.database, { userId, key })
    const text = server.running.context.secrets.open(
      found?.answer ?? '',
      `idempotency_key.answer:${userId}:${key}`,
    )
    expect(JSON.parse(text)).toMatchObject({ id: body.id, name: body.name })
    expect(text).not.toContain(String(body.token))
  })

  test('does not show secrets that an older version has stored', async () => {
    const key = newKey()
    const request = { method: 'POST', path: '/api/component/landform/token', body: { name: `older ${key}` } }
    const { body } = await send(request, key)
    const userId = await adminId()
    const { secrets } = server.running.context
    const sealed = secrets.seal(JSON.stringify(body), `idempotency_key.answer:${userId}:${key}`)
    await server.database.query('update idempotency_key set answer = $2 where key = $1', [key, sealed])
    expect(JSON.stringify(await send(request, key))).not.toContain(String(body.token))
  })

  describe.each(takers.filter((name) => !showsOnce(name)))('%s', (name) => {
    test('is executed once, and gets the same response again', async () => {
      made += 1
      const [request, table] = requests[name]?.() ?? [groupRequest('none'), 'no test for it']
      const key = newKey()
      const before = await count(table)
      const first = await send(request, key)
      expect(first).toMatchObject({ status: 200, replayed: null })
      expect(await count(table)).toBe(before + 1)
      const again = await send(request, key)
      expect(again).toEqual({ ...first, replayed: 'true' })
      expect(await count(table)).toBe(before + 1)
    })
  })

  test('is executed again with another key, and without one', async () => {
    const request: Creating = { method: 'PUT', path: '/api/component/file_upload/', body: 'twice' }
    const before = await count('upload')
    const first = await send(request, newKey())
    const second = await send(request, newKey())
    expect(first.body.id).not.toBe(second.body.id)
    await server.admin(request.method, request.path, request.body)
    expect(await count('upload')).toBe(before + 3)
  })

  test.each([
    ['another body', { body: { resource: {} } }],
    ['another address', { path: '/api/resource/?parent=0' }],
    ['another operation', { path: '/api/component/auth/group/', body: { keyname: 'other' } }],
  ])('is refused with %s', async (_, other) => {
    const key = newKey()
    const request = groupRequest(`Refused ${key}`)
    await send(request, key)
    expect(await send({ ...request, ...other }, key)).toMatchObject({
      status: 422,
      body: { code: 'request/key-reused' },
    })
  })

  test('has a key that belongs to its user', async () => {
    const administrators = await principalId(server.database, 'administrators')
    await createUser(server.database, 'keyed')
    const id = await principalId(server.database, 'keyed')
    await server.admin('PUT', `/api/component/auth/user/${id}`, { member_of: [administrators] })
    const other = server.as('keyed', userPassword)
    const key = newKey()
    const mine = await send(groupRequest('Mine'), key)
    const theirs = await send(groupRequest('Theirs'), key, other)
    expect(theirs).toMatchObject({ status: 200, replayed: null })
    expect(theirs.body.id).not.toBe(mine.body.id)
  })

  test('is supported for guests who may create resources', async () => {
    const request: Creating = { method: 'PUT', path: '/api/component/file_upload/', body: 'by nobody' }
    const key = newKey()
    const first = await send(request, key, server.guest)
    expect(first).toMatchObject({ status: 200, replayed: null })
    expect(await send(request, key, server.guest)).toEqual({ ...first, replayed: 'true' })
    expect(await send(request, key)).toMatchObject({ status: 200, replayed: null })
  })

  test('that failed leaves nothing behind, and can be repeated with its key', async () => {
    const key = newKey()
    const request = groupRequest('Comes again')
    const inTheWay = await createGroup(server.admin, group, { display_name: 'Comes again' })
    expect(await send(request, key)).toMatchObject({ status: 422, body: { code: 'resource/name-taken' } })
    expect(await findKey(server.database, { userId: await adminId(), key })).toBeUndefined()
    await server.admin('DELETE', `/api/resource/${inTheWay}`)
    expect(await send(request, key)).toMatchObject({ status: 200, replayed: null })
  })

  test('that is sent concurrently is executed once; the others get 409 or its response', async () => {
    const key = newKey()
    const before = await count('resource')
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(groupRequest('At once'), key)))
    const done = answers.filter(({ status }) => status === 200)
    expect(done.filter(({ replayed }) => replayed === null)).toHaveLength(1)
    expect(new Set(done.map(({ body }) => body.id)).size).toBe(1)
    for (const waiting of answers.filter(({ status }) => status !== 200))
      expect(waiting).toMatchObject({ status: 409, retryAfter: '1', body: { code: 'request/in-flight' } })
    expect(await count('resource')).toBe(before + 1)
  })

  test('is taken over from a dead process, which cannot complete it any more', async () => {
    const key = newKey()
    const userId = await adminId()
    await server.database.query(
      `insert into idempotency_key (user_id, key, claim, instance, request, touched_at)
       values ($1, $2, 'of the dead', 'another process', 'sealed', now() - interval '1 hour')`,
      [userId, key],
    )
    expect(await send(groupRequest('Taken over'), key)).toMatchObject({ status: 200, replayed: null })
    const rows = await server.database.query<{ claim: string }>(
      'select claim from idempotency_key where user_id = $1 and key = $2',
      [userId, key],
    )
    expect(rows[0]?.claim).not.toBe('of the dead')
  })

  test('expires after a day', async () => {
    const key = newKey()
    const request: Creating = { method: 'PUT', path: '/api/component/file_upload/', body: 'a day' }
    const first = await send(request, key)
    await server.database.query(
      `update idempotency_key set created_at = created_at - interval '25 hours' where key = $1`,
      [key],
    )
    const second = await send(request, key)
    expect(second).toMatchObject({ status: 200, replayed: null })
    expect(second.body.id).not.toBe(first.body.id)
  })

  test('stores secrets only encrypted', async () => {
    const key = newKey()
    const name = 'secret token'
    const token = { method: 'POST', path: '/api/component/landform/token', body: { name } }
    const { body } = await send(token, key)
    expect(body.token).toMatch(/[\w-]{20}/)
    const user = { keyname: 'secretive', password: 'correct horse battery' }
    await send({ method: 'POST', path: '/api/component/auth/user/', body: user }, newKey())
    const rows = await server.database.query('select request, answer from idempotency_key')
    const kept = JSON.stringify(rows)
    for (const secret of [String(body.token), name, user.password]) expect(kept).not.toContain(secret)
  })

  test('has a key of 1 to 255 visible characters', async () => {
    for (const key of ['two words', 'ü', 'k'.repeat(256)]) {
      const answer = await server.admin('POST', '/api/resource/', groupRequest('Bad key').body, {
        'idempotency-key': encodeURI(key) === key ? key : Buffer.from(key).toString('latin1'),
      })
      expect([answer.status, (await answer.json<{ code: string }>()).code]).toEqual([
        400,
        'request/bad-header',
      ])
    }
    expect((await send(groupRequest('Good key'), 'k'.repeat(255))).status).toBe(200)
  })

  test('that does not create anything is executed each time, whatever its headers', async () => {
    const key = newKey()
    const path = `/api/resource/${group}`
    for (const description of ['one', 'two']) {
      const change = { method: 'PUT', path, body: { resource: { description } } }
      expect(await send(change, key)).toMatchObject({ status: 200, replayed: null })
    }
    const answer = await server.admin('GET', path)
    expect(await answer.json()).toMatchObject({ resource: { description: 'two' } })
  })

  const adminId = () => principalId(server.database, 'administrator')
})
