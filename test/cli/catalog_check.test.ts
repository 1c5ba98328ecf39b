import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCatalog, newGeoservice } from '../support/catalog.ts'
import { oneDriver } from '../support/drivers.ts'
import { sendBody, sendImage } from '../support/misbehaving.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { useService } from '../support/wms.ts'
import { runCommand } from './terminal.ts'

const startService = useService()

describe.each(oneDriver)('the command catalog check on %s', (driver) => {
  let server: TestServer
  beforeAll(async () => {
    const service = await startService()
    const sendPage = sendBody('text/html', 'x')
    service.answer = (request, response) =>
      (request.url?.startsWith('/good') ? sendImage : sendPage)(request, response)
    const { host } = new URL(service.url)
    server = await startTestServer(driver, { catalogCheckHosts: [host] })
    const address = (path: string) => ({ url: `${service.url}/${path}/{z}/{x}/{y}` })
    await changeCatalog(server, [
      newGeoservice('Good', { keyname: 'good', ...address('good') }),
      newGeoservice('Bad', { keyname: 'bad', ...address('bad') }),
      newGeoservice('Inside', { keyname: 'inside', url: 'http://127.0.0.1:9/{z}/{x}/{y}' }),
    ])
  })
  afterAll(() => server.stop())
  const run = (...words: string[]) => runUntil(new AbortController().signal, ...words)
  const runUntil = (interrupt: AbortSignal, ...words: string[]) =>
    runCommand(['catalog', 'check', ...words], {
      cwd: '/',
      interrupt,
      env: { LANDFORM_SERVER: server.url, LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword },
    })

  it('lists what does not work, with the reason', async () => {
    const { out, err, exit } = await run()
    expect(out).toMatch(/^ID +STATUS +NAME +REASON\n/)
    expect(out).toMatch(/\d+ +problematic +Bad +invalid response: /)
    expect(out).toMatch(/\d+ +failed +Inside +.*private network/)
    expect(out).not.toContain('Good')
    expect([err, exit]).toEqual(['1 working, 1 problematic, 1 failed\n', 0])
  })

  it('checks some by key, and exits with 2 on request', async () => {
    expect(await run('good', '--exit-code')).toMatchObject({
      out: '',
      err: '1 working, 0 problematic, 0 failed\n',
      exit: 0,
    })
    expect((await run('good', 'bad', '--exit-code')).exit).toBe(2)
  })

  it('names services that another check is checking, and does not call them working', async () => {
    await server.database.query(
      `insert into geoservice_claim (geoservice_id, run, claimed_until)
       select id, 'other', now() at time zone 'utc' + interval '1 hour' from geoservice where keyname = 'good'`,
    )
    const { err, exit } = await run('good', '--exit-code')
    await server.database.query('delete from geoservice_claim')
    expect(err).toBe(
      '0 working, 0 problematic, 0 failed\n1 without a result, because another check of them is running: Good. Repeat the command when it has ended.\n',
    )
    expect(exit).toBe(2)
  })

  it('writes results with key, name and guid as JSON', async () => {
    const { out } = await run('good', '--json')
    expect(JSON.parse(out)).toMatchObject({
      type: 'check',
      check: {
        keyname: 'good',
        name: 'Good',
        guid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        http_code: 200,
      },
    })
  })

  it('reports an interruption under its own code', async () => {
    const { err, exit } = await runUntil(AbortSignal.abort())
    expect([exit, err]).toEqual([130, expect.stringMatching(/^error catalog\/interrupted: /)])
  })

  it('reports a service that does not exist, with a hint', async () => {
    const { err, exit } = await run('godo')
    expect([err, exit]).toEqual([expect.stringContaining('did you mean "good"?'), 1])
  })

  it('is for editors only', async () => {
    expect((await server.guest('POST', '/api/component/catalog/check', {})).status).toBe(403)
  })
})
