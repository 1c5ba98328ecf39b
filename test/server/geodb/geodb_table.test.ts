import { afterEach, expect, test } from 'vitest'
import { silentLog } from '../../../src/core/log.ts'
import type { Database } from '../../../src/database/database.ts'
import { openForeign as openForeignDatabase } from '../../../src/database/foreign_database.ts'
import { guardForeign } from '../../../src/server/geodb/guarded_query.ts'
import {
  countOf,
  createConnection,
  createGeodbLayer,
  openTables,
  statusAndMessage,
  useForeign,
} from '../../support/geodb.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { describeServer } from '../../support/server.ts'
import { execute } from '../../support/sql.ts'

const openForeign = useForeign()

describeServer('tables of foreign databases', (start) => {
  const { open, openLayer } = openTables(start, openForeign)

  test.each<[string, string, object, string, RegExp]>([
    ['a table that is not there', 'id int', { table: 'nowhere' }, 'table', /no table or view "nowhere"/],
    ['a schema that is not there', 'id int', { schema: 'nowhere' }, 'table', /schema "nowhere" has no table/],
    [
      'no column of ids',
      'gid int primary key, geom geometry(Point, 3857)',
      {},
      'column_id',
      /its columns: gid, geom/,
    ],
    [
      'ids that are text',
      'id text primary key, geom geometry(Point, 3857)',
      {},
      'column_id',
      /is text, not an integer/,
    ],
    [
      'ids that come twice',
      'id int, geom geometry(Point, 3857)',
      {},
      'column_id',
      /neither a primary key nor unique/,
    ],
    ['no column of geometries', 'id int primary key, way text', {}, 'column_geom', /has no column "geom"/],
    ['geometries that are text', 'id int primary key, geom text', {}, 'column_geom', /is text, not geometry/],
    [
      'geography',
      'id int primary key, geom geography(Point)',
      {},
      'column_geom',
      /is geography, not geometry/,
    ],
    [
      'collections',
      'id int primary key, geom geometry(GeometryCollection, 3857)',
      {},
      'column_geom',
      /GEOMETRYCOLLECTION/,
    ],
    ['measures', 'id int primary key, geom geometry(PointM, 3857)', {}, 'column_geom', /has POINTM/],
    [
      'another type than the table holds',
      'id int primary key, geom geometry(Point, 3857)',
      { geometry_type: 'MULTIPOINT' },
      'geometry_type',
      /has POINT, not MULTIPOINT/,
    ],
    [
      'another reference system than the table has',
      'id int primary key, geom geometry(Point, 4326)',
      { srs: { id: 3857 } },
      'srs.id',
      /in EPSG:4326, not EPSG:3857/,
    ],
    [
      'an empty table that says nothing',
      'id int primary key, geom geometry',
      {},
      'geometry_type',
      /has no geometries to read it from/,
    ],
    [
      'an empty table that says no reference system',
      'id int primary key, geom geometry(Point)',
      {},
      'srs',
      /has no reference system/,
    ],
    [
      'what is no connection',
      'id int primary key',
      { connection: { id: 0 } },
      'connection',
      /is a resource_group/,
    ],
    [
      'a connection that is not there',
      'id int primary key',
      { connection: { id: 2e6 } },
      'connection',
      /resource id = 2000000 does not exist/,
    ],
  ])('%s: refused with the location', async (name, columns, layer, field, why) => {
    const { admin } = await start()
    const making = openLayer('bad', columns, { name: `Bad ${name}`, ...layer })
    await expect(making).rejects.toThrow(
      new RegExp(`422 .*${why.source}.* - at \\$\\.geodb_layer\\.${field}$`),
    )
    const left = await admin('GET', `/api/resource/search/?display_name=${encodeURIComponent(`Bad ${name}`)}`)
    expect(await left.json()).toEqual([])
  })

  test('with geometries of SRID 0 are refused with a hint', async () => {
    const { admin, execute, connection } = await open()
    await execute(`drop table if exists zero; create table zero (id int primary key, geom geometry(Point));
      insert into zero values (1, ST_MakePoint(1, 2))`)
    for (const more of [{}, { srs: { id: 3857 } }])
      await expect(
        createGeodbLayer(admin, { name: 'Zero', table: 'zero', connection, ...more }),
      ).rejects.toThrow(/422 the geometries of "zero" have no reference system: their SRID is 0/)
    await execute(`select UpdateGeometrySRID('zero', 'geom', 3857)`)
    const id = await createGeodbLayer(admin, { name: 'Zero', table: 'zero', connection })
    expect(await countOf(admin, id)).toBe(1)
  })

  test('in a database without PostGIS are refused', async () => {
    const { admin } = await start()
    const { connection } = await openForeign()
    const plain = await createTestDatabase()
    try {
      await execute(
        plain.url,
        'drop extension postgis cascade; create table t (id int primary key, geom text)',
      )
      const there = { ...connection, database: plain.name }
      const id = await createConnection(admin, 'Plain', there)
      await expect(createGeodbLayer(admin, { name: 'P', table: 't', connection: { id } })).rejects.toThrow(
        '422 the database has no PostGIS - at $.geodb_layer.connection',
      )
      await admin('PUT', `/api/resource/${id}`, { geodb_connection: { database: connection.database } })
    } finally {
      await execute(plain.url, 'select 1')
    }
    await start().then(({ running }) => running.context.geodb.close())
    await plain.drop()
  })

  test('are read if PostGIS is in its own schema', async () => {
    const { admin, running } = await start()
    const { connection } = await openForeign()
    const other = await createTestDatabase()
    await execute(
      other.url,
      `drop extension postgis cascade; create schema ext; create extension postgis schema ext;
       create table t (id int primary key, geom ext.geometry(Point, 25832), n text);
       insert into t values (1, ext.ST_SetSRID(ext.ST_MakePoint(500000, 5500000), 25832), 'a')`,
    )
    const id = await createConnection(admin, 'Apart', { ...connection, database: other.name })
    const layer = await createGeodbLayer(admin, { name: 'Layer apart', table: 't', connection: { id } })
    expect(await countOf(admin, layer)).toBe(1)
    const tile = await admin('GET', `/api/component/feature_layer/mvt?z=5&x=16&y=10&resource=${layer}`)
    expect(tile.status).toBe(200)
    const put = await admin('PUT', `/api/resource/${layer}/feature/1?srs=4326`, { geom: 'POINT (9 50)' })
    expect(put.status).toBe(200)
    await admin('DELETE', `/api/resource/${layer}`)
    await running.context.geodb.close()
    await other.drop()
  })

  test('without privileges to read or write are reported', async () => {
    const { admin, execute, connection } = await open()
    const login = `reader_${connection.id}_${process.pid}`
    await execute(`drop table if exists theirs; create table theirs (id serial primary key, geom geometry(Point, 3857));
      insert into theirs default values; create role ${login} login`)
    try {
      const { connection: there } = await openForeign()
      const own = { id: await createConnection(admin, 'Reader', { ...there, username: login }) }
      const make = () => createGeodbLayer(admin, { name: 'Theirs', table: 'theirs', connection: own })
      await expect(make()).rejects.toThrow(
        /422 the user of the connection has no permission to read "theirs"/,
      )
      await execute(`grant select on theirs to ${login}`)
      const id = await make()
      expect(await countOf(admin, id)).toBe(1)
      expect(await statusAndMessage(await admin('DELETE', `/api/resource/${id}/feature/1`))).toEqual([
        422,
        expect.stringMatching(/cannot be written: permission denied for table theirs/),
      ])
      await execute(`revoke select on theirs from ${login}`)
      expect(await statusAndMessage(await admin('GET', `/api/resource/${id}/feature_count`))).toEqual([
        503,
        expect.stringMatching(/cannot be read: permission denied for table theirs/),
      ])
    } finally {
      await execute(`drop owned by ${login}; drop role ${login}`)
    }
  })

  test('that fail to compute their rows are reported with the reason', async () => {
    const { admin, execute, connection } = await open()
    await execute(`drop table if exists zero cascade; create table zero (id serial primary key, geom geometry(Point, 3857));
      insert into zero default values; create view divided as select id, geom, 1 / (id - id) as n from zero`)
    const id = await createGeodbLayer(admin, { name: 'Divided', table: 'divided', connection })
    const answer = await admin('GET', `/api/resource/${id}/feature/`)
    expect([answer.status, await answer.json()]).toEqual([
      503,
      expect.objectContaining({
        code: 'external/query',
        title: 'External table cannot be read',
        message: expect.stringMatching(/"divided" in .* cannot be read: division by zero$/),
      }),
    ])
  })
})

