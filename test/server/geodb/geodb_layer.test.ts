import { expect, test } from 'vitest'
import { openBatchClient } from '../../support/batch.ts'
import { countOf, createGeodbLayer, openTables, statusAndMessage, useForeign } from '../../support/geodb.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const openForeign = useForeign()

interface Layer {
  readonly geodb_layer: Record<string, unknown>
  readonly feature_layer: { readonly fields: readonly Record<string, unknown>[] }
}

const read = async (ask: Ask, id: number) => (await ask('GET', `/api/resource/${id}`)).json<Layer>()

const fieldsOf = async (ask: Ask, id: number) =>
  (await read(ask, id)).feature_layer.fields.map(({ keyname, display_name }) => `${keyname}: ${display_name}`)

const change = (ask: Ask, id: number, layer: object, more: object = {}) =>
  ask('PUT', `/api/resource/${id}`, { geodb_layer: layer, ...more })

const point = (x: number, srs = 3857) => `ST_SetSRID(ST_MakePoint(${x}, 0), ${srs})`

describeServer('layers of foreign tables', (start) => {
  const { open, openLayer } = openTables(start, openForeign)

  test('read type, reference system and fields from the table', async () => {
    const { admin, connection, id } = await openLayer(
      'whole',
      'id serial primary key, name text not null, geom geometry(MultiPolygonZ, 25832), lanes int',
    )
    const field = {
      ...{ typemod: null, label_field: false, grid_visibility: true, text_search: true, lookup_table: null },
      id: expect.any(Number),
    }
    expect(await read(admin, id)).toMatchObject({
      geodb_layer: {
        ...{ connection, schema: 'public', table: 'whole', column_id: 'id', column_geom: 'geom' },
        ...{ geometry_type: 'MULTIPOLYGONZ', srs: { id: 25832 } },
      },
      feature_layer: {
        fields: [
          { ...field, keyname: 'name', display_name: 'name', datatype: 'STRING' },
          { ...field, keyname: 'lanes', display_name: 'lanes', datatype: 'INTEGER' },
        ],
      },
    })
    const whole = await read(admin, id)
    expect((await admin('PUT', `/api/resource/${id}`, whole)).status).toBe(200)
    expect(await read(admin, id)).toMatchObject({
      geodb_layer: whole.geodb_layer,
      feature_layer: whole.feature_layer,
    })
  })

  test('quote all names', async () => {
    const { admin, execute, connection } = await open()
    const schema = 'My "schema"; drop table x'
    const [table, id, geom] = [`T'a b"c`, 'ID "no', 'The geom$1']
    const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
    await execute(`drop schema if exists ${quote(schema)} cascade; create schema ${quote(schema)};
      create table ${quote(schema)}.${quote(table)} (${quote(id)} bigserial primary key,
        ${quote(geom)} geometry(Point, 4326), "id" int, "geom" text, "c1" int, "t" int, "r" int, "a""b" text)`)
    const layer = await createGeodbLayer(admin, {
      ...{ name: 'Quoted', connection, schema, table, column_id: id, column_geom: geom },
    })
    const keynames = (await read(admin, layer)).feature_layer.fields.map(({ keyname }) => keyname)
    expect(keynames).toEqual(['id_1', 'geom_1', 'c1', 't', 'r', 'a"b'])
    const fields = { id_1: 5, geom_1: 'not', c1: 1, t: 2, r: 3, 'a"b': '$1' }
    const path = `/api/resource/${layer}/feature/`
    expect(await (await admin('POST', path, { geom: 'POINT (1 2)', fields })).json()).toEqual({ id: 1 })
    expect((await admin('PATCH', path, [{ id: 1, fields: { c1: 9 } }])).status).toBe(200)
    const found = await admin('GET', `${path}?fld_id_1=5&order_by=-a"b&fields=id_1,c1,a"b`)
    expect(await found.json()).toEqual([
      expect.objectContaining({ id: 1, geom: 'POINT(1 2)', fields: { id_1: 5, c1: 9, 'a"b': '$1' } }),
    ])
    expect((await admin('DELETE', `${path}1`)).status).toBe(200)
    expect(await countOf(admin, layer)).toBe(0)
  })

  test('of an untyped table get their type from its rows, and show only rows of that type', async () => {
    const opened = await open()
    const { admin, execute, connection } = opened
    await execute(`drop table if exists mixed; create table mixed (id serial primary key, geom geometry)`)
    await execute(`insert into mixed (geom) values (${point(1)}), (${point(2, 4326)}), (null),
      (ST_SetSRID(ST_GeomFromText('LINESTRING (0 0, 1 1)'), 3857)),
      (ST_SetSRID(ST_GeomFromText('MULTILINESTRING ((0 0, 1 1))'), 3857)),
      (ST_SetSRID(ST_GeomFromText('POINT Z (0 0 1)'), 3857))`)
    const layer = (name: string, more: object) =>
      createGeodbLayer(admin, { name: `Mixed ${name}`, table: 'mixed', connection, ...more })
    const points = await layer('points', { geometry_type: 'POINT', srs: { id: 3857 } })
    const lines = await layer('lines', { geometry_type: 'MULTILINESTRING', srs: { id: 3857 } })
    expect([await countOf(admin, points), await countOf(admin, lines)]).toEqual([2, 3])
    const path = `/api/resource/${lines}/feature/`
    expect(await (await admin('DELETE', path, [{ id: 1 }])).json()).toMatchObject({ status_code: 404 })
    expect((await admin('PUT', `${path}1`, { geom: 'LINESTRING (0 0, 9 9)' })).status).toBe(404)
    expect(await (await admin('POST', path, { geom: 'LINESTRING (0 0, 9 9)' })).json()).toEqual({ id: 7 })
    expect((await admin('DELETE', path)).status).toBe(200)
    expect((await execute('select id from mixed order by id')).map(({ id }) => id)).toEqual([1, 2, 6])
    await expect(layer('by rows', {})).rejects.toThrow(
      /422 .*EPSG:3857, EPSG:4326|422 .*EPSG:4326, EPSG:3857/,
    )
    await execute('delete from mixed where id = 2')
    const byRows = await layer('by one kind', {})
    expect((await read(admin, byRows)).geodb_layer).toMatchObject({
      geometry_type: 'POINTZ',
      srs: { id: 3857 },
    })
    const tile = await admin(
      'GET',
      `/api/component/feature_layer/mvt?z=0&x=0&y=0&resource=${points},${byRows}`,
    )
    expect(tile.status).toBe(200)
  })

  test('of views omit rows without id', async () => {
    const { admin, execute, connection } = await open()
    await execute(`create or replace view some_view as select * from (values
      (1, ${point(1)}::geometry(Point, 3857), 'a'), (null, ${point(2)}, 'b')) as v (id, geom, n)`)
    const id = await createGeodbLayer(admin, { name: 'View', table: 'some_view', connection })
    expect(await (await admin('GET', `/api/resource/${id}/feature/?geom=no&extensions=`)).json()).toEqual([
      { id: 1, fields: { n: 'a' }, extensions: {} },
    ])
    const refused = await statusAndMessage(
      await admin('POST', `/api/resource/${id}/feature/`, { fields: { n: 'x' } }),
    )
    expect(refused).toEqual([422, expect.stringMatching(/"some_view" .* cannot be written: /)])
  })

  test('read their columns again on request, and keep properties of fields', async () => {
    const columns = 'id serial primary key, geom geometry(Point, 3857), a text, b int, c date'
    const { admin, execute, id } = await openLayer('columns', columns)
    const [a] = (await read(admin, id)).feature_layer.fields
    const named = { fields: [{ ...a, display_name: 'new', label_field: true }] }
    expect((await change(admin, id, {}, { feature_layer: named })).status).toBe(200)
    await execute('alter table columns drop column b, add column new bigint, alter column c type timestamp')
    expect(await fieldsOf(admin, id)).toEqual(['a: new', 'b: b', 'c: c'])
    expect(await statusAndMessage(await admin('GET', `/api/resource/${id}/feature/`))).toEqual([
      503,
      expect.stringMatching(/^Table "public"."columns" .* cannot be read: column f.b does not exist$/),
    ])
    expect((await change(admin, id, { fields: 'keep' })).status).toBe(200)
    expect(await fieldsOf(admin, id)).toEqual(['a: new', 'b: b', 'c: c'])
    expect((await change(admin, id, { fields: 'update' })).status).toBe(200)
    expect(await fieldsOf(admin, id)).toEqual(['a: new', 'c: c', 'new: new 1'])
    const fields = (await read(admin, id)).feature_layer.fields
    expect(fields[0]).toMatchObject({ id: a?.id, label_field: true, datatype: 'STRING' })
    expect(fields.slice(1).map(({ datatype }) => datatype)).toEqual(['DATETIME', 'BIGINT'])
    expect((await admin('GET', `/api/resource/${id}/feature/`)).status).toBe(200)
  })

  test('show the listed columns in order, which can be added and removed later', async () => {
    const columns = 'id serial primary key, geom geometry(Point, 3857), a text, b int, c date'
    const { admin, connection, id } = await openLayer('listed', columns)
    const field = (keyname: string, datatype: string, more: object = {}) => ({ keyname, datatype, ...more })
    const names = [field('c', 'DATE', { display_name: 'Day' }), field('a', 'STRING')]
    const some = await createGeodbLayer(admin, {
      ...{ name: 'Some', table: 'listed', connection, more: { feature_layer: { fields: names } } },
    })
    expect(await fieldsOf(admin, some)).toEqual(['c: Day', 'a: a'])
    const put = (fields: object[], layer = some) => change(admin, layer, {}, { feature_layer: { fields } })
    expect((await put([...names, field('b', 'INTEGER')])).status).toBe(200)
    expect(await fieldsOf(admin, some)).toEqual(['c: Day', 'a: a', 'b: b'])
    expect((await admin('POST', `/api/resource/${some}/feature/`, { fields: { b: 4 } })).status).toBe(200)
    expect((await put([{ ...field('a', 'STRING'), delete: true }])).status).toBe(200)
    expect(await fieldsOf(admin, some)).toEqual(['c: Day', 'b: b'])
    for (const [fields, why] of [
      [
        [field('d', 'DATE')],
        'table "listed" has no column for the field "d" - at $.feature_layer.fields.0.keyname',
      ],
      [
        [field('a', 'INTEGER')],
        'the column of "a" is STRING, not INTEGER - at $.feature_layer.fields.0.datatype',
      ],
    ] as const)
      expect(await statusAndMessage(await put([...fields], id === some ? id : some))).toEqual([422, why])
    const [first] = (await read(admin, some)).feature_layer.fields
    expect(await statusAndMessage(await put([{ ...first, keyname: 'day' }]))).toEqual([
      422,
      'the field "c" is named after its column and cannot be renamed - at $.feature_layer.fields.0.keyname',
    ])
  })

  test('can change to another table, and drop fields without a column', async () => {
    const columns = 'id serial primary key, geom geometry(Point, 3857), a text, b int'
    const { admin, execute, id } = await openLayer('before', columns)
    await execute(
      `drop table if exists after; create table after (gid bigint primary key, way geometry(LineString, 4326), b int, z text)`,
    )
    const refused = await statusAndMessage(await change(admin, id, { table: 'after' }))
    expect(refused).toEqual([
      422,
      expect.stringContaining('table "after" has no column "id"; its columns: gid, way, b, z'),
    ])
    const next = { table: 'after', column_id: 'gid', column_geom: 'way' }
    expect((await change(admin, id, next)).status).toBe(200)
    expect((await read(admin, id)).geodb_layer).toMatchObject({
      ...next,
      ...{ geometry_type: 'LINESTRING', srs: { id: 4326 } },
    })
    expect(await fieldsOf(admin, id)).toEqual(['b: b', 'z: z'])
    expect((await admin('GET', `/api/resource/${id}/feature/`)).status).toBe(200)
  })

  test('are updated without a connection if the update does not need the table', async () => {
    const { admin, connection, id } = await openLayer(
      'gone',
      'id serial primary key, geom geometry(Point, 3857), a text',
    )
    const { execute } = await openForeign()
    await execute('drop table gone')
    const whole = await read(admin, id)
    const [a] = whole.feature_layer.fields
    const layer = { ...whole.geodb_layer, connection }
    const named = { feature_layer: { fields: [{ ...a, display_name: 'Better' }] } }
    expect((await change(admin, id, layer, named)).status).toBe(200)
    expect(await fieldsOf(admin, id)).toEqual(['a: Better'])
    expect(await statusAndMessage(await change(admin, id, { fields: 'update' }))).toEqual([
      422,
      'schema "public" has no table or view "gone" - at $.geodb_layer.table',
    ])
    expect(await statusAndMessage(await admin('GET', `/api/resource/${id}/feature_count`))).toEqual([
      503,
      expect.stringMatching(
        /^Table "public"."gone" .* cannot be read: relation "public.gone" does not exist$/,
      ),
    ])
  })

  test('prevent the deletion of their connection, and are deleted without the table', async () => {
    const { admin, execute, connection, id } = await openLayer(
      'kept',
      'id serial primary key, geom geometry(Point, 3857)',
    )
    const refused = await admin('DELETE', `/api/resource/${connection.id}`)
    expect([refused.status, await refused.json()]).toEqual([
      409,
      expect.objectContaining({
        data: expect.objectContaining({ referrers: expect.arrayContaining([{ id, target: connection }]) }),
      }),
    ])
    await createResource(admin, { cls: 'mapsrv_style', parent: id, name: 'Style of a table' })
    expect((await admin('DELETE', `/api/resource/${id}`)).status).toBe(200)
    expect(await execute('select count(*) from kept')).toEqual([{ count: '0' }])
  })

  test('are created in one batch with their connection, atomically', async () => {
    const server = await start()
    const { admin } = server
    const { run, refuse } = openBatchClient(server)
    const { connection, execute } = await openForeign()
    const columns = 'id serial primary key, geom geometry(Point, 3857), a int'
    await execute(`drop table if exists batched; create table batched (${columns})`)
    const create = (name: string, cls: string, member: object) => ({
      ...{ op: 'create', name },
      body: { resource: { cls, parent: { id: 0 }, display_name: `Batch ${name}` }, [cls]: member },
    })
    const table = { schema: 'public', table: 'batched', column_id: 'id', column_geom: 'geom' }
    const layer = { connection: { id: 'db' }, ...table }
    const operations = (last: object, db: object = connection) => [
      create('db', 'geodb_connection', db),
      create('one', 'geodb_layer', layer),
      create('two', 'geodb_layer', { ...layer, ...last }),
    ]
    expect(await refuse(operations({ table: 'batched_2' }))).toMatchObject({
      ...{ status: 422, data: { operation: 2, name: 'two' } },
      message: expect.stringContaining('no table or view "batched_2"'),
    })
    expect(await refuse(operations({}, { ...connection, database: 'none_there' }))).toMatchObject({
      ...{ status: 503, data: { operation: 1, name: 'one' } },
      message: expect.stringContaining('the database does not exist'),
    })
    const [db, one, two] = await run(operations({}))
    expect(await fieldsOf(admin, two?.id ?? 0)).toEqual(['a: a'])
    expect(await countOf(admin, one?.id ?? 0)).toBe(0)
    const other = { op: 'update', id: db?.id, body: { geodb_connection: { database: 'none_there' } } }
    const reread = { op: 'update', id: one?.id, body: { geodb_layer: { fields: 'update' } } }
    expect(await refuse([other, reread])).toMatchObject({ status: 503, data: { operation: 1 } })
    await run([other])
    const back = { ...other, body: { geodb_connection: { database: connection.database } } }
    expect(await run([back, reread])).toHaveLength(2)
    expect(await countOf(admin, one?.id ?? 0)).toBe(0)
  })
})
