import { expect, test } from 'vitest'
import { createConnection, createGeodbLayer, useForeign } from '../../support/geodb.ts'
import { captureLog } from '../../support/log.ts'
import { type TestProxy, useProxy } from '../../support/proxy.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'

const openForeign = useForeign()
const openProxy = useProxy()

const { log, written: logged } = captureLog()

let opening: Promise<TestProxy> | undefined

interface Opened {
  readonly admin: Ask
  readonly proxy: TestProxy
  readonly connection: number
  readonly layer: number
  readonly own: number
}

describeServer(
  'a database elsewhere that fails',
  (start) => {
    let made: Promise<Opened> | undefined
    const open = () => {
      made ??= make()
      return made
    }
    const make = async (): Promise<Opened> => {
      const { admin } = await start()
      const { execute, connection: there } = await openForeign()
      opening ??= openProxy(there.port)
      const proxy = await opening
      await proxy.set('open')
      await execute(`drop table if exists faulty;
      create table faulty (id serial primary key, geom geometry(Point, 3857), name text);
      insert into faulty (geom, name) select ST_SetSRID(ST_MakePoint(n, n), 3857), 'n' || n
        from generate_series(1, 5000) n`)
      const connection = await createConnection(admin, 'Proxied', { ...there, port: proxy.port })
      const layer = await createGeodbLayer(admin, {
        name: 'Faulty',
        table: 'faulty',
        connection: { id: connection },
      })
      return {
        admin,
        proxy,
        connection,
        layer,
        own: await createLayer(admin, { name: 'Own', geometryType: 'POINT' }),
      }
    }

    const paths = (layer: number) => [
      `/api/resource/${layer}/feature_count`,
      `/api/resource/${layer}/feature/?limit=10`,
      `/api/resource/${layer}/feature/1`,
      `/api/resource/${layer}/extent`,
      `/api/resource/${layer}/geojson`,
      `/api/component/feature_layer/mvt?z=0&x=0&y=0&resource=${layer}`,
    ]

    const statuses = async (ask: Ask, layer: number) => {
      const answers = await Promise.all(paths(layer).map((path) => ask('GET', path)))
      return Promise.all(
        answers.map(async (answer) => [answer.status, (await answer.arrayBuffer()).byteLength > 0]),
      )
    }

    test.each<['refused' | 'cut', RegExp]>([
      ['refused', /: the connection was refused\.$/],
      ['cut', /: the connection was closed\.$/],
    ])('that is %s leads to 503 for dependent requests only, until it recovers', async (state, why) => {
      const { admin, proxy, layer, own } = await open()
      const well = paths(layer).map(() => [200, true])
      expect(await statuses(admin, layer)).toEqual(well)
      await proxy.set(state)
      expect(await statuses(admin, layer)).toEqual(paths(layer).map(() => [503, true]))
      const answer = await admin('POST', `/api/resource/${layer}/feature/`, { fields: { name: 'new' } })
      expect([answer.status, await answer.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'external/database', message: expect.stringMatching(why) }),
      ])
      expect((await admin('GET', `/api/resource/${layer}`)).status).toBe(200)
      expect((await admin('GET', `/api/resource/${own}/feature_count`)).status).toBe(200)
      const found = await admin('POST', '/api/feature_layer/identify', {
        ...{ srs: 3857, geom: 'POLYGON ((0 0, 2 0, 2 2, 0 0))', layers: [own, layer] },
      })
      expect(await found.json()).toEqual({
        [own]: { featureCount: 0, features: [] },
        [layer]: { error: expect.stringMatching(why) },
        featureCount: 0,
      })
      await proxy.set('open')
      expect(await statuses(admin, layer)).toEqual(well)
    })

    test('under load returns complete responses or 503, never a part or a hang, and recovers', async () => {
      const { admin, proxy, layer } = await open()
      const whole = await (await admin('GET', `/api/resource/${layer}/feature/`)).text()
      const seen = new Set<string>()
      const ask = async () => {
        const answer = await admin('GET', `/api/resource/${layer}/feature/`)
        // What broke after its first byte must not end like a whole answer.
        const text = await answer.text().catch(() => 'cut')
        seen.add(
          answer.status === 200 ? (text === whole || text === 'cut' ? 'whole' : text) : String(answer.status),
        )
      }
      const { execute } = await openForeign()
      const end = () =>
        execute(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'landform' and datname = current_database()`)
      const states = ['open', 'cut', 'open', 'refused', 'open'] as const
      for (const change of [...states.map((state) => () => proxy.set(state)), end, end, end, end]) {
        const load = Promise.all(Array.from({ length: 24 }, ask))
        await change()
        await load
      }
      expect([...seen].filter((one) => one !== 'whole' && one !== '503')).toEqual([])
      seen.clear()
      await Promise.all(Array.from({ length: 24 }, ask))
      expect([...seen]).toEqual(['whole'])
    })

    test('that does not respond times out, and no connection to it remains', async () => {
      const { admin, proxy, layer } = await open()
      await proxy.set('cut')
      await proxy.set('silent')
      const answer = await admin('GET', `/api/resource/${layer}/feature_count`)
      expect([answer.status, (await answer.json<{ message: string }>()).message]).toEqual([
        503,
        expect.stringMatching(/: the connection timed out\.$/),
      ])
      await proxy.set('cut')
      await proxy.set('open')
      expect((await statuses(admin, layer)).map(([status]) => status)).toEqual(paths(layer).map(() => 200))
    })

    test('without encryption is refused if it is required, and accepted if it is preferred', async () => {
      const { admin, connection, layer } = await open()
      const { password } = (await openForeign()).connection
      for (const [sslmode, status] of [
        ['require', 503],
        ['prefer', 200],
        ['verify-full', 503],
        ['disable', 200],
        [null, 200],
      ] as const) {
        await admin('PUT', `/api/resource/${connection}`, { geodb_connection: { sslmode, password } })
        const answer = await admin('GET', `/api/resource/${layer}/feature_count`)
        expect([sslmode, answer.status]).toEqual([sslmode, status])
        if (status === 503)
          expect((await answer.json<{ message: string }>()).message).toMatch(
            /does not support SSL connections/,
          )
      }
    })

    test('has no open connection for a connection that was changed', async () => {
      const { admin, connection, layer } = await open()
      const { execute, connection: there } = await openForeign()
      await statuses(admin, layer)
      const count = async () =>
        (
          await execute(`select count(*)::int as count from pg_stat_activity
        where application_name = 'landform' and datname = '${there.database}'`)
        )[0]?.count as number
      expect(await count()).toBeGreaterThan(1)
      await admin('PUT', `/api/resource/${connection}`, {
        geodb_connection: { port: there.port, password: 'new' },
      })
      expect((await admin('GET', `/api/resource/${layer}/feature_count`)).status).toBe(200)
      await expect.poll(count).toBe(1)
      const back = { port: (await open()).proxy.port, password: 'old' }
      await admin('PUT', `/api/resource/${connection}`, { geodb_connection: back })
    })

    test('is logged with its errors, without credentials', async () => {
      await open()
      const text = logged.join('')
      expect(text).toContain('lost an idle connection to a foreign database')
      expect(text).toContain('external/database')
      expect(text).not.toContain('sesame')
      const longest = Math.max(...logged.map((line) => line.length))
      expect(longest).toBeLessThan(10_000)
    })
  },
  { log },
)
