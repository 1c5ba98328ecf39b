import { afterAll, beforeAll, expect, test } from 'vitest'
import { createConnection, useForeign } from '../../support/geodb.ts'
import { captureLog, requestWithoutTable } from '../../support/log.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'
import { useService } from '../../support/wms.ts'

const openForeign = useForeign()
const startService = useService()

const { log, written } = captureLog()

let server: TestServer
beforeAll(async () => {
  server = await startTestServer('postgres', { log, allowPrivateAddresses: true })
})
afterAll(() => server.stop())

test('no secret of a connection reaches the log, whether requests succeed or fail', async () => {
  const { admin } = server
  const { connection } = await openForeign()
  const { url } = await startService()
  const geodb = { ...connection, password: 'hunter-geodb' }
  const wms = { url, version: '1.3.0', username: 'wms-user', password: 'hunter-wms' }
  const post = (cls: string, member: unknown, name = 'Again') =>
    admin(
      'POST',
      '/api/resource/',
      { resource: { cls, parent: { id: 0 }, display_name: name }, [cls]: member },
      { 'idempotency-key': `hunter-key-${name.replaceAll(' ', '-')}` },
    )
  const ids = {
    geodb_connection: await createConnection(admin, 'Database', geodb),
    wmsclient_connection: await createResource(admin, {
      cls: 'wmsclient_connection',
      name: 'Service',
      members: { wmsclient_connection: wms },
    }),
  }
  for (const [cls, good] of [
    ['geodb_connection', geodb],
    ['wmsclient_connection', wms],
  ] as const) {
    const path = `/api/resource/${ids[cls]}`
    await post(cls, { ...good, password: { nested: 'hunter-nested' } }, `${cls} nested`)
    await post(cls, { ...good, password: ['hunter-list'] }, `${cls} list`)
    await post(cls, { ...good, version: 'hunter-version', hostname: 'hunter host' }, `${cls} other`)
    await admin('POST', '/api/resource/', `{"${cls}": {"password": "hunter-cut`)
    await admin('PUT', `${path}?password=hunter-query`, { [cls]: { password: 'hunter-changed' } })
    await admin('POST', '/api/component/landform/batch', {
      operations: [
        { op: 'update', id: ids[cls], body: { [cls]: { password: 'hunter-batch' } } },
        { op: 'delete', id: 999_999 },
      ],
    })
    await requestWithoutTable(server, cls, () => admin('PUT', path, { [cls]: { password: 'hunter-lost' } }))
    await requestWithoutTable(server, 'resource_path', () =>
      post(cls, { ...good, password: 'hunter-new' }, `${cls} lost`),
    )
  }
  const inside = `/api/resource/${ids.geodb_connection}/inspect/`
  await admin('PUT', `/api/resource/${ids.geodb_connection}`, { geodb_connection: { database: 'nowhere' } })
  expect((await admin('GET', inside)).status).toBe(503)
  const asked = { wmsclient_connection: { capcache: 'query' } }
  const refused = await admin('PUT', `/api/resource/${ids.wmsclient_connection}`, asked)
  expect(refused.status).toBeGreaterThanOrEqual(400)

  const log = written.join('')
  expect(log).toContain('request failed')
  expect(log.split('\n').length).toBeGreaterThan(20)
  for (const secret of ['hunter', Buffer.from('wms-user:hunter').toString('base64').slice(0, 18)])
    expect(
      written.filter((line) => line.includes(secret)),
      secret,
    ).toEqual([])
})
