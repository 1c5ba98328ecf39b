import { beforeAll, describe, expect, test } from 'vitest'
import { describeServers, type TestServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'
import { type PublishedTowns, publish, publishTowns, readException, readValues } from '../../support/wfs.ts'

const namespaces = {
  '1.0.0':
    'xmlns:wfs="http://www.opengis.net/wfs" xmlns:ogc="http://www.opengis.net/ogc" xmlns:gml="http://www.opengis.net/gml"',
  '1.1.0':
    'xmlns:wfs="http://www.opengis.net/wfs" xmlns:ogc="http://www.opengis.net/ogc" xmlns:gml="http://www.opengis.net/gml"',
  '2.0.0':
    'xmlns:wfs="http://www.opengis.net/wfs/2.0" xmlns:fes="http://www.opengis.net/fes/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"',
} as const
type Version = keyof typeof namespaces

const transaction = (version: Version, actions: string) =>
  `<?xml version="1.0"?><wfs:Transaction service="WFS" version="${version}" ${namespaces[version]} xmlns:t="urn:x">${actions}</wfs:Transaction>`
const feature = (inner: string) => `<t:towns>${inner}</t:towns>`
const named = (name: string) => feature(`<t:name>${name}</t:name>`)
const insert = (features: string, attributes = '') => `<wfs:Insert ${attributes}>${features}</wfs:Insert>`
const filter = (id: string) => `<ogc:Filter><ogc:FeatureId fid="${id}"/></ogc:Filter>`
const all = ['Oslo', 'Wien', 'Łódź &amp; &lt;co&gt; &quot;x&quot;']

describeServers('a transaction', (start) => {
  let server: TestServer
  let towns: PublishedTowns
  let count = 0
  beforeAll(async () => {
    server = await start()
  })
  const renew = async (srs = 4326) => {
    count += 1
    towns = await publishTowns(server.admin, `Towns ${count}`, { srs })
    return towns
  }
  const send = (version: Version, actions: string, path = towns.path) =>
    server.admin('POST', path, transaction(version, actions))
  const names = () => readValues(server, towns.path, {})
  const geometries = async () => {
    const answer = await server.admin(
      'GET',
      `/api/resource/${towns.layer}/feature/?geom_format=wkt&fields=name`,
    )
    return (await answer.json<{ geom: string | null }[]>()).map(({ geom }) => geom)
  }

  test.each<[Version, string]>([
    [
      '1.0.0',
      '<wfs:InsertResult handle="h"><ogc:FeatureId fid="towns.5"/><ogc:FeatureId fid="towns.6"/></wfs:InsertResult><wfs:TransactionResult><wfs:Status><wfs:SUCCESS/></wfs:Status></wfs:TransactionResult>',
    ],
    [
      '1.1.0',
      '<wfs:TransactionSummary><wfs:totalInserted>2</wfs:totalInserted><wfs:totalUpdated>1</wfs:totalUpdated><wfs:totalDeleted>1</wfs:totalDeleted></wfs:TransactionSummary><wfs:InsertResults><wfs:Feature handle="h"><ogc:FeatureId fid="towns.5"/></wfs:Feature><wfs:Feature handle="h"><ogc:FeatureId fid="towns.6"/></wfs:Feature></wfs:InsertResults>',
    ],
    [
      '2.0.0',
      '<wfs:TransactionSummary><wfs:totalInserted>2</wfs:totalInserted><wfs:totalUpdated>1</wfs:totalUpdated><wfs:totalReplaced>0</wfs:totalReplaced><wfs:totalDeleted>1</wfs:totalDeleted></wfs:TransactionSummary><wfs:InsertResults><wfs:Feature handle="h"><fes:ResourceId rid="towns.5"/></wfs:Feature><wfs:Feature handle="h"><fes:ResourceId rid="towns.6"/></wfs:Feature></wfs:InsertResults>',
    ],
  ])('inserts, updates and deletes, and is answered in the form of version %s', async (version, response) => {
    await renew()
    const isLatest = version === '2.0.0'
    const idFilter = (id: string) =>
      isLatest ? `<fes:Filter><fes:ResourceId rid="${id}"/></fes:Filter>` : filter(id)
    const nameElement = isLatest ? 'ValueReference' : 'Name'
    const update = `<wfs:Update typeName="t:towns"><wfs:Property><wfs:${nameElement}>t:name</wfs:${nameElement}><wfs:Value>Wien &amp; Graz</wfs:Value></wfs:Property><wfs:Property><wfs:${nameElement}>people</wfs:${nameElement}></wfs:Property>${idFilter('towns.2')}</wfs:Update>`
    const answer = await send(
      version,
      `${insert(named('A') + named('B'), 'handle="h"')}${update}<wfs:Delete typeName="towns">${idFilter('towns.1')}</wfs:Delete>`,
    )
    const xml = await answer.text()
    expect([answer.status, xml]).toEqual([200, expect.stringContaining(response)])
    expect(await names()).toEqual(['Wien &amp; Graz', all[2], 'A', 'B'])
    expect(await readValues(server, towns.path, { property: 'people' })).toEqual(['650000'])
  })

  test('stores values of every datatype, and null', async () => {
    await renew()
    const values =
      '<t:name> a\tb </t:name><t:people> 7 </t:people><t:area>-9223372036854775808</t:area><t:height>1e-3</t:height><t:since>2020-02-29</t:since><t:opens>23:59:59</t:opens><t:seen>2020-02-29T10:00:00Z</t:seen><t:_2020_total/><t:высота xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>'
    expect((await send('1.1.0', insert(feature(values)))).status).toBe(200)
    const answer = await server.admin('GET', `/api/resource/${towns.layer}/feature/5?dt_format=iso`)
    expect(await answer.json()).toMatchObject({
      geom: null,
      fields: {
        name: ' a\tb ',
        people: 7,
        area: '-9223372036854775808',
        height: 0.001,
        since: '2020-02-29',
        opens: '23:59:59',
        seen: '2020-02-29T10:00:00',
        '2020 total': null,
        высота: null,
      },
    })
  })

  test.each<[Version, string, string]>([
    ['1.0.0', '<gml:Point><gml:coordinates>10.5,60</gml:coordinates></gml:Point>', 'POINT(10.5 60)'],
    [
      '1.0.0',
      '<gml:Point srsName="EPSG:4326"><gml:coord><gml:X>10.5</gml:X><gml:Y>60</gml:Y></gml:coord></gml:Point>',
      'POINT(10.5 60)',
    ],
    ['1.1.0', '<gml:Point><gml:pos>60 10.5</gml:pos></gml:Point>', 'POINT(10.5 60)'],
    ['1.1.0', '<gml:Point srsName="EPSG:4326"><gml:pos>10.5 60</gml:pos></gml:Point>', 'POINT(10.5 60)'],
    [
      '2.0.0',
      '<gml:Point srsName="urn:ogc:def:crs:EPSG::4326"><gml:pos>60 10.5</gml:pos></gml:Point>',
      'POINT(10.5 60)',
    ],
    [
      '2.0.0',
      '<gml:Point srsName="http://www.opengis.net/def/crs/EPSG/0/3857"><gml:pos>0 0</gml:pos></gml:Point>',
      'POINT(0 0)',
    ],
  ])('of version %s places %s', async (version, point, wkt) => {
    await renew()
    expect((await send(version, insert(feature(`<t:geom>${point}</t:geom>`)))).status).toBe(200)
    expect((await geometries()).at(-1)).toBe(wkt)
  })

  test('takes the reference system of the insert, and collections of features', async () => {
    await renew()
    const member = (position: string) =>
      `<gml:featureMember>${feature(`<gml:boundedBy/><t:geom><gml:Point><gml:pos>${position}</gml:pos></gml:Point></t:geom>`)}</gml:featureMember>`
    const collection = `<wfs:FeatureCollection><gml:boundedBy/>${member('1 2')}${member('3 4')}</wfs:FeatureCollection>`
    expect((await send('1.1.0', insert(collection, 'srsName="EPSG:4326"'))).status).toBe(200)
    expect((await geometries()).slice(-2)).toEqual(['POINT(1 2)', 'POINT(3 4)'])
  })

  test('writes polygons with holes, several parts and heights, and reads them back unchanged', async () => {
    const layer = await createLayer(server.admin, { name: `Solid ${count++}`, geometryType: 'MULTIPOLYGONZ' })
    const { path } = await publish(server.admin, `Solid WFS ${count}`, {
      layers: [{ keyname: 'solid', display_name: 'Solid', resource_id: layer }],
    })
    const ring = (x: number, size: number) =>
      `${x} ${x} 5 ${x + size} ${x} 5 ${x + size} ${x + size} 6 ${x} ${x} 5`
    const linear = (name: string, text: string) =>
      `<gml:${name}><gml:LinearRing><gml:posList>${text}</gml:posList></gml:LinearRing></gml:${name}>`
    const polygon = (inner: string) =>
      `<gml:surfaceMember><gml:Polygon>${inner}</gml:Polygon></gml:surfaceMember>`
    const content =
      polygon(linear('exterior', ring(0, 10)) + linear('interior', ring(1, 2))) +
      polygon(linear('exterior', ring(20, 5)))
    const geometry = `<gml:MultiSurface srsName="urn:ogc:def:crs:EPSG::3857" srsDimension="3">${content}</gml:MultiSurface>`
    const written = await send('2.0.0', insert(`<t:solid><t:geom>${geometry}</t:geom></t:solid>`), path)
    expect([written.status, await written.text()]).toEqual([200, expect.anything()])
    const read = await (
      await server.admin('GET', `${path}?service=WFS&version=2.0.0&request=GetFeature&typeNames=solid`)
    ).text()
    const [inner = ''] = /<gml:MultiSurface.*<\/gml:MultiSurface>/.exec(read) ?? []
    expect(inner.replaceAll(/ gml:id="[^"]*"/g, '')).toBe(geometry)
    expect(inner.match(/gml:id="[^"]*"/g)).toEqual([
      'gml:id="solid.1.geometry"',
      'gml:id="solid.1.geometry.1"',
      'gml:id="solid.1.geometry.2"',
    ])
    const old = await (
      await server.admin('GET', `${path}?service=WFS&version=1.0.0&request=GetFeature&typeName=solid`)
    ).text()
    expect(old).toContain(
      '<gml:MultiPolygon srsName="EPSG:3857"><gml:polygonMember><gml:Polygon><gml:outerBoundaryIs><gml:LinearRing><gml:coordinates>0,0,5 10,0,5 10,10,6 0,0,5</gml:coordinates>',
    )
  })

  test('replaces a feature', async () => {
    await renew()
    const replace = `<wfs:Replace>${named('New')}<fes:Filter><fes:ResourceId rid="towns.1"/></fes:Filter></wfs:Replace>`
    expect(await (await send('2.0.0', replace)).text()).toContain('<wfs:totalReplaced>1</wfs:totalReplaced>')
    expect(await names()).toEqual(['New', all[1], all[2]])
    expect((await geometries())[0]).toBeNull()
    expect(await readValues(server, towns.path, { property: 'people' })).toEqual(['2000000', '650000'])
  })

  test('without actions changes nothing', async () => {
    await renew()
    const answer = await send('1.1.0', '')
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringContaining('<wfs:totalInserted>0<'),
    ])
    expect(await names()).toEqual(all)
  })

  describe('changes nothing if an action is refused', () => {
    beforeAll(() => renew())
    test.each<[string, string, number, string]>([
      ['a value of another type', insert(feature('<t:people>many</t:people>')), 400, 'InvalidValue'],
      ['a number beyond its type', insert(feature('<t:people>99999999999</t:people>')), 400, 'InvalidValue'],
      ['a date that does not exist', insert(feature('<t:since>2021-02-30</t:since>')), 400, 'InvalidValue'],
      ['an unknown property', insert(feature('<t:mayor>x</t:mayor>')), 400, 'InvalidParameterValue'],
      ['an unknown type', insert('<t:rivers/>'), 400, 'InvalidParameterValue'],
      [
        'a geometry of another type',
        insert(
          feature('<t:geom><gml:LineString><gml:posList>1 2 3 4</gml:posList></gml:LineString></t:geom>'),
        ),
        400,
        'InvalidValue',
      ],
      [
        'heights in a layer without',
        insert(feature('<t:geom><gml:Point><gml:pos>1 2 3</gml:pos></gml:Point></t:geom>')),
        400,
        'InvalidValue',
      ],
      [
        'an unknown reference system',
        insert(
          feature('<t:geom><gml:Point srsName="EPSG:999999"><gml:pos>1 2</gml:pos></gml:Point></t:geom>'),
        ),
        400,
        'InvalidParameterValue',
      ],
      ['ids of the client', insert(named('A'), 'idgen="UseExisting"'), 501, 'OptionNotSupported'],
      ['a delete without a filter', '<wfs:Delete typeName="towns"/>', 400, 'MissingParameterValue'],
      [
        'an update of an id',
        '<wfs:Update typeName="towns"><wfs:Property><wfs:Name>@gml:id</wfs:Name><wfs:Value>1</wfs:Value></wfs:Property></wfs:Update>',
        400,
        'InvalidValue',
      ],
      ['a native action', '<wfs:Native vendorId="x" safeToIgnore="false"/>', 501, 'OptionNotSupported'],
      ['a lock', '<wfs:LockId>1</wfs:LockId>', 501, 'OptionNotSupported'],
      ['an unknown action', '<wfs:Upsert/>', 501, 'OperationNotSupported'],
      ['an end that is missing', '<wfs:Delete', 400, 'OperationParsingFailed'],
    ])('%s', async (_, action, status, code) => {
      const before = `${insert(named('Before'))}<wfs:Delete typeName="towns">${filter('towns.1')}</wfs:Delete>`
      const answer = await server.admin('POST', towns.path, transaction('2.0.0', before + action))
      expect(await readException(answer)).toMatchObject({ status, code })
      expect(await names()).toEqual(all)
    })
  })

  test('needs data.write on the layer', async () => {
    await renew()
    await createUser(server.database, 'wfswriter')
    const users = await (await server.admin('GET', '/api/component/auth/user/')).json<
      { id: number; keyname: string }[]
    >()
    const id = users.find(({ keyname }) => keyname === 'wfswriter')?.id ?? 0
    const rule = (scope: string, permission: string) => ({
      action: 'allow',
      principal: { id },
      identity: '',
      scope,
      permission,
      propagate: true,
    })
    const { resource } = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: object[] }
    }>()
    const permit = (...more: object[]) =>
      server.admin('PUT', '/api/resource/0', {
        resource: {
          permissions: [
            ...resource.permissions,
            rule('resource', 'read'),
            rule('service', 'connect'),
            rule('data', 'read'),
            ...more,
          ],
        },
      })
    await permit()
    const writer = server.as('wfswriter', userPassword)
    const body = transaction('1.1.0', insert(named('A')))
    expect(await readException(await writer('POST', towns.path, body))).toMatchObject({ status: 403 })
    expect(await names()).toEqual(all)
    await permit(rule('data', 'write'))
    expect((await writer('POST', towns.path, body)).status).toBe(200)
    expect(await names()).toEqual([...all, 'A'])
  })

  test('keeps the order of 6,000 inserts, and changes what it has inserted', async () => {
    await renew()
    // A megabyte, so that the body arrives in many pieces.
    const padding = `<t:name>${'x'.repeat(120)}</t:name>`
    const many = Array.from({ length: 6000 }, (_, at) =>
      feature(`<t:people>${at}</t:people>${padding}`),
    ).join('')
    const update = `<wfs:Update typeName="towns"><wfs:Property><wfs:Name>name</wfs:Name><wfs:Value>last</wfs:Value></wfs:Property><ogc:Filter><ogc:PropertyIsEqualTo><ogc:PropertyName>people</ogc:PropertyName><ogc:Literal>5999</ogc:Literal></ogc:PropertyIsEqualTo></ogc:Filter></wfs:Update>`
    const xml = await (await send('1.1.0', insert(many) + update)).text()
    const ids = [...xml.matchAll(/fid="towns\.(\d+)"/g)].map(([, id]) => Number(id))
    expect(ids).toEqual(Array.from({ length: 6000 }, (_, at) => 5 + at))
    expect(
      await readValues(server, towns.path, { property: 'people', resourceId: 'towns.5,towns.6004' }),
    ).toEqual(['0', '5999'])
    expect(await readValues(server, towns.path, { resourceId: 'towns.6004' })).toEqual(['last'])
  })
})
