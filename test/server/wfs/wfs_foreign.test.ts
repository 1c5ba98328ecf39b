import { expect, test } from 'vitest'
import { openTables, useForeign } from '../../support/geodb.ts'
import { describeServer } from '../../support/server.ts'
import { askWfs, publish, publishTowns, readException, valuesOf } from '../../support/wfs.ts'

const openForeign = useForeign()

describeServer('WFS of tables of another database', (start) => {
  const tables = openTables(start, openForeign)
  const columns = 'id bigint primary key, geom geometry, label varchar(9), size numeric(9,2)'
  const transaction = (inner: string) =>
    `<wfs:Transaction service="WFS" version="1.1.0" xmlns:wfs="http://www.opengis.net/wfs" xmlns:ogc="http://www.opengis.net/ogc" xmlns:gml="http://www.opengis.net/gml">${inner}</wfs:Transaction>`

  const open = async (table: string) => {
    const { execute } = await tables.open()
    await execute(`drop table if exists ${table} cascade; create table ${table} (${columns})`)
    await execute(`insert into ${table} values
      (5000000000, 'SRID=4326;POINT(1 2)', 'one', 1.5),
      (5000000001, 'SRID=4326;MULTIPOINT(1 2, 3 4)', 'two', 2),
      (5000000002, null, 'none', null)`)
    await execute(`create sequence if not exists ${table}_ids start 6000000000;
      alter table ${table} alter column id set default nextval('${table}_ids')`)
    const { admin, connection } = await tables.open()
    const members = {
      geodb_layer: { table, schema: 'public', column_id: 'id', column_geom: 'geom', connection },
    }
    const body = {
      resource: { cls: 'geodb_layer', parent: { id: 0 }, display_name: `Of ${table}` },
      ...members,
    }
    const { id } = await (await admin('POST', '/api/resource/', body)).json<{ id: number }>()
    const entry = (keyname: string, resource: number) => ({
      keyname,
      display_name: keyname,
      resource_id: resource,
    })
    const { layer } = await publishTowns(admin, `Own of ${table}`)
    const layers = [entry('things', id), entry('towns', layer)]
    return { admin, ...(await publish(admin, `WFS of ${table}`, { layers })) }
  }

  test('reads 64-bit ids, and single geometries among multiple ones', async () => {
    const { admin, path } = await open('wfs_read')
    const read = async (parameters: Record<string, string>) =>
      (await askWfs(admin, path, { request: 'GetFeature', typeNames: 'things', ...parameters })).text()
    const xml = await read({ srsName: 'EPSG:4326' })
    expect(xml.match(/gml:id="things\.\d+"/g)).toEqual([
      'gml:id="things.5000000000"',
      'gml:id="things.5000000001"',
      'gml:id="things.5000000002"',
    ])
    expect(xml.match(/<gml:MultiPoint /g)).toHaveLength(2)
    expect(valuesOf(await read({ resourceId: 'things.5000000001' }), 'label')).toEqual(['two'])
    expect(valuesOf(await read({ bbox: '0,0,2,3,EPSG:4326' }), 'label')).toEqual(['one', 'two'])
    const capabilities = await (await askWfs(admin, path, { request: 'GetCapabilities' })).text()
    expect(capabilities).toContain('<Name>svc:things</Name>')
  })

  test('writes in one transaction of that database', async () => {
    const { admin, path } = await open('wfs_written')
    const insert =
      '<wfs:Insert><things><label>new</label><geom><gml:Point srsName="EPSG:4326"><gml:pos>5 6</gml:pos></gml:Point></geom></things></wfs:Insert>'
    const remove =
      '<wfs:Delete typeName="things"><ogc:Filter><ogc:FeatureId fid="things.5000000000"/></ogc:Filter></wfs:Delete>'
    const labels = async () =>
      valuesOf(
        await (await askWfs(admin, path, { request: 'GetFeature', typeNames: 'things' })).text(),
        'label',
      )
    const refused = await admin(
      'POST',
      path,
      transaction(`${remove}<wfs:Insert><things><label>too long for it</label></things></wfs:Insert>`),
    )
    expect(refused.status).toBe(400)
    const mixed = await admin('POST', path, transaction(`${remove}<wfs:Insert><towns/></wfs:Insert>`))
    expect(await readException(mixed)).toMatchObject({
      status: 403,
      text: 'All layers of a transaction must be in the same database.',
    })
    expect(await labels()).toEqual(['one', 'two', 'none'])
    expect(await (await admin('POST', path, transaction(insert + remove))).text()).toMatch(
      /fid="things\.60000000\d\d"/,
    )
    expect(await labels()).toEqual(['two', 'none', 'new'])
  })
})
