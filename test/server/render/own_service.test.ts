import { expect, test } from 'vitest'
import { publishMaps } from '../../support/map_service.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { allow, createResource } from '../../support/tree.ts'
import { principalId } from '../../support/users.ts'

describeServer(
  'a layer of a service of the server itself',
  (start) => {
    test('is drawn for a caller who requests more tiles than are drawn at once', async () => {
      const server = await start()
      const { service } = await publishMaps(server)
      const layer = await publishLayerOf(server, { name: 'Own', service, layer: 'square' })
      const tiles = Array.from({ length: 16 }, (_, at) => `z=4&x=${8 + (at % 4)}&y=${6 + Math.floor(at / 4)}`)
      expect(await drawTiles(server, layer, tiles)).toEqual(tiles.map(() => '200 '))
    })

    test('is drawn where its service shows another one, for more tiles than are fetched at once', async () => {
      const server = await start()
      const { service } = await publishMaps(server, 'Lowest')
      const middle = await publishLayerOf(server, { name: 'Middle', service, layer: 'square' })
      const upper = await publishService(server, 'Upper', [middle])
      const top = await publishLayerOf(server, { name: 'Top', service: upper, layer: `layer-${middle}` })
      const tiles = Array.from(
        { length: 48 },
        (_, at) => `z=6&x=${33 + (at % 8)}&y=${26 + Math.floor(at / 8)}`,
      )
      expect(await drawTiles(server, top, tiles)).toEqual(tiles.map(() => '200 '))
    })

    test('that its service shows itself is refused, and not waited for', async () => {
      const server = await start()
      const service = await publishService(server, 'Loop', [])
      const layer = await publishLayerOf(server, { name: 'Looped', service, layer: 'loop' })
      const layers = [{ keyname: 'loop', display_name: 'Loop', resource_id: layer }]
      const changed = await server.admin('PUT', `/api/resource/${service}`, { wmsserver_service: { layers } })
      expect(changed.status).toBe(200)
      const [answer] = await drawTiles(server, layer, ['z=4&x=8&y=6'])
      expect(answer).toMatch(/^503 .*4 services show one another already/)
      const legend = await server.guest('GET', `/api/resource/${layer}/legend`)
      expect([legend.status, await legend.text()]).toEqual([503, expect.stringContaining('show one another')])
    })
  },
  { allowPrivateAddresses: true },
)

interface OwnLayer {
  readonly name: string
  readonly service: number
  readonly layer: string
}

/** Creates a layer of a service of the server, which guests may read. */
async function publishLayerOf(
  { admin, database, url }: TestServer,
  { name, service, layer }: OwnLayer,
): Promise<number> {
  const guest = await principalId(database, 'guest')
  const connection = await createResource(admin, {
    ...{ cls: 'wmsclient_connection', name: `${name} connection` },
    resource: { permissions: [allow(guest, 'resource', 'read'), allow(guest, 'connection', 'connect')] },
    members: { wmsclient_connection: { url: `${url}/api/resource/${service}/wms`, version: '1.3.0' } },
  })
  const own = { wmslayers: layer, imgformat: 'image/png', srs: { id: 3857 } }
  return createResource(admin, {
    ...{ cls: 'wmsclient_layer', name: `${name} layer` },
    resource: { permissions: [allow(guest, 'resource', 'read'), allow(guest, 'data', 'read')] },
    members: { wmsclient_layer: { connection: { id: connection }, ...own } },
  })
}

/** Creates a service of layers, which guests may request. */
async function publishService({ admin, database }: TestServer, name: string, ids: readonly number[]) {
  const guest = await principalId(database, 'guest')
  const layers = ids.map((id) => ({ keyname: `layer-${id}`, display_name: `Layer ${id}`, resource_id: id }))
  return createResource(admin, {
    ...{ cls: 'wmsserver_service', name },
    resource: { permissions: [allow(guest, 'resource', 'read'), allow(guest, 'service', 'connect')] },
    members: { wmsserver_service: { layers } },
  })
}

/** Requests tiles as a guest, all at once; returns each status, and the text of errors. */
function drawTiles(server: TestServer, layer: number, tiles: readonly string[]): Promise<string[]> {
  return Promise.all(
    tiles.map(async (tile) => {
      const answer = await server.guest('GET', `/api/component/render/tile?resource=${layer}&${tile}`)
      return `${answer.status} ${answer.status === 200 ? '' : await answer.text()}`
    }),
  )
}
