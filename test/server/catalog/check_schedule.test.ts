import { expect, test } from 'vitest'
import { drivers } from '../../support/drivers.ts'
import { addGeoservices } from '../../support/geoservices.ts'
import { neverAnswer, sendImage } from '../../support/misbehaving.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { useService } from '../../support/wms.ts'

const startService = useService()

const readService = async ({ guest }: TestServer, id: number) =>
  (await guest('GET', `/api/v1/geoservices/${id}/`)).json<{
    cumulative_status: string
    last_status: number
  }>()

const readStatuses = async ({ guest }: TestServer, id: number) =>
  (await (await guest('GET', `/api/v1/geoservice_status/?geoservice=${id}`)).json<{ results: object[] }>())
    .results

test.each(drivers)('a server on %s checks its catalog on schedule, until it stops', async (driver) => {
  const service = await startService()
  const { promise: checkedTwice, resolve } = Promise.withResolvers<void>()
  let requests = 0
  service.answer = (request, response) => {
    requests += 1
    if (requests === 2) resolve()
    const answer = requests < 2 ? sendImage : neverAnswer
    answer(request, response)
  }
  const { host } = new URL(service.url)
  const server = await startTestServer(driver, {
    catalogCheckHours: 0.0001,
    catalogCheckHosts: [host],
    catalogHistoryDays: 30,
  })
  const [allowed = 0, unknown = 0, own = 0] = await server.database.transaction(async (tx) => {
    const ids = await addGeoservices(tx, [
      { url: `${service.url}/{z}/{x}/{y}` },
      { url: `http://127.0.0.2:${new URL(server.url).port}/{z}/{x}/{y}` },
      { url: `${server.url}/none/{z}/{x}/{y}` },
    ])
    await tx.query(
      `insert into geoservice_status (geoservice_id, check_at, cumulative_status)
       select $1, now() at time zone 'utc' - interval '40 days', 'failed' from generate_series(1, 1500)`,
      [ids[0]],
    )
    return ids
  })
  // The second check begins after the results of the first are stored.
  await checkedTwice
  expect(await readService(server, allowed)).toMatchObject({ cumulative_status: 'works' })
  expect(await readStatuses(server, allowed)).toEqual([
    expect.objectContaining({
      cumulative_status: 'works',
      http_code: 200,
      check_duration: expect.any(Number),
    }),
  ])
  expect((await readStatuses(server, unknown))[0]).toMatchObject({
    cumulative_status: 'failed',
    error_text: expect.stringContaining('it is in a private network'),
  })
  expect((await readStatuses(server, own))[0]).toMatchObject({
    cumulative_status: 'problematic',
    http_code: 404,
  })
  await server.stop()
})
