import { beforeEach, expect, test } from 'vitest'
import { type CheckScope, type RunSettings, runCheck } from '../../src/catalog/run_check.ts'
import type { Database } from '../../src/database/database.ts'
import { describeDrivers } from '../support/drivers.ts'
import { addGeoservices } from '../support/geoservices.ts'
import { neverAnswer, sendImage } from '../support/misbehaving.ts'
import { type TestService, useService } from '../support/wms.ts'

const startService = useService('0.0.0.0')
let service: TestService
beforeEach(async () => {
  service = await startService()
  service.requests.length = 0
  service.answer = sendImage
})

const urlOf = (path: string, host = '127.0.0.1') =>
  `http://${host}:${new URL(service.url).port}/${path}/{z}/{x}/{y}`

const run = (database: Database, scope: CheckScope, settings: Partial<RunSettings> = {}) =>
  runCheck(database, scope, {
    timeoutMs: 60_000,
    allowsPrivate: () => true,
    perSecond: 10_000,
    signal: new AbortController().signal,
    onError: (error) => Promise.reject(error),
    ...settings,
  })

const requested = () => service.requests.map((line) => line.split('/')[1]).toSorted()

const readServices = (database: Database) =>
  database.query(
    `select s.id, s.cumulative_status, c.cumulative_status as last, c.http_code, c.error_type,
            (select count(*)::integer from geoservice_status r where r.geoservice_id = s.id) as records
       from geoservice s left join geoservice_status c on c.id = s.last_status_id order by s.id`,
  )

