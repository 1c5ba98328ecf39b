import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeAll, expect, test } from 'vitest'
import { describeServers, type TestServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'
import { askWfs, publish } from '../../support/wfs.ts'

const features = 200_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that this process has in use, those of its server included. */
function countBytes(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Memory that a response may need, whatever the size of the layer: the spool, chunks and rows. */
const allowedBytes = 48 * 2 ** 20

describeServers('a layer of 200,000 features', (start) => {
  let server: TestServer
  let path = ''
  beforeAll(async () => {
    server = await start()
    const layer = await createLayer(server.admin, {
      name: 'Points',
      geometryType: 'POINT',
      fields: [{ keyname: 'name', datatype: 'STRING' }],
    })
    await server.admin('POST', `/api/resource/${layer}/feature/`, { fields: { name: 'first' } })
    const [row] = await server.database.query<{ name: string }>(
      'select table_name as name from layer where resource_id = $1::int',
      [layer],
    )
    const fields = await server.database.query<{ column: string }>(
      'select column_name as column from layer_field where layer_id = $1::int',
      [layer],
    )
    await server.database.query(
      `insert into "${row?.name}" (geom, "${fields[0]?.column}")
       select ST_SetSRID(ST_MakePoint(n, n), 3857), 'point ' || n from generate_series(1, ${features - 1}) n`,
    )
    path = (
      await publish(server.admin, 'Large', {
        layers: [{ keyname: 'points', display_name: 'Points', resource_id: layer }],
      })
    ).path
  })

  test('is read as a stream, in flat memory', async () => {
    const before = countBytes()
    const answer = await askWfs(server.admin, path, { request: 'GetFeature', typeNames: 'points' })
    let most = 0
    let members = 0
    let chunks = 0
    let head = ''
    let rest = ''
    for await (const chunk of answer.body ?? []) {
      const text = rest + Buffer.from(chunk).toString('latin1')
      if (head === '') head = text.slice(0, 1000)
      const parts = text.split('</wfs:member>')
      members += parts.length - 1
      rest = parts.at(-1) ?? ''
      if (chunks++ % 100 === 0) most = Math.max(most, countBytes() - before)
    }
    expect(head).toContain(`numberMatched="${features}" numberReturned="${features}"`)
    expect(members).toBe(features)
    expect(rest.trim()).toBe('</wfs:FeatureCollection>')
    expect(most).toBeLessThan(allowedBytes)
  })

  test('is counted, and read from any position', async () => {
    const answer = await askWfs(server.admin, path, {
      request: 'GetFeature',
      typeNames: 'points',
      startIndex: '199998',
      count: '5',
    })
    expect(await answer.text()).toMatch(/numberMatched="200000" numberReturned="2"/)
  })
})
