import { expect, test } from 'vitest'
import { makeOpenGroup } from '../../support/map.ts'
import { describeServers } from '../../support/server.ts'
import { allow, createLayer, createResource } from '../../support/tree.ts'

describeServers('the kept tiles of a style', (start) => {
  const path = (id: number) => `/api/component/landform/tile_cache/${id}`

  test('are counted for readers, and deleted by those who may change the style', async () => {
    const server = await start()
    const { admin, guest } = server
    const { guest: principal, parent } = await makeOpenGroup(server)
    const layer = await createLayer(admin, { name: 'Kept', parent, geometryType: 'POINT' })
    const style = await createResource(admin, {
      ...{ cls: 'mapsrv_style', parent: layer, name: 'Kept' },
      members: { tile_cache: { enabled: true } },
    })
    expect(await (await guest('GET', path(style))).json()).toEqual({ tiles: 0, bytes: 0, zooms: [] })
    expect((await guest('DELETE', path(style))).status).toBe(403)
    const permissions = [{ ...allow(principal, 'resource', 'read'), action: 'deny' }]
    await admin('PUT', `/api/resource/${style}`, { resource: { permissions } })
    expect((await guest('GET', path(style))).status).toBe(403)
    expect((await admin('DELETE', path(style))).status).toBe(200)
    expect((await admin('GET', path(layer))).status).toBe(404)
    expect((await admin('DELETE', path(layer))).status).toBe(404)
    expect((await admin('GET', path(999_999))).status).toBe(404)
  })
})
