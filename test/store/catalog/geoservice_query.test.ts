import { beforeAll, expect, test } from 'vitest'
import { geoserviceListSql } from '../../../src/store/catalog/geoservice_query.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

describeServers('a catalog of 10,000 geoservices', (start) => {
  let server: TestServer
  beforeAll(async () => {
    server = await start()
    await server.database.query(
      `insert into geoservice (name, type, url, boundary)
       select 'Service ' || at, 'tms', 'https://tile.example.org/{z}/{x}/{y}',
              ST_Multi(ST_MakeEnvelope(x, y, x + 1, y + 1, 4326))
         from generate_series(0, 9999) as at, lateral (select at % 360 - 180 as x, (at / 360) * 6 - 85 as y) as corner`,
    )
    await server.database.query('analyze geoservice')
  })

  test.each(['boundary', 'extent'] as const)('is searched by %s with an index', async (column) => {
    const area = { wkt: 'POLYGON((0 0,30 0,30 30,0 30,0 0))', srs: 4326 }
    const { text, values } = geoserviceListSql({ [column]: area })
    const plan = await server.database.query(`explain ${text}`, values)
    expect(plan.flatMap((row) => Object.values(row)).join('\n')).toContain(`geoservice_${column}`)
    const found = await server.database.query(text, values)
    expect(found).toHaveLength(192)
  })

  test('lists the best match of a search first, then by name', async () => {
    const path = '/api/v1/geoservices/?search=SERVICE+999&limit=3'
    const { results } = await (await server.guest('GET', path)).json<{
      results: readonly { name: string }[]
    }>()
    expect(results.map(({ name }) => name)).toEqual(['Service 999', 'Service 9990', 'Service 9991'])
  })
})
