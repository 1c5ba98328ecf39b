import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { endIdleChildren } from '../../src/gdal/runner/gdal_child.ts'
import { dropOrphans } from '../../src/import/orphaned_tables.ts'
import { dropStaging } from '../../src/store/layer/staging_table.ts'
import { describeDrivers } from '../support/drivers.ts'
import { copies, makeGate } from '../support/gate.ts'
import { packAs } from '../support/geopackage.ts'
import { type ImportBench, listFeatureTables, openImportBench } from '../support/import.ts'
import { onlyNew } from '../support/only_new.ts'
import { findGdalChildren, geojson, point, polygon } from '../support/vector.ts'

describeDrivers('staging', (open) => {
  let database: Database
  let bench: ImportBench

  beforeEach(async () => {
    database = await open()
    bench = await openImportBench(database)
  })

  const findNewTables = onlyNew(async () => Object.values(await listFeatureTables(database)).flat())

  // Whatever a test did: no file, no table, no row is left.
  afterEach(async () => {
    const left = { files: await bench.leftovers(), tables: await findNewTables() }
    await bench.remove()
    for (const name of new Set(left.tables)) await dropStaging(database, name)
    expect(left).toEqual({ files: [], tables: [] })
  })

  async function rowsOf(table: string): Promise<object[]> {
    return database.query(`select *, ST_AsEWKT(geom) as geom from ${table} order by id`)
  }

  test('keeps every value exactly', async () => {
    const properties = {
      text: 'tab\there, line\nthere, back\\slash, "quotes", ☃ and 𝄞',
      whole: -2_147_483_648,
      big: 9_007_199_254_740_993n,
      real: 0.1 + 0.2,
      tiny: 5e-324,
      day: '0999-12-31',
      hour: '23:59:59',
      moment: '2020-02-29T10:00:00.6+03:00',
      yes: true,
      list: [1, 'two'],
      nested: { a: { b: 1 } },
      empty: '',
      none: null,
    }
    const text = geojson([
      { geometry: point(0, 0), properties: { ...properties, big: 0 } },
      { geometry: point(1, 1) },
    ])
    const staged = await bench.stage('a.geojson', text.replace('"big":0', `"big":${properties.big}`))
    const [row, empty] = await rowsOf(staged.tableName)
    const values = Object.fromEntries(
      staged.fields.map(({ keyname, columnName }) => [keyname, (row as Record<string, unknown>)[columnName]]),
    )
    expect(values).toEqual({
      ...properties,
      big: '9007199254740993',
      day: '0999-12-31',
      // Without its zone, as it is written; to the second.
      moment: '2020-02-29 10:00:00',
      yes: 1,
      list: '[1,"two"]',
      nested: '{"a":{"b":1}}',
    })
    expect(Object.values(empty as object).filter((value) => value !== null)).toEqual([
      2,
      expect.stringContaining('POINT'),
    ])
    await staged.discard()
  })

  test('lets an index-only scan count rows', async () => {
    const features = Array.from({ length: 2000 }, (_, at) => ({ geometry: point(at % 180, 0) }))
    const staged = await bench.stage('a.geojson', geojson(features))
    const [plan] = await database.transaction(async (tx) => {
      // Leaves the planner only the index-only scan.
      for (const way of ['seqscan', 'bitmapscan']) await tx.query(`set local enable_${way} = off`)
      return tx.query<{ 'QUERY PLAN': object }>(
        `explain (analyze, timing off, format json) select count(*) from ${staged.tableName}`,
      )
    })
    expect(JSON.stringify(plan)).toContain('"Heap Fetches":0')
    await staged.discard()
  })

  test('reprojects', async () => {
    const staged = await bench.stage(
      'a.geojson',
      geojson([{ geometry: point(180, 0) }, { geometry: point(0, -90) }]),
    )
    const [east, south] = await database.query<{ x: number; y: number; srid: number }>(
      `select ST_X(geom) as x, ST_Y(geom) as y, ST_SRID(geom) as srid from ${staged.tableName} order by id`,
    )
    expect(east).toEqual({ x: expect.closeTo(20_037_508.342789, 5), y: expect.closeTo(0, 5), srid: 3857 })
    // The pole, as PROJ has it: far away, but it comes back.
    expect(south?.y).toBeCloseTo(-242_528_680.944, 2)
    await staged.discard()
  })

  test('stores parts, holes and Z values, and promotes single geometries to multi', async () => {
    const ring = (size: number) =>
      [
        [0, 0],
        [size, 0],
        [size, size],
        [0, size],
        [0, 0],
      ].map(([x, y]) => [x, y])
    const donut = { type: 'Polygon', coordinates: [ring(4), ring(1)] }
    const two = { type: 'MultiPolygon', coordinates: [[ring(1)], [ring(2), ring(1)]] }
    const staged = await bench.stage('a.geojson', geojson([{ geometry: donut }, { geometry: two }]), {
      srs: 4326,
    })
    expect(staged).toMatchObject({ geometryType: 'MULTIPOLYGON', srs: 4326, report: { count: 2 } })
    expect((await rowsOf(staged.tableName)).map((row) => (row as { geom: string }).geom)).toEqual([
      'SRID=4326;MULTIPOLYGON(((0 0,4 0,4 4,0 4,0 0),(0 0,1 0,1 1,0 1,0 0)))',
      'SRID=4326;MULTIPOLYGON(((0 0,1 0,1 1,0 1,0 0)),((0 0,2 0,2 2,0 2,0 0),(0 0,1 0,1 1,0 1,0 0)))',
    ])
    await staged.discard()
    const high = await bench.stage(
      'a.geojson',
      geojson([{ geometry: point(1, 2, 3) }, { geometry: point(3, 4) }]),
      {
        srs: 4326,
        isMulti: true,
      },
    )
    expect((await rowsOf(high.tableName)).map((row) => (row as { geom: string }).geom)).toEqual([
      'SRID=4326;MULTIPOINT(1 2 3)',
      'SRID=4326;MULTIPOINT(3 4 0)',
    ])
    await high.discard()
  })

  test('closes rings and repairs self-intersections, so that the database finds them valid', async () => {
    const open = polygon([
      [0, 0],
      [1, 0],
      [1, 1],
    ])
    const bowTie = polygon([
      [0, 0],
      [1, 1],
      [1, 0],
      [0, 1],
      [0, 0],
    ])
    const staged = await bench.stage('a.geojson', geojson([{ geometry: open }, { geometry: bowTie }]), {
      fix: 'SAFE',
    })
    expect(
      await database.query(
        `select ST_IsValid(geom) as valid, ST_NumGeometries(geom) as parts from ${staged.tableName}`,
      ),
    ).toEqual([
      { valid: true, parts: 1 },
      { valid: true, parts: 2 },
    ])
    await staged.discard()
  })

  test('numbers ids from 1, skipping features that are left out', async () => {
    const features = [point(0, 0), null, point(1, 1)].map((geometry) => ({ geometry }))
    const staged = await bench.stage('a.geojson', geojson(features), { skipErrors: true })
    expect((await rowsOf(staged.tableName)).map((row) => (row as { id: number }).id)).toEqual([1, 2])
    expect(staged.report).toMatchObject({ count: 2, badCount: 1, bad: [{ number: 2 }] })
    await staged.discard()
  })

  test('reads ids from a field, and continues after the largest', async () => {
    const features = [7, 70, 8].map((nr) => ({ geometry: point(0, 0), properties: { nr } }))
    const staged = await bench.stage('a.geojson', geojson(features), { idSource: 'FIELD', idFields: ['nr'] })
    expect(staged.fields).toEqual([])
    await database.query(`insert into ${staged.tableName} (geom) values (null)`)
    expect((await rowsOf(staged.tableName)).map((row) => (row as { id: number }).id)).toEqual([7, 8, 70, 71])
    await staged.discard()
  })

  test('refuses duplicate ids, with examples', async () => {
    const features = [7, 7, 8].map((nr) => ({ geometry: point(0, 0), properties: { nr } }))
    await expect(
      bench.stage('a.geojson', geojson(features), { idSource: 'FIELD', idFields: ['nr'] }),
    ).rejects.toMatchObject({ code: 'source/bad-features', message: expect.stringContaining('7 (2 times)') })
  })

  test('renames fields with invalid names, and reports it', async () => {
    const properties = { id: 1, geom: 2, '': 3, name: 4 }
    const staged = await bench.stage('a.geojson', geojson([{ geometry: point(0, 0), properties }]))
    expect(staged.fields.map(({ keyname, displayName }) => [keyname, displayName])).toEqual([
      ['id_1', 'id'],
      ['geom_1', 'geom'],
      ['fld_1', 'fld_1'],
      ['name', 'name'],
    ])
    expect(staged.report.renamed).toContainEqual({ from: 'id', to: 'id_1' })
    await staged.discard()
  })

  test('reads empty cells of a table as null, also without declared fields', async () => {
    const staged = await bench.stage('a.csv', 'name,lon,lat,nr\n,1,2,\nx,3,4,5\n')
    expect(await database.query(`select c1, c2 from ${staged.tableName} order by id`)).toEqual([
      { c1: null, c2: null },
      { c1: 'x', c2: 5 },
    ])
    await staged.discard()
  })

  test('loads more features than fit into one COPY', async () => {
    const rows = Array.from(
      { length: 60_000 },
      (_, index) => `${index},${index % 180},${index % 80},${'x'.repeat(60)}`,
    )
    const staged = await bench.stage('a.csv', `nr,lon,lat,text\n${rows.join('\n')}\n`)
    const [found] = await database.query(
      `select count(*)::int as count, sum(c1)::int as sum, count(distinct id)::int as ids,
              bool_and(ST_X(ST_Transform(geom, 4326)) between -0.000001 and 179.000001) as placed
         from ${staged.tableName}`,
    )
    expect(found).toEqual({ count: 60_000, sum: (60_000 * 59_999) / 2, ids: 60_000, placed: true })
    await staged.discard()
  })

  test('loads a geometry larger than one COPY', async () => {
    const ring = Array.from({ length: 200_000 }, (_, index) => {
      const angle = (index / 200_000) * 2 * Math.PI
      return [Math.cos(angle), Math.sin(angle)]
    })
    const staged = await bench.stage('a.geojson', geojson([{ geometry: polygon([...ring, ring[0] ?? []]) }]))
    expect(await database.query(`select ST_NPoints(geom) as count from ${staged.tableName}`)).toEqual([
      { count: 200_001 },
    ])
    await staged.discard()
  })

  test('lets other queries run in between', async () => {
    const rows = Array.from({ length: 60_000 }, (_, index) => `${index},1,2,${'x'.repeat(60)}`)
    let answers = 0
    let isDone = false
    const staging = bench.stage('a.csv', `nr,lon,lat,text\n${rows.join('\n')}\n`).finally(() => {
      isDone = true
    })
    while (!isDone) {
      await database.query('select 1')
      answers += 1
    }
    expect(answers).toBeGreaterThan(5)
    await (await staging).discard()
  })

  test('leaves nothing when the source is bad', async () => {
    await expect(bench.stage('a.geojson', geojson([{ geometry: null }]))).rejects.toMatchObject({
      code: 'source/bad-features',
    })
  })

  test('starts over when a later feature changes the geometry type', async () => {
    const ring = (at: number) => [
      [
        [at, 0],
        [at, 1],
        [at + 1, 1],
        [at, 0],
      ],
    ]
    const text = 'x'.repeat(2000)
    const single = (nr: number) => ({
      geometry: { type: 'Polygon', coordinates: ring(nr % 90) },
      properties: { nr, text },
    })
    const parts = { type: 'MultiPolygon', coordinates: [ring(1), ring(3)] }
    const last = { geometry: parts, properties: { nr: 6000 } }
    const source = packAs('POLYGON', [...Array.from({ length: 6000 }, (_, nr) => single(nr)), last])
    const staged = await bench.stage('a.gpkg', source, { srs: 4326 })
    expect(staged).toMatchObject({ geometryType: 'MULTIPOLYGON', report: { count: 6001 } })
    const [found] = await database.query(
      `select count(*)::int as count, sum(c1)::int as sum, min(id) as min, max(id) as max,
              count(*) filter (where ST_NumGeometries(geom) = 1)::int as single
         from ${staged.tableName}`,
    )
    expect(found).toEqual({ count: 6001, sum: (6001 * 6000) / 2, min: 1, max: 6001, single: 6000 })
    expect((await listFeatureTables(database)).tables).toEqual([staged.tableName])
    await staged.discard()
  })

  const text = 'x'.repeat(2000)
  const csv = Array.from({ length: 6000 }, (_, nr) => `${nr},1,2,${text}`)
  const features = Array.from({ length: 6000 }, (_, nr) => ({
    geometry: point(1, 2),
    properties: { nr, text },
  }))

  describe.each([
    ['scanned first', 'a.csv', () => ['nr,lon,lat,text', ...csv].join('\n')],
    ['scanned while it is written', 'a.geojson', () => geojson(features)],
  ])('of a source %s leaves nothing', (_, name, write) => {
    test('when the GDAL process is killed half-way', async () => {
      await endIdleChildren()
      const gate = makeGate(database, copies)
      const { reached } = gate.shut()
      const gated = await openImportBench(gate.database)
      const failure = expect(gated.stage(name, write())).rejects.toMatchObject({
        code: 'gdal/failed',
        status: 422,
      })
      await reached
      const children = findGdalChildren()
      expect(children).toHaveLength(1)
      for (const pid of children) process.kill(pid, 'SIGKILL')
      gate.open()
      await failure
      expect(await gated.leftovers()).toEqual([])
      await gated.remove()
    })

    test('when it is aborted half-way', async () => {
      const stopper = new AbortController()
      const gate = makeGate(database, copies)
      const { reached } = gate.shut()
      const stopping = await openImportBench(gate.database, { signal: stopper.signal })
      const failure = expect(stopping.stage(name, write())).rejects.toThrow('the client went away')
      await reached
      stopper.abort(new Error('the client went away'))
      gate.open()
      await failure
      expect(await stopping.leftovers()).toEqual([])
      await stopping.remove()
    })
  })

  test('leaves nothing when the last feature is bad', async () => {
    const source = geojson([...features, { geometry: null }])
    await expect(bench.stage('a.geojson', source)).rejects.toMatchObject({ code: 'source/bad-features' })
  })

  test('drops tables of a terminated process, but none of a running one', async () => {
    const features = geojson([{ geometry: point(0, 0) }])
    const dead = await openImportBench(database, { instance: 'dead' })
    const lost = await dead.stage('a.geojson', features)
    const kept = await bench.stage('a.geojson', features)
    // On PostgreSQL other processes may be running: only old tables count as abandoned.
    await database.query(`update staging set created_at = created_at - interval '1 hour'`)
    expect(await dropOrphans(database, { instance: 'test', undroppedTables: new Set() })).toBe(1)
    expect(await listFeatureTables(database)).toEqual({ tables: [kept.tableName], staged: [kept.tableName] })
    await lost.discard()
    await kept.discard()
    await dead.remove()
  })
})