const opened: Database[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()))
})

async function openGuarded(statementTimeoutMs: number): Promise<Database> {
  const { hostname: host, username: user, ...there } = (await openForeign()).connection
  const limits = { poolSize: 8, connectMs: 5000, statementTimeoutMs }
  const database = openForeignDatabase({ host, user, ...there, ...limits, sslMode: null, log: silentLog })
  opened.push(database)
  return guardForeign(() => database, { connectionId: 7, table: { schema: 'public', table: 'slow' } })
}

const running = new AbortController()

test('a list whose rows do not arrive ends at the statement timeout', async () => {
  const database = await openGuarded(200)
  const read = (tx: Pick<Database, 'copyOut'>) => Array.fromAsync(tx.copyOut('select 1 from pg_sleep(100)'))
  const message = expect.stringMatching(/"slow" in .*: the query did not return rows for 200 ms/)
  const list = database.transaction(read, { readOnly: true, signal: running.signal })
  await expect(list).rejects.toMatchObject({ code: 'external/database', message })
  await expect(read(database)).rejects.toMatchObject({ code: 'external/database' })
})

test('a query ends when its signal is aborted', async () => {
  const database = await openGuarded(60_000)
  const signal = AbortSignal.timeout(100)
  const sleeping = database.query('select pg_sleep(100)', [], { signal })
  await expect(sleeping).rejects.toMatchObject({ code: 'request/aborted' })
})

test('a locked table is reported', async () => {
  const database = await openGuarded(60_000)
  const statement = "do $$ begin raise exception 'lock timeout' using errcode = '55P03'; end $$"
  const message = expect.stringMatching(
    /^Table "public"\."slow" in .*: it is locked by another transaction\.$/,
  )
  await expect(database.query(statement)).rejects.toMatchObject({ code: 'external/database', message })
})

test('a slow table leaves connections to others', async () => {
  const database = await openGuarded(60_000)
  const stop = new AbortController()
  const slow = Array.from({ length: 12 }, () =>
    database.query('select pg_sleep(100)', [], { signal: stop.signal }),
  )
  const table = { schema: 'public', table: 'other' }
  const other = guardForeign(() => opened[0] as Database, { connectionId: 7, table })
  expect(await other.query('select 1 as one')).toEqual([{ one: 1 }])
  stop.abort()
  const ended = await Promise.allSettled(slow)
  expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(12)
})
