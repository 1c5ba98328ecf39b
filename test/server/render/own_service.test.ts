import { expect, test } from 'vitest'
import { publishMaps } from '../../support/map_service.ts'
import { describeServer } from '../../support/server.ts'
import { allow, createResource } from '../../support/tree.ts'
import { principalId } from '../../support/users.ts'

describeServer(
  'a layer of a service of the server itself',
  (start) => {
    test('is drawn for a caller who requests more tiles than are drawn at once', async () => {
      const server = await start()
      const { admin, database } = server
      const { service } = await publishMaps(server)
      const guest = await principalId(database, 'guest')
      const connection = await createResource(admin, {
        ...{ cls: 'wmsclient_connection', name: 'Own service' },
        resource: { permissions: [allow(guest, 'resource', 'read'), allow(guest, 'connection', 'connect')] },
        members: {
          wmsclient_connection: { url: `${server.url}/api/resource/${service}/wms`, version: '1.3.0' },
        },
      })
      const permissions = [allow(guest, 'resource', 'read'), allow(guest, 'data', 'read')]
      const own = {
        connection: { id: connection },
        ...{ wmslayers: 'square', imgformat: 'image/png', srs: { id: 3857 } },
      }
      const layer = await createResource(admin, {
        ...{ cls: 'wmsclient_layer', name: 'Own layer', resource: { permissions } },
        members: { wmsclient_layer: own },
      })
      const tiles = Array.from({ length: 16 }, (_, at) => `z=4&x=${8 + (at % 4)}&y=${6 + Math.floor(at / 4)}`)
      const answers = await Promise.all(
        tiles.map(async (tile) => {
          const answer = await server.guest('GET', `/api/component/render/tile?resource=${layer}&${tile}`)
          return `${answer.status} ${answer.status === 200 ? '' : await answer.text()}`
        }),
      )
      expect(answers).toEqual(tiles.map(() => '200 '))
    })
  },
  { allowPrivateAddresses: true },
)