describeDrivers('runCheck', (open) => {
  const openEmpty = async () => {
    const database = await open()
    await database.query('delete from geoservice')
    return database
  }

  test('checks all services, and stores and counts the results', async () => {
    const database = await openEmpty()
    const box = 'SRID=4326;MULTIPOLYGON(((13 52,13.8 52,13.8 53,13 53,13 52)))'
    const [tiles, wms] = await addGeoservices(database, [
      { url: urlOf('tiles'), boundary: box, z_min: 10, y_origin_top: true },
      { url: urlOf('wms'), type: 'wms', layers: 'a', params: 'b=1' },
      { url: 'http://127.0.0.1:1/{z}/{x}/{y}/{unknown}' },
    ])
    expect(await run(database, 'all')).toEqual({ works: 1, problematic: 0, failed: 2 })
    expect(service.requests).toContain('GET /tiles/10/550/335')
    expect(await readServices(database)).toEqual([
      { id: tiles, cumulative_status: 'works', last: 'works', http_code: 200, error_type: null, records: 1 },
      {
        id: wms,
        cumulative_status: 'failed',
        last: 'failed',
        http_code: 200,
        error_type: 'invalid response',
        records: 1,
      },
      expect.objectContaining({ cumulative_status: 'failed', http_code: 0, error_type: null, records: 1 }),
    ])
    expect(await run(database, 'all')).toEqual({ works: 1, problematic: 0, failed: 2 })
    expect((await readServices(database)).map(({ records }) => records)).toEqual([2, 2, 2])
  })

  test('requests a tile inside the largest part of the boundary', async () => {
    const database = await openEmpty()
    const box = (west: number, south: number, east: number, north: number) =>
      `((${west} ${south},${east} ${south},${east} ${north},${west} ${north},${west} ${south}))`
    const boundaries = {
      antimeridian: `MULTIPOLYGON(${box(170, -10, 180, 10)},${box(-180, -10, -175, 10)})`,
      islands: `MULTIPOLYGON(${box(-60, 40, -58, 42)},${box(20, 40, 30, 42)})`,
      // Its center is the hole.
      ring: 'MULTIPOLYGON(((-40 -40,40 -40,40 40,-40 40,-40 -40),(-39 -39,-39 39,39 39,39 -39,-39 -39)))',
      without: null,
    }
    await addGeoservices(
      database,
      Object.entries(boundaries).map(([path, boundary]) => ({
        url: urlOf(path),
        boundary: boundary && `SRID=4326;${boundary}`,
        z_min: 5,
        y_origin_top: true,
      })),
    )
    expect(await run(database, 'all')).toMatchObject({ works: 4 })
    const tiles = service.requests.map((line) => line.slice('GET /'.length))
    expect(tiles.toSorted()).toEqual([
      'antimeridian/5/31/16',
      'islands/5/18/11',
      expect.stringMatching(/^ring\/5\/(12|19)\/1\d$/),
      'without/5/16/16',
    ])
  })

  test('checks the services with some ids, or those that are due', async () => {
    const database = await openEmpty()
    const [first = 0, second = 0] = await addGeoservices(
      database,
      ['first', 'second', 'third'].map((path) => ({ url: urlOf(path) })),
    )
    expect(await run(database, { ids: [first, second, 999_999] })).toMatchObject({ works: 2 })
    expect(requested()).toEqual(['first', 'second'])
    service.requests.length = 0
    expect(await run(database, { olderThanHours: 2 })).toMatchObject({ works: 1 })
    expect(requested()).toEqual(['third'])
    service.requests.length = 0
    await database.query(
      "update geoservice_status set check_at = check_at - interval '3 hours' where geoservice_id = $1",
      [second],
    )
    expect(await run(database, { olderThanHours: 2 })).toMatchObject({ works: 1 })
    expect(requested()).toEqual(['second'])
  })

  test('two runs at once share the services', async () => {
    const database = await openEmpty()
    const paths = Array.from({ length: 250 }, (_, at) => `s${at}`)
    await addGeoservices(
      database,
      paths.map((path, at) => ({ url: urlOf(path, `127.0.0.${1 + (at % 50)}`) })),
    )
    const counts = await Promise.all([run(database, 'all'), run(database, 'all')])
    expect(counts.map(({ works }) => works).reduce((a, b) => a + b)).toBe(250)
    expect(requested()).toEqual(paths.toSorted())
  })

  test('an exclusive run leaves all services to another one', async () => {
    const database = await openEmpty()
    const [id] = await addGeoservices(database, [
      { url: urlOf('deleted') },
      { url: urlOf('first') },
      { url: urlOf('second', '127.0.0.2') },
    ])
    await database.query('delete from geoservice where id = $1', [id])
    const stop = new AbortController()
    const { promise: requestedFirst, resolve } = Promise.withResolvers<void>()
    service.answer = (request, response) => {
      if (request.url?.startsWith('/third')) sendImage(request, response)
      else resolve()
    }
    const first = run(database, 'all', { signal: stop.signal }).catch((error: unknown) => error)
    await requestedFirst
    // Behind the services that the first run has read already.
    await addGeoservices(database, [{ id, url: urlOf('third') }])
    expect(await run(database, 'all', { isExclusive: true })).toMatchObject({ works: 0 })
    expect(await run(database, 'all')).toMatchObject({ works: 1 })
    stop.abort()
    expect(await first).toMatchObject({ code: 'pipeline/interrupted' })
    service.answer = sendImage
    expect(await run(database, { olderThanHours: 1 }, { isExclusive: true })).toMatchObject({ works: 2 })
  })

  test('an aborted run stores its results, and leaves the other services to the next one', async () => {
    const database = await openEmpty()
    await addGeoservices(database, [{ url: urlOf('good') }, { url: urlOf('silent', '127.0.0.2') }])
    const stop = new AbortController()
    service.answer = (request, response) => {
      if (!request.url?.startsWith('/silent')) return sendImage(request, response)
      neverAnswer(request, response)
      stop.abort()
    }
    const settings = { inFlight: 1, signal: stop.signal }
    await expect(run(database, 'all', settings)).rejects.toMatchObject({ code: 'pipeline/interrupted' })
    expect((await readServices(database)).map(({ records }) => records)).toEqual([1, 0])
    service.answer = sendImage
    expect(await run(database, { olderThanHours: 1 })).toEqual({ works: 1, problematic: 0, failed: 0 })
  })

  test('the services of a killed run are left to others until its claims expire', async () => {
    const database = await openEmpty()
    const [id] = await addGeoservices(database, [{ url: urlOf('claimed') }])
    const claim = (seconds: number) =>
      database.query(
        `insert into geoservice_claim (geoservice_id, run, claimed_until)
         values ($1, 'killed', now() at time zone 'utc' + make_interval(secs => $2::float8))
         on conflict (geoservice_id) do update set claimed_until = excluded.claimed_until`,
        [id, seconds],
      )
    await claim(3600)
    expect(await run(database, 'all')).toEqual({ works: 0, problematic: 0, failed: 0 })
    await claim(-1)
    expect(await run(database, 'all')).toMatchObject({ works: 1 })
  })

  test('a service that is deleted during its check has no result', async () => {
    const database = await openEmpty()
    await addGeoservices(database, [{ url: urlOf('deleted') }, { url: urlOf('kept', '127.0.0.2') }])
    service.answer = (request, response) => {
      const removed = request.url?.startsWith('/deleted')
        ? database.query("delete from geoservice where url like '%deleted%'")
        : Promise.resolve()
      removed.then(() => sendImage(request, response))
    }
    await run(database, 'all')
    expect((await readServices(database)).map(({ records }) => records)).toEqual([1])
  })

  test('reads the catalog page by page', async () => {
    const database = await openEmpty()
    await database.query(
      `insert into geoservice (name, type, url)
       select 'Service ' || n, 'tms', 'http://127.0.0.' || (n % 200) || ':1/{none}' from generate_series(1, 1234) n`,
    )
    expect(await run(database, 'all')).toEqual({ works: 0, problematic: 0, failed: 1234 })
  })
})
