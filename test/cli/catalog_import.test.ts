import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCatalog, createSample, iconImage, newGeoservice } from '../support/catalog.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

describe('catalog import from another catalog', () => {
  let source: TestServer
  let target: TestServer
  beforeAll(async () => {
    ;[source, target] = await Promise.all([startTestServer('pglite'), startTestServer('postgres')])
    await createSample(source)
    await changeCatalog(target, [
      { op: 'create', kind: 'icon', body: { name: 'Other', image: iconImage() } },
      { op: 'create', kind: 'icon', body: { name: 'Pin', image: iconImage() } },
    ])
  })
  afterAll(() => Promise.all([source.stop(), target.stop()]))
  const run = (...words: string[]) => runUntil(new AbortController().signal, ...words)
  const runUntil = (interrupt: AbortSignal, ...words: string[]) =>
    runCommand(['catalog', 'import', ...words], {
      cwd: '/',
      interrupt,
      env: { LANDFORM_SERVER: target.url, LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword },
    })

  it('reads all pages and details, and finds icons by guid or name', async () => {
    const many = Array.from({ length: 520 }, (_, at) => newGeoservice(`Many ${at}`))
    await changeCatalog(source, many)
    const { out, err, exit } = await run(`${source.url}/api/v1/geoservices/`)
    expect([err, exit, out]).toEqual([
      '',
      0,
      expect.stringMatching(/: 524 created, 0 updated, 0 unchanged\n$/),
    ])
    const found = await target.guest('GET', '/api/v1/geoservices/?search=roads')
    const [roads] = await found.json<{ id: number; icon: number }[]>()
    expect(roads?.icon).toBe(2)
    const detail = await target.guest('GET', `/api/v1/geoservices/${roads?.id}/`)
    expect(await detail.json()).toMatchObject({
      origin_url: 'https://{switch:a,b,c}.tile.example.org/{z}/{x}/{y}.png',
    })
    expect((await run(source.url)).out).toMatch(/: 0 created, 0 updated, 524 unchanged\n$/)
  })

  it('reports an interruption under its own code', async () => {
    const { err, exit } = await runUntil(AbortSignal.abort(), source.url)
    expect([exit, err]).toEqual([
      130,
      expect.stringMatching(/^error catalog\/interrupted: .*nothing was imported/),
    ])
  })

  it('reports an address without a catalog', async () => {
    const { err, exit } = await run(`${source.url}/elsewhere`)
    expect([exit, err]).toEqual([
      1,
      expect.stringMatching(/error catalog\/absent: There is no catalog of geoservices at .*\n {2}hint: /),
    ])
    expect((await run('http://127.0.0.1:9')).err).toContain('error external/unreachable')
  })
})
