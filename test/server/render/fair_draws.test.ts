import { expect, test } from 'vitest'
import { createTestLayer, publishLayer } from '../../support/layers.ts'
import { captureLog } from '../../support/log.ts'
import { describeServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

/** More images than may wait for a thread. */
const images = 200

const { log, written } = captureLog()

describeServer(
  'threads that draw',
  (start) => {
    test('draw for a user while guests request more images than may wait, and refuse some of those', async () => {
      const server = await start()
      const layer = await createTestLayer(server.database, {
        name: 'fair',
        geometryType: 'POLYGON',
        fields: {},
      })
      const geom = 'POLYGON((-9000000 -9000000,9000000 -9000000,0 9000000,-9000000 -9000000))'
      expect((await server.admin('PATCH', `/api/resource/${layer}/feature/`, [{ geom }])).status).toBe(200)
      const xml =
        '<map><layer><class><style><color red="255" green="0" blue="0"/></style></class></layer></map>'
      const style = await createResource(server.admin, {
        cls: 'mapsrv_style',
        parent: layer,
        name: 'red',
        members: { mapsrv_style: { xml } },
      })
      await publishLayer(server.database, layer)
      await publishLayer(server.database, style)
      const clients = new AbortController()
      let drawn = 0
      const { promise: refused, resolve } = Promise.withResolvers<Response>()
      const request = async (at: number) => {
        const extent = `${-9e6 - at},${-9e6 - at},9000000,9000000`
        const path = `/api/component/render/image?resource=${style}&extent=${extent}&size=1024,1024`
        const answer = await fetch(server.url + path, { signal: clients.signal })
        if (answer.status === 200) drawn += 1
        else resolve(answer)
      }
      const requests = Array.from({ length: images }, (_, at) => request(at).catch(() => undefined))
      const answer = await refused
      expect(answer.status, await answer.clone().text()).toBe(503)
      expect(answer.headers.get('retry-after')).toBe('5')
      expect(await answer.json()).toMatchObject({ code: 'render/busy' })
      const before = drawn
      const tile = await server.admin('GET', `/api/component/render/tile?z=0&x=0&y=0&resource=${style}`)
      expect(tile.status).toBe(200)
      const legend = await server.admin('GET', `/api/resource/${style}/legend`)
      expect(legend.status).toBe(200)
      expect(drawn - before).toBeLessThan(images / 4)
      clients.abort()
      await Promise.all(requests)
      expect(written.filter((line) => line.includes('"request refused"')).at(0)).toContain('"level":"warn"')
      expect(written.join('')).not.toContain('"level":"error"')
    })
  },
  { log },
)
