import { expect, test } from 'vitest'
import { changeCatalog, newGeoservice } from '../../../support/catalog.ts'
import { type Ask, describeServers } from '../../../support/server.ts'
import { createResource } from '../../../support/tree.ts'

const create = (ask: Ask, name: string, basemap: object) =>
  createResource(ask, { cls: 'basemap_layer', name, members: { basemap_layer: basemap } })

const read = async (ask: Ask, id: number) =>
  (await (await ask('GET', `/api/resource/${id}`)).json<{ basemap_layer: object }>()).basemap_layer

const tiles = 'https://tiles.example.org/{z}/{x}/{y}.png'

describeServers('base maps', (start) => {
  test('a base map is read back with its defaults, and an update keeps absent fields', async () => {
    const { admin } = await start()
    const id = await create(admin, 'Read', { url: tiles, z_max: 18, copyright_text: '© somebody' })
    const whole = {
      url: tiles,
      qms: null,
      copyright_text: '© somebody',
      copyright_url: null,
      z_min: null,
      z_max: 18,
    }
    const { qms: _, ...tilesOfIt } = whole
    expect(await read(admin, id)).toEqual({ ...whole, tiles: tilesOfIt })
    const change = { z_min: 3, copyright_url: 'https://example.org/terms' }
    expect((await admin('PUT', `/api/resource/${id}`, { basemap_layer: change })).status).toBe(200)
    expect(await read(admin, id)).toEqual({ ...whole, ...change, tiles: { ...tilesOfIt, ...change } })
  })

  test.each([
    'https://{s}.example.org/{z}/{x}/{-y}.png?key=a&b={x}',
    'HTTP://ecn.t{switch:0,1}.example.net/tiles/a{q}.jpeg',
  ])('%s is accepted as a tile URL', async (url) => {
    const { admin } = await start()
    expect(await read(admin, await create(admin, url, { url }))).toMatchObject({ url })
  })

  test('a QMS record replaces the URL, and is stored unchanged', async () => {
    const { admin } = await start()
    const qms = `{ "type": "tms",\n  "url": "${tiles}", "epsg": 3857 }`
    expect(await read(admin, await create(admin, 'Record', { qms }))).toMatchObject({ url: null, qms })
  })

  test('a QMS record gives what the base map does not say', async () => {
    const { admin } = await start()
    const qms = JSON.stringify({
      url: tiles,
      y_origin_top: true,
      copyright_text: 'Record',
      z_max: 7,
      z_min: null,
    })
    const id = await create(admin, 'Filled', { qms, z_max: 5 })
    expect(await read(admin, id)).toMatchObject({
      tiles: { url: tiles, copyright_text: 'Record', copyright_url: null, z_min: null, z_max: 5 },
    })
  })

  test('a geoservice of the catalog gives address, rows, attribution and zooms, and is followed', async () => {
    const server = await start()
    const { admin } = server
    const [id = 0] = await changeCatalog(server, [
      newGeoservice('Named', {
        keyname: 'named',
        url: 'https://{switch:a,b}.example.org/{z}/{x}/{y}.png',
        copyright_text: 'Catalog',
        z_max: 9,
      }),
    ])
    const basemap = await create(admin, 'Named', { qms: 'named' })
    expect(await read(admin, basemap)).toMatchObject({
      url: null,
      qms: 'named',
      tiles: {
        url: 'https://a.example.org/{z}/{x}/{-y}.png',
        copyright_text: 'Catalog',
        z_min: null,
        z_max: 9,
      },
    })
    const { guid } = await (await server.guest('GET', `/api/v1/geoservices/${id}`)).json<{ guid: string }>()
    const byGuid = await create(admin, 'By guid', { qms: guid })
    await changeCatalog(server, [
      { op: 'update', kind: 'geoservice', id, body: { y_origin_top: true, z_max: 12, url: tiles } },
    ])
    for (const one of [basemap, byGuid])
      expect(await read(admin, one)).toMatchObject({ tiles: { url: tiles, z_max: 12 } })
    await changeCatalog(server, [{ op: 'delete', kind: 'geoservice', id }])
    expect(await read(admin, basemap)).toMatchObject({ qms: 'named', tiles: null })
  })

  test('a geoservice in another reference system is refused', async () => {
    const server = await start()
    await changeCatalog(server, [newGeoservice('Polar', { keyname: 'polar', epsg: 3575 })])
    const answer = await server.admin('POST', '/api/resource/', {
      resource: { cls: 'basemap_layer', parent: { id: 0 }, display_name: 'Polar' },
      basemap_layer: { qms: 'polar' },
    })
    expect([answer.status, await answer.json()]).toEqual([
      422,
      expect.objectContaining({
        message: 'the geoservice "polar" is in EPSG:3575, not in EPSG:3857 - at $.basemap_layer.qms',
      }),
    ])
  })

  test.each([
    ['nothing', {}, '$.basemap_layer'],
    ['a geoservice that does not exist', { qms: 'nowhere' }, '$.basemap_layer.qms'],
    ['an address that names no tile', { url: 'https://example.org/{z}/{x}' }, '$.basemap_layer.url'],
    ['an address that runs', { url: 'javascript:alert({z},{x},{y})' }, '$.basemap_layer.url'],
    ['an address whose host is none', { url: 'https://exa mple.org/{z}/{x}/{y}' }, '$.basemap_layer.url'],
    ['a record that is no JSON', { qms: '{"url":' }, '$.basemap_layer.qms'],
    ['a record that is a list', { qms: '[]' }, '$.basemap_layer.qms'],
    ['a record without an address', { qms: '{"url":"file:///etc/passwd"}' }, '$.basemap_layer.qms'],
    [
      'a link that runs',
      { url: tiles, copyright_url: 'javascript:alert(1)' },
      '$.basemap_layer.copyright_url',
    ],
    ['levels upside down', { url: tiles, z_min: 9, z_max: 8 }, '$.basemap_layer.z_min'],
    ['a level beyond all', { url: tiles, z_max: 25 }, '$.basemap_layer.z_max'],
  ])('%s is refused with the location', async (name, basemap, place) => {
    const { admin } = await start()
    const resource = { cls: 'basemap_layer', parent: { id: 0 }, display_name: name }
    const answer = await admin('POST', '/api/resource/', { resource, basemap_layer: basemap })
    expect([answer.status, (await answer.json<{ message: string }>()).message]).toEqual([
      422,
      expect.stringMatching(`- at ${place.replaceAll(/[$.]/g, '\\$&')}$`),
    ])
  })

  test('an update that removes the last URL is refused', async () => {
    const { admin } = await start()
    const id = await create(admin, 'Kept', { url: tiles })
    expect((await admin('PUT', `/api/resource/${id}`, { basemap_layer: { url: null } })).status).toBe(422)
    expect(await read(admin, id)).toMatchObject({ url: tiles })
  })

  test('a web map lists it among its base maps', async () => {
    const { admin } = await start()
    const id = await create(admin, 'Listed', { url: tiles })
    const basemaps = [{ resource_id: id, display_name: 'Streets', position: 0, opacity: 0.5, enabled: true }]
    const map = await createResource(admin, {
      cls: 'webmap',
      name: 'With a base map',
      members: { basemap_webmap: { basemaps } },
    })
    const body = await (await admin('GET', `/api/resource/${map}`)).json()
    expect(body).toMatchObject({ basemap_webmap: { basemaps } })
    expect((await admin('DELETE', `/api/resource/${id}`)).status).toBe(200)
    expect(await (await admin('GET', `/api/resource/${map}`)).json()).toMatchObject({
      basemap_webmap: { basemaps: [] },
    })
  })
})
