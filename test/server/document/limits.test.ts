import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStyledLayer, type StyledLayer, uploadContent } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let family: StyledLayer
beforeAll(async () => {
  server = await startTestServer('postgres')
  family = await createStyledLayer(server.admin)
})
afterAll(() => server.stop())

let made = 0
const send = async (cls: string, member: object = {}, resource: object = {}) => {
  made += 1
  const wanted = { cls, parent: { id: family.group }, display_name: `Limited ${made}` }
  const answer = await server.admin('POST', '/api/resource/', {
    resource: { ...wanted, ...resource },
    [cls]: member,
  })
  return { status: answer.status, ...(await answer.json<{ id: number; message: string }>()) }
}

describe('Limits', () => {
  test('keyname unique in the whole instance, ASCII only | all resources', async () => {
    const keyname = 'limited.key-1'
    expect(await send('lookup_table', {}, { keyname })).toMatchObject({ status: 200 })
    expect(await send('resource_group', {}, { keyname, parent: { id: 0 } })).toMatchObject({
      status: 422,
      message: expect.stringContaining(keyname),
    })
    for (const wrong of ['ключ', 'Straße', 'tab\there'])
      expect(await send('resource_group', {}, { keyname: wrong })).toMatchObject({
        status: 422,
        message: expect.stringContaining('keyname'),
      })
  })

  test('only EPSG 3857 accepted as srs | vector layer creation from data', async () => {
    const point = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [1, 2] } }
    const content = JSON.stringify({ type: 'FeatureCollection', features: [point] })
    const source = { ...(await uploadContent(server.admin, content)), name: 'point.geojson' }
    expect(await send('vector_layer', { source, srs: { id: 3857 } })).toMatchObject({ status: 200 })
    for (const id of [4326, 32636])
      expect(await send('vector_layer', { source, srs: { id } })).toMatchObject({
        status: 422,
        message: expect.stringContaining('3857'),
      })
  })

  test('maxfeatures per layer | WFS service layer entries', async () => {
    const layer = { keyname: 'dots', display_name: 'Dots', resource_id: family.layer, maxfeatures: 10 }
    const { id } = await send('wfsserver_service', { layers: [layer] })
    const read = await server.admin('GET', `/api/resource/${id}`)
    expect(await read.json()).toMatchObject({ wfsserver_service: { layers: [{ maxfeatures: 10 }] } })
    const service = await server.admin('GET', `/api/resource/${id}/wfs?service=WFS&request=GetCapabilities`)
    expect(await service.text()).toMatch(/name="CountDefault">.{0,60}<ows:DefaultValue>10</)
  })

  test('simplification default 8, 0 disables | vector tiles', async () => {
    const path = `/api/component/feature_layer/mvt?x=0&y=0&z=0&resource=${family.layer}`
    for (const simplification of ['', '&simplification=8', '&simplification=0'])
      expect((await server.admin('GET', path + simplification)).status).toBe(204)
    expect((await server.admin('GET', `${path}&simplification=-1`)).status).toBe(422)
  })

  test('only owner_user__id usable as child search key | search', async () => {
    const search = async (query: string) => {
      const answer = await server.admin('GET', `/api/resource/search/?${query}`)
      return (await answer.json<object[]>()).length
    }
    const all = await search('')
    expect(all).toBeGreaterThan(0)
    expect(await search('owner_user__id=999999')).toBe(0)
    expect(await search('owner_user__display_name=nobody')).toBe(all)
  })

  test('wmsserver_service layers: keyname, display_name, resource_id required | WMS service creation', async () => {
    const layer = { keyname: 'dots', display_name: 'Dots', resource_id: family.style }
    expect(await send('wmsserver_service', { layers: [layer] })).toMatchObject({ status: 200 })
    for (const name of Object.keys(layer)) {
      const lacking = Object.fromEntries(Object.entries(layer).filter(([one]) => one !== name))
      expect(await send('wmsserver_service', { layers: [lacking] })).toMatchObject({
        status: 422,
        message: expect.stringContaining(name),
      })
    }
  })
})
