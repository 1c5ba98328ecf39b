import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import type { ConfigGroup, ConfigLayer, WebmapConfig } from '../../../src/contract/webmap_config.ts'
import { makeMap, type TestMap } from '../../support/map.ts'
import { makeRaster } from '../../support/raster.ts'
import { uploadContent } from '../../support/samples.ts'
import { type Ask, describeServers } from '../../support/server.ts'
import { allow, createResource } from '../../support/tree.ts'
import { principalId } from '../../support/users.ts'

beforeAll(() => {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../../scripts/build-web.mjs', import.meta.url))])
})

const readConfig = async (ask: Ask, id: number) =>
  (await ask('GET', `/api/resource/${id}/webmap/display_config`)).json<WebmapConfig>()

describeServers('the page of a web map', (start) => {
  let making: Promise<TestMap> | undefined
  const prepare = async () => {
    const server = await start()
    making ??= makeMap(server)
    return { ...server, map: await making }
  }

  test('the configuration has the members that the page and other clients read', async () => {
    const { guest, map } = await prepare()
    const config = await readConfig(guest, map.id)
    const [group] = config.rootItem.children as [ConfigGroup]
    const [cities, squares] = group.children as [ConfigLayer, ConfigLayer]
    expect(config).toMatchObject({
      webmapId: map.id,
      webmapTitle: 'Test <map>',
      initialExtent: [-40, -20, 40, 20],
      checkedItems: [cities.id, squares.id],
      expandedItems: [group.id],
      drawOrderEnabled: false,
      bookmarkLayerId: null,
    })
    expect(cities).toMatchObject({
      label: 'Cities',
      layerId: map.cityLayer,
      styleId: map.cityStyle,
      visibility: true,
    })
    expect(squares.landform).toMatchObject({
      geometryType: 'POLYGON',
      attribution: '© Test <b>',
      fields: [
        { keyname: 'name', label: 'Name', datatype: 'STRING' },
        { keyname: 'kind', label: 'Kind', datatype: 'STRING' },
        { keyname: 'founded', label: 'Founded', datatype: 'DATE' },
        { keyname: 'size', label: 'size', datatype: 'REAL' },
        { keyname: 'site', label: 'Site', datatype: 'STRING' },
      ],
      style: { rules: [{ label: 'blue ones' }, {}] },
    })
  })

  test('unreadable layers are omitted, and groups that are empty without them', async () => {
    const { admin, guest, map } = await prepare()
    const labels = ({ rootItem }: WebmapConfig) =>
      (rootItem.children as ConfigGroup[]).flatMap(({ children }) => children.map(({ label }) => label))
    expect(labels(await readConfig(guest, map.id))).toEqual(['Cities', 'Squares'])
    expect(labels(await readConfig(admin, map.id))).toEqual(['Cities', 'Squares', 'Nothing for you'])
  })

  test('raster layers, which cannot be drawn yet, are named', async () => {
    const { admin, guest, map } = await prepare()
    expect((await readConfig(admin, map.id)).landform.undrawn).toEqual([])
    const source = await uploadContent(admin, makeRaster())
    const layer = { cls: 'raster_layer', name: 'Photo', members: { raster_layer: { source } } }
    const parent = await createResource(admin, layer)
    const style = await createResource(admin, { cls: 'raster_style', parent, name: 'Style' })
    const children = [{ item_type: 'layer', display_name: 'The photo', layer_style_id: style }]
    const resource = { permissions: [allow(await principalId((await start()).database, 'guest'), '')] }
    const members = { webmap: { root_item: { item_type: 'root', children } } }
    const id = await createResource(admin, { cls: 'webmap', name: 'Photos', members, resource })
    const config = await readConfig(admin, id)
    expect([config.rootItem.children, config.landform.undrawn]).toEqual([[], ['The photo']])
    expect((await readConfig(guest, id)).landform.undrawn).toEqual([])
  })

  test('a change of the features changes the version of the layer', async () => {
    const { admin, guest, map } = await prepare()
    const version = async () => {
      const [group] = (await readConfig(guest, map.id)).rootItem.children as [ConfigGroup]
      return (group.children[0] as ConfigLayer).landform.dataVersion
    }
    const before = await version()
    await admin('PATCH', `/api/resource/${map.cityLayer}/feature/`, [{ geom: 'POINT(0 0)' }])
    expect(await version()).toBeGreaterThan(before)
  })

  test('the page loads nothing from other hosts, and runs only its own code', async () => {
    const { guest, map } = await prepare()
    const answer = await guest('GET', `/resource/${map.id}/display`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';")
    const html = await answer.text()
    expect(html).toContain('<title>Test &lt;map&gt;</title>')
    expect(html.match(/(?:src|href)="(?!data:)[^"]*"/g)).toEqual([
      expect.stringMatching(/^href="\/static\/web\/[0-9a-f]{16}\/page\.css"$/),
      expect.stringMatching(/^src="\/static\/web\/[0-9a-f]{16}\/page\.js"$/),
    ])
  })

  test('the files of the page are cached forever, and compressed for clients that accept it', async () => {
    const { url, guest, map } = await prepare()
    const html = await (await guest('GET', `/resource/${map.id}/display`)).text()
    const path = /src="([^"]+)"/.exec(html)?.[1] ?? ''
    const plain = await guest('GET', path, undefined, { 'accept-encoding': 'identity' })
    expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const packed = await fetch(url + path, { headers: { 'accept-encoding': 'br' } })
    expect(packed.headers.get('content-encoding')).toBe('br')
    expect(await packed.text()).toBe(await plain.text())
  })

  test.each([
    '/static/web/0000000000000000/page.js',
    '/static/web/..%2f..%2f/current.json',
    '/static/web/current.json',
    '/static/web/0000000000000000/..%2fcurrent.json',
  ])('%s is 404', async (path) => {
    const { guest } = await prepare()
    expect((await guest('GET', path)).status).toBe(404)
  })

  test('page and configuration require webmap.display', async () => {
    const { guest, map } = await prepare()
    const page = await guest('GET', `/resource/${map.hiddenId}/display`, undefined, { accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8'])
    expect((await guest('GET', `/resource/${map.hiddenId}/display/tiny`)).status).toBe(403)
    expect((await guest('GET', `/api/resource/${map.hiddenId}/webmap/display_config`)).status).toBe(403)
    expect((await guest('GET', '/resource/2000000/display')).status).toBe(404)
  })
})
