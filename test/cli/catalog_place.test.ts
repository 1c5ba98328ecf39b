import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../src/server/config.ts'
import { changeCatalog, newGeoservice } from '../support/catalog.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'landform-catalog-place-'))
  const service = '  a: { type: geojson, name: A, url: "https://example.org/a.json" }\n'
  await writeFile(join(cwd, 'a.yaml'), `manifest: a\ngeoservices:\n${service}`)
  await writeFile(join(cwd, 'a.csv'), 'name,type,url\nB,geojson,https://example.org/b.json\n')
})
afterAll(() => rm(cwd, { recursive: true }))

const run = (url: string, ...words: string[]) =>
  runCommand(words, {
    cwd,
    env: { LANDFORM_SERVER: url, LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword },
  })

const places: [string, ServerConfig['catalog']][] = [
  ['a base path', { path: '/qms' }],
  ['an address of its own', { listen: { host: '127.0.0.1', port: 0 } }],
]

describe.each(places)('commands with the catalog at %s', (_, catalog) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer('postgres', { ...(catalog === undefined ? {} : { catalog }) })
    const many = Array.from({ length: 501 }, (_one, at) => newGeoservice(`Many ${at}`))
    await changeCatalog(server, many)
  })
  afterAll(() => server.stop())

  it('find it by the address of the server', async () => {
    expect(await run(server.url, 'catalog', 'search', 'many')).toMatchObject({
      err: '50 of 501 geoservices\n',
      exit: 0,
    })
    expect((await run(server.url, 'catalog', 'search', 'many', '--all')).err).toBe('501 geoservices\n')
    expect((await run(server.url, 'catalog', 'search', '--limit', '501')).err).toBe('501 geoservices\n')
    expect((await run(server.url, 'plan', 'a.yaml')).out).toContain('1 to create')
  })

  it('report its address where they need that of the server', async () => {
    const address = server.running.catalogUrl ?? `${server.url}/qms`
    expect((await run(address, 'catalog', 'search', 'many')).exit).toBe(0)
    for (const words of [
      ['catalog', 'check'],
      ['catalog', 'import', 'a.csv'],
      ['pull', '--catalog', '--into', 'x'],
    ]) {
      const { err, exit } = await run(address, ...words)
      expect([exit, err]).toEqual([
        1,
        expect.stringMatching(
          /error catalog\/absent: .*\n {2}hint: Use the address of a landform server, not/,
        ),
      ])
    }
    expect((await run(address, 'plan', 'a.yaml')).err).toMatch(/error catalog\/absent: .*/)
  })
})

describe('commands without a catalog', () => {
  it('change nothing, and say so', async () => {
    const server = await startTestServer('postgres', { catalog: 'off' })
    try {
      for (const words of [
        ['apply', 'a.yaml', '--yes'],
        ['catalog', 'import', 'a.csv'],
        ['catalog', 'check'],
      ]) {
        const { err, exit } = await run(server.url, ...words)
        expect([exit, err]).toEqual([1, expect.stringMatching(/error catalog\/absent: /)])
      }
      expect((await run(server.url, 'catalog', 'search')).err).toMatch(/error catalog\/absent: /)
      const { err } = await run(server.url, 'group', 'add', 'catalog_editors', 'administrator')
      expect(err).toContain('hint: Create the group with landform group create catalog_editors')
    } finally {
      await server.stop()
    }
  })
})
