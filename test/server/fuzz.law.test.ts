import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { ErrorBody } from '../../src/contract/error.ts'
import type { OpenApi } from '../../src/contract/openapi/openapi.ts'
import { groupBody, openBatchClient } from '../support/batch.ts'
import { aimRequest, requestArbitrary } from '../support/request_arbitrary.ts'
import { describeServers, type TestServer } from '../support/server.ts'

const numRuns = process.env.LANDFORM_SOAK ? 20_000 : 1500
const seed = 20_261_121

/** What would end the test itself: passwords and users, and logins, which are slowed down. */
const left = [/^auth\.(login|user_|group_|profile_)/, /^page\.login/, /^token\./]

describeServers('whatever is asked', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
  })

  /** A tree with something of most kinds, under the ids that requests mostly name. */
  const plant = () =>
    openBatchClient(server).send([
      { op: 'create', name: 'g', body: groupBody('Planted') },
      {
        op: 'create',
        name: 'l',
        body: {
          resource: { cls: 'vector_layer', parent: { id: 'g' }, display_name: 'Layer' },
          vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' },
          feature_layer: {
            fields: [
              { keyname: 'name', datatype: 'STRING' },
              { keyname: 'size', datatype: 'INTEGER' },
              { keyname: 'day', datatype: 'DATE' },
            ],
          },
        },
      },
      {
        op: 'create',
        name: 's',
        body: { resource: { cls: 'mapsrv_style', parent: { id: 'l' }, display_name: 'Style' } },
      },
      {
        op: 'create',
        body: {
          resource: { cls: 'webmap', parent: { id: 'g' }, display_name: 'Map' },
          webmap: {
            root_item: {
              item_type: 'root',
              children: [{ item_type: 'layer', display_name: 'L', layer_style_id: 's' }],
            },
          },
        },
      },
    ])

  const findStanding = async () => {
    const answer = await server.admin('GET', '/api/resource/search/')
    return (await answer.json<{ resource: { id: number } }[]>()).map(({ resource }) => resource.id)
  }

  test('is answered: done, refused for a reason, but never broken', async () => {
    const api = await (await server.guest('GET', '/openapi.json')).json<OpenApi>()
    let standing: number[] = []
    let count = 0
    await fc.assert(
      fc.asyncProperty(requestArbitrary(api, left), async (request) => {
        // Requests delete and rename; the names are free again where the group is gone.
        if (count % 50 === 0) await plant()
        if (count++ % 5 === 0) standing = await findStanding()
        const { method, path, body, operation } = aimRequest(request, standing)
        const answer = await server.admin(method, path, body === undefined ? undefined : JSON.stringify(body))
        const text = await answer.text()
        const isJson = answer.headers.get('content-type') === 'application/json'
        if (answer.status < 400) return
        const told = `${operation}: ${method} ${path} ${JSON.stringify(body)} → ${answer.status} ${text.slice(0, 300)}`
        expect([400, 403, 404, 405, 409, 412, 413, 416, 422, 501], told).toContain(answer.status)
        expect(isJson, told).toBe(true)
        expect((JSON.parse(text) as ErrorBody).code, told).toMatch(/^[a-z]+\/[a-z-]+$/)
      }),
      { numRuns, seed },
    )
    expect((await server.admin('GET', '/readyz')).status).toBe(200)
    expect((await server.admin('GET', '/api/resource/0')).status).toBe(200)
  }, 600_000)
})
