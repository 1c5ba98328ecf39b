import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import type { ConfigGroup, ConfigLayer, WebmapConfig } from '../../../src/contract/bodies/webmap_config.ts'
import { makeMap, type TestMap } from '../../support/map.ts'
import { type Picture, readPicture } from '../../support/picture.ts'
import { makeRaster } from '../../support/raster.ts'
import { uploadContent } from '../../support/samples.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { allow, createResource } from '../../support/tree.ts'
import { principalId } from '../../support/users.ts'

beforeAll(() => {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../../scripts/build-web.mjs', import.meta.url))])
})

const readConfig = async (ask: Ask, id: number) =>
  (await ask('GET', `/api/resource/${id}/webmap/display_config`)).json<WebmapConfig>()

describeServer('the page of a web map', (start) => {
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
      attribution: '© Test <b>',
      fields: [
        { keyname: 'name', label: 'Name', datatype: 'STRING' },
        { keyname: 'kind', label: 'Kind', datatype: 'STRING' },
        { keyname: 'founded', label: 'Founded', datatype: 'DATE' },
        { keyname: 'size', label: 'size', datatype: 'REAL' },
        { keyname: 'site', label: 'Site', datatype: 'STRING' },
      ],
      reach: 0,
      hasExtent: true,
    })
  })

  test('unreadable layers are omitted, and groups that are empty without them', async () => {
    const { admin, guest, map } = await prepare()
    const labels = ({ rootItem }: WebmapConfig) =>
      (rootItem.children as ConfigGroup[]).flatMap(({ children }) => children.map(({ label }) => label))
    expect(labels(await readConfig(guest, map.id))).toEqual(['Cities', 'Squares'])
    expect(labels(await readConfig(admin, map.id))).toEqual(['Cities', 'Squares', 'Nothing for you'])
  })

  test('the layer of the bookmarks is named to those who may read it', async () => {
    const { admin, guest, map } = await prepare()
    const style = await (await admin('GET', `/api/resource/${map.secretStyle}`)).json<{
      resource: { parent: { id: number } }
    }>()
    const secret = style.resource.parent.id
    const webmap = { bookmark_resource: secret, root_item: { item_type: 'root', children: [] } }
    const made = { cls: 'webmap', parent: map.group, name: 'Marked', members: { webmap } }
    const id = await createResource(admin, made)
    expect((await readConfig(admin, id)).bookmarkLayerId).toBe(secret)
    expect((await readConfig(guest, id)).bookmarkLayerId).toBeNull()
  })

  test('layers without features are listed, with data.read on them', async () => {
    const { admin, guest, map } = await prepare()
    const source = await uploadContent(admin, makeRaster())
    const layer = { cls: 'raster_layer', name: 'Photo', members: { raster_layer: { source } } }
    const parent = await createResource(admin, layer)
    const style = await createResource(admin, { cls: 'raster_style', parent, name: 'Style' })
    const basemap_layer = { url: 'https://tiles.example.org/{z}/{x}/{y}.png' }
    const tiles = await createResource(admin, { cls: 'basemap_layer', name: 'B', members: { basemap_layer } })
    const children = [style, tiles].map((id) => ({
      item_type: 'layer',
      display_name: `${id}`,
      layer_style_id: id,
      layer_min_scale_denom: '1 : 5000',
    }))
    const resource = { permissions: [allow(await principalId((await start()).database, 'guest'), '')] }
    const members = { webmap: { root_item: { item_type: 'root', children } } }
    const id = await createResource(admin, { cls: 'webmap', name: 'Photos', members, resource })
    const shared = {
      legendInfo: { has_legend: false },
      minScaleDenom: 5000,
    }
    const found = { identifiable: true, identification: { mode: 'raster_layer', resource: { id: parent } } }
    expect((await readConfig(admin, id)).rootItem.children).toMatchObject([
      { ...shared, ...found, layerId: parent, styleId: style, landform: { hasExtent: true } },
      {
        ...{ ...shared, identifiable: false, identification: null },
        ...{ layerId: tiles, styleId: tiles, landform: { hasExtent: false } },
      },
    ])
    expect((await readConfig(guest, id)).rootItem.children).toEqual([])
    expect((await readConfig(guest, map.id)).rootItem.children).toHaveLength(1)
  })

  test('rasters with values have a legend', async () => {
    const { admin } = await prepare()
    const source = await uploadContent(admin, makeRaster({ bands: 1 }))
    const layer = { cls: 'raster_layer', name: 'Heights', members: { raster_layer: { source } } }
    const parent = await createResource(admin, layer)
    const style = await createResource(admin, { cls: 'raster_style', parent, name: 'Grey' })
    const item = { item_type: 'layer', display_name: 'Heights', layer_style_id: style }
    const members = { webmap: { root_item: { item_type: 'root', children: [item] } } }
    const id = await createResource(admin, { cls: 'webmap', name: 'Terrain', members })
    expect((await readConfig(admin, id)).rootItem.children).toMatchObject([
      { styleId: style, legendInfo: { has_legend: true }, identifiable: true },
    ])
  })

  test('base maps are listed in order, with data.read on them, and the page may load their tiles', async () => {
    const { admin, guest, database } = await start()
    const wanted = [
      { url: 'https://{switch:a,b}.example.org/{z}/{x}/{y}.png', z_max: 9, copyright_text: 'Us' },
      { url: 'https://{s}.example.net:8443/{q}.png', copyright_url: 'https://example.net/' },
      { qms: JSON.stringify({ url: 'https://t.example.com/{z}/{x}/{y}.png', epsg: 3395 }) },
      { url: 'https://*.example.edu/{z}/{x}/{y}.png' },
      { qms: JSON.stringify({ url: 'http://p.example.com/{z}/{x}/{y}.png' }) },
    ]
    const ids: number[] = []
    for (const [at, basemap_layer] of wanted.entries())
      ids.push(
        await createResource(admin, { cls: 'basemap_layer', name: `Base ${at}`, members: { basemap_layer } }),
      )
    const basemaps = ids.map((resource_id, at) => ({
      resource_id,
      display_name: `Base ${at}`,
      position: 9 - at,
      enabled: at < 2,
      ...(at === 0 ? { opacity: 0.25 } : {}),
    }))
    const permissions = [allow(await principalId(database, 'guest'), '')]
    const map = { cls: 'webmap', name: 'Base maps', resource: { permissions } }
    const id = await createResource(admin, { ...map, members: { basemap_webmap: { basemaps } } })
    const { landform } = await readConfig(admin, id)
    expect(landform.initialBasemap).toBe(ids[1])
    expect(landform.basemaps.map(({ urls }) => urls)).toEqual([
      // Rows of descriptions are counted from the south.
      ['http://p.example.com/{z}/{x}/{-y}.png'],
      [],
      [],
      ['a', 'b', 'c'].map((host) => `https://${host}.example.net:8443/{q}.png`),
      ['a', 'b'].map((host) => `https://${host}.example.org/{z}/{x}/{y}.png`),
    ])
    expect(landform.basemaps[4]).toMatchObject({
      id: ids[0],
      label: 'Base 0',
      opacity: 0.25,
      minZoom: null,
      maxZoom: 9,
      attribution: { text: 'Us', url: null },
    })
    const policyOf = async (ask: Ask) =>
      (await ask('GET', `/resource/${id}/display`)).headers.get('content-security-policy')
    expect(await policyOf(admin)).toContain(
      "img-src 'self' data: blob: http://p.example.com https://a.example.net:8443 https://b.example.net:8443 " +
        'https://c.example.net:8443 https://a.example.org https://b.example.org;',
    )
    expect((await readConfig(guest, id)).landform).toEqual({ basemaps: [], initialBasemap: null })
    expect(await policyOf(guest)).toContain("img-src 'self' data: blob:;")
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

  test('a preview shows the map as the page opens it, and what a layer or style shows in its extent', async () => {
    const { url, guest, map } = await prepare()
    const html = await (await guest('GET', `/resource/${map.id}/display`)).text()
    expect(html).toContain(`<meta property="og:image" content="${url}/api/resource/${map.id}/preview.png">`)
    const shown = await readPicture(guest, `/api/resource/${map.id}/preview.png`)
    // The map shows 80 degrees in 1200 pixels: squares from -30 to -10 and 10 to 30, and a city at 20.
    const colors = (picture: Picture, y: number, xs: readonly number[]) => xs.map((x) => picture.at(x, y))
    const [white, blue, green, orange] = [255, 51, 153, 238].map((red) => expect.arrayContaining([red]))
    expect([shown.width, shown.height]).toEqual([1200, 630])
    expect(colors(shown, 315, [600, 300, 780, 900])).toEqual([white, blue, green, orange])
    const style = await readPicture(guest, `/api/resource/${map.squareStyle}/preview.png?size=200,100`)
    expect([style.width, style.height]).toEqual([200, 100])
    // 60 degrees, enlarged by a tenth, in 200 pixels.
    expect(colors(style, 50, [12, 68, 100, 188])).toEqual([blue, blue, [0, 0, 0, 0], green])
    const layer = await readPicture(guest, `/api/resource/${map.cityLayer}/preview.png?size=100,50`)
    expect(layer.at(50, 25)[3]).toBe(255)
    const refused = ['?size=10,10', '?size=100', '?size=4000,100']
    const paths = [...refused.map((size) => `${map.id}/preview.png${size}`), `${map.hiddenId}/preview.png`]
    const answers = await Promise.all(paths.map((path) => guest('GET', `/api/resource/${path}`)))
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 403])
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
