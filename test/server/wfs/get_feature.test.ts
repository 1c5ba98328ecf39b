import { beforeAll, describe, expect, test } from 'vitest'
import { describeServers, type TestServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'
import { askWfs, publish, publishTowns, readException, readValues, valuesOf } from '../../support/wfs.ts'

const all = ['Oslo', 'Wien', 'Łódź &amp; &lt;co&gt; &quot;x&quot;']

const fes = (inner: string) =>
  `<fes:Filter xmlns:fes="http://www.opengis.net/fes/2.0" xmlns:gml="http://www.opengis.net/gml/3.2">${inner}</fes:Filter>`
const compare = (name: string, property: string, literal: string, attributes = '') =>
  `<fes:${name} ${attributes}><fes:ValueReference>${property}</fes:ValueReference><fes:Literal>${literal}</fes:Literal></fes:${name}>`
const like = (pattern: string, attributes = '') =>
  `<fes:PropertyIsLike wildCard="*" singleChar="?" escapeChar="!" ${attributes}><fes:ValueReference>name</fes:ValueReference><fes:Literal>${pattern}</fes:Literal></fes:PropertyIsLike>`
const isNull = (property: string) =>
  `<fes:PropertyIsNull><fes:ValueReference>${property}</fes:ValueReference></fes:PropertyIsNull>`
const between = (property: string, lower: string, upper: string) =>
  `<fes:PropertyIsBetween><fes:ValueReference>${property}</fes:ValueReference><fes:LowerBoundary><fes:Literal>${lower}</fes:Literal></fes:LowerBoundary><fes:UpperBoundary><fes:Literal>${upper}</fes:Literal></fes:UpperBoundary></fes:PropertyIsBetween>`
const spatial = (name: string, geometry: string, more = '') =>
  `<fes:${name}><fes:ValueReference>svc:geom</fes:ValueReference>${geometry}${more}</fes:${name}>`
const urn = 'srsName="urn:ogc:def:crs:EPSG::4326"'
const polygon = `<gml:Polygon ${urn}><gml:exterior><gml:LinearRing><gml:posList>48 16 48 17 49 17 49 16 48 16</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon>`
const envelope = `<gml:Envelope ${urn}><gml:lowerCorner>50 10</gml:lowerCorner><gml:upperCorner>60 20</gml:upperCorner></gml:Envelope>`
const point = `<gml:Point ${urn}><gml:pos>59.91 10.75</gml:pos></gml:Point>`

describeServers('GetFeature', (start) => {
  let server: TestServer
  let path = ''
  beforeAll(async () => {
    server = await start()
    path = (await publishTowns(server.admin, 'Towns')).path
  })
  const read = (parameters: Record<string, string>) => readValues(server, path, parameters)

  describe('filters', () => {
    test.each([
      ['equal', compare('PropertyIsEqualTo', 'name', 'Oslo'), ['Oslo']],
      ['equal, with a path', compare('PropertyIsEqualTo', 'svc:towns/svc:name', 'Oslo'), ['Oslo']],
      ['equal, ignoring case', compare('PropertyIsEqualTo', 'name', 'OSLO', 'matchCase="false"'), ['Oslo']],
      ['not equal', compare('PropertyIsNotEqualTo', 'people', '709000'), all.slice(1)],
      ['a fraction with an integer', compare('PropertyIsGreaterThan', 'people', '708999.5'), all.slice(0, 2)],
      ['less or equal', compare('PropertyIsLessThanOrEqualTo', 'people', '709000'), [all[0], all[2]]],
      ['a date', compare('PropertyIsLessThan', 'since', '1000-01-01'), ['Wien']],
      ['a BIGINT', compare('PropertyIsEqualTo', 'area', '9007199254740993'), ['Oslo']],
      ['a name that was no XML name', compare('PropertyIsEqualTo', '_2020_total', '1'), ['Oslo']],
      ['a Cyrillic name', compare('PropertyIsEqualTo', 'высота', '0.1'), ['Oslo']],
      ['an identifier as a property', compare('PropertyIsEqualTo', '@gml:id', 'towns.2'), ['Wien']],
      ['between', between('people', '650000', '709000'), [all[0], all[2]]],
      ['like', like('W?e*'), ['Wien']],
      ['like, with literal wildcards', like('*%*'), []],
      ['like, with escapes', like('!W*'), ['Wien']],
      ['like, ignoring case', like('wIE*', 'matchCase="false"'), ['Wien']],
      ['null', `<fes:And>${isNull('since')}<fes:Not>${isNull('name')}</fes:Not></fes:And>`, [all[2]]],
      ['no geometry', `<fes:Not>${isNull('geom')}</fes:Not>`, all],
      ['or', `<fes:Or>${like('O*')}${like('W*')}</fes:Or>`, all.slice(0, 2)],
      [
        'ids',
        '<fes:ResourceId rid="towns.3"/><fes:ResourceId rid="towns.1"/><fes:ResourceId rid="other.2"/>',
        [all[0], all[2]],
      ],
      ['an intersection', spatial('Intersects', polygon), ['Wien']],
      ['within', spatial('Within', polygon), ['Wien']],
      ['disjoint', spatial('Disjoint', polygon), [all[0], all[2]]],
      ['equal geometries', spatial('Equals', point), ['Oslo']],
      ['a box', `<fes:BBOX>${envelope}</fes:BBOX>`, [all[0], all[2]]],
      ['a distance', spatial('DWithin', point, '<fes:Distance uom="km">900</fes:Distance>'), ['Oslo']],
      [
        'beyond a distance',
        spatial('Beyond', point, '<fes:Distance uom="m">900000</fes:Distance>'),
        all.slice(1),
      ],
    ])('%s', async (_, inner, names) => {
      expect(await read({ filter: fes(inner), sortBy: 'gml:id' })).toEqual(names)
      const xml = `<wfs:GetFeature service="WFS" version="2.0.0" xmlns:wfs="http://www.opengis.net/wfs/2.0"><wfs:Query typeNames="svc:towns">${fes(inner)}</wfs:Query></wfs:GetFeature>`
      const answer = await server.admin('POST', path, xml)
      expect(valuesOf(await answer.text(), 'name')).toEqual(names)
    })

    test.each([
      ['a literal of another type', compare('PropertyIsEqualTo', 'people', 'many'), 'InvalidParameterValue'],
      ['an unknown property', compare('PropertyIsEqualTo', 'peoples', '1'), 'InvalidParameterValue'],
      ['an unknown operator', '<fes:PropertyIsNice/>', 'OperationNotSupported'],
      [
        'a temporal operator',
        '<fes:After><fes:ValueReference>since</fes:ValueReference></fes:After>',
        'OperationNotSupported',
      ],
      [
        'a function',
        '<fes:PropertyIsEqualTo><fes:Function name="f"/><fes:Literal>1</fes:Literal></fes:PropertyIsEqualTo>',
        'OperationNotSupported',
      ],
      ['an arc', spatial('Intersects', '<gml:Arc/>'), 'InvalidParameterValue'],
      [
        'a coordinate that is not a number',
        spatial('Intersects', '<gml:Point><gml:pos>1 x</gml:pos></gml:Point>'),
        'InvalidParameterValue',
      ],
      [
        'an unknown unit',
        spatial('DWithin', point, '<fes:Distance uom="parsec">1</fes:Distance>'),
        'InvalidParameterValue',
      ],
      ['nothing', '', 'InvalidParameterValue'],
      ['text that is not XML', '<fes:And>', 'OperationParsingFailed'],
    ])('refuses %s', async (_, inner, code) => {
      const answer = await askWfs(server.admin, path, {
        request: 'GetFeature',
        typeNames: 'towns',
        filter: fes(inner),
      })
      expect(await readException(answer)).toMatchObject({ code })
      expect(answer.status).toBe(code === 'OperationNotSupported' ? 501 : 400)
    })

    test('of GML 2 and 3.1 in requests of the older versions', async () => {
      const box =
        '<ogc:BBOX><ogc:PropertyName>geom</ogc:PropertyName><gml:Box srsName="EPSG:4326"><gml:coordinates>16,48 17,49</gml:coordinates></gml:Box></ogc:BBOX>'
      const old = `<wfs:GetFeature service="WFS" version="1.0.0" maxFeatures="5" xmlns:wfs="http://www.opengis.net/wfs" xmlns:ogc="http://www.opengis.net/ogc" xmlns:gml="http://www.opengis.net/gml"><wfs:Query typeName="svc:towns"><ogc:PropertyName>svc:name</ogc:PropertyName><ogc:Filter>${box}</ogc:Filter></wfs:Query></wfs:GetFeature>`
      const first = await (await server.admin('POST', path, old)).text()
      expect([valuesOf(first, 'name'), valuesOf(first, 'people')]).toEqual([['Wien'], []])
      const id = old.replace('1.0.0', '1.1.0').replace(box, '<ogc:GmlObjectId gml:id="towns.1"/>')
      expect(valuesOf(await (await server.admin('POST', path, id)).text(), 'name')).toEqual(['Oslo'])
    })
  })

  describe('pages', () => {
    const page = async (parameters: Record<string, string>) =>
      (await askWfs(server.admin, path, { request: 'GetFeature', typeNames: 'towns', ...parameters })).text()

    test('have counts, and links to the next and the previous page', async () => {
      const xml = await page({ count: '2', startIndex: '1', sortBy: 'people' })
      expect(xml).toMatch(/numberMatched="4" numberReturned="2"/)
      expect(valuesOf(xml, 'name')).toEqual(['Oslo', 'Wien'])
      const next = /next="([^"]*)"/.exec(xml)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const previous = /previous="([^"]*)"/.exec(xml)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const follow = async (url: string) => (await server.admin('GET', url.slice(server.url.length))).text()
      expect(valuesOf(await follow(next), 'name')).toEqual([])
      expect(await follow(next)).toMatch(/numberReturned="1"/)
      expect(valuesOf(await follow(previous), 'name')).toEqual([all[2]])
    })

    test('stay complete without and with an order', async () => {
      const names: string[] = []
      for (const startIndex of ['0', '1', '2', '3'])
        names.push(...valuesOf(await page({ count: '1', startIndex }), 'name'))
      expect(names).toEqual(all)
    })

    test.each([
      ['2.0.0', /numberMatched="4" numberReturned="0"/],
      ['1.1.0', /numberOfFeatures="4"/],
    ])('are counted only with hits in version %s', async (version, counts) => {
      const xml = await page({ version, resultType: 'hits', typeName: 'towns' })
      expect(xml).toMatch(counts)
      expect(xml).not.toContain('svc:towns')
    })

    test('are limited by maxfeatures of the service', async () => {
      const limited = await publishTowns(server.admin, 'Limited', { entry: { maxfeatures: 2 } })
      const names = (parameters: Record<string, string>) => readValues(server, limited.path, parameters)
      expect(await names({})).toEqual(all.slice(0, 2))
      expect(await names({ count: '10', startIndex: '2' })).toEqual(all.slice(2))
      expect(await names({ version: '1.0.0', maxFeatures: '10' })).toEqual(all.slice(0, 2))
      const xml = await (await askWfs(server.admin, limited.path, { request: 'GetCapabilities' })).text()
      expect(xml).toContain('<ows:Constraint name="CountDefault"><ows:NoValues/><ows:DefaultValue>2<')
    })
  })

  test('returns the requested properties, in the order of the schema', async () => {
    const xml = await (
      await askWfs(server.admin, path, {
        request: 'GetFeature',
        typeNames: 'towns',
        propertyName: 'people,name',
        resourceId: 'towns.1',
      })
    ).text()
    expect(xml).toContain(
      '<svc:towns gml:id="towns.1"><svc:name>Oslo</svc:name><svc:people>709000</svc:people></svc:towns>',
    )
  })

  test('accepts names of parameters in any case, and repeats nothing of them as XML', async () => {
    const answer = await server.admin(
      'GET',
      `${path}?SeRvIcE=wfs&VeRsIoN=2.0.0&rEqUeSt=getfeature&TyPeNaMeS=svc%3Atowns&cOuNt=1`,
    )
    expect(valuesOf(await answer.text(), 'name')).toEqual(['Oslo'])
    const bad = await server.admin('GET', `${path}?service=WFS&request=${encodeURIComponent('<a>"&\u0001')}`)
    expect(await readException(bad)).toMatchObject({ status: 501, code: 'OperationNotSupported' })
  })

  test('reads several types in one request', async () => {
    const layer = await createLayer(server.admin, {
      name: 'Lakes',
      geometryType: 'POLYGON',
      fields: [{ keyname: 'name', datatype: 'STRING' }],
    })
    await server.admin('POST', `/api/resource/${layer}/feature/`, { fields: { name: 'Mjøsa' } })
    const towns = await publishTowns(server.admin, 'With lakes')
    const both = await publish(server.admin, 'Both', {
      layers: [
        { keyname: 'towns', display_name: 'Towns', resource_id: towns.layer },
        { keyname: 'lakes', display_name: 'Lakes', resource_id: layer },
      ],
    })
    const names = async (parameters: Record<string, string>) => {
      const answer = await askWfs(server.admin, both.path, { request: 'GetFeature', ...parameters })
      return valuesOf(await answer.text(), 'name')
    }
    expect(await names({ typeNames: '(towns)(lakes)' })).toEqual([...all, 'Mjøsa'])
    expect(await names({ typeName: 'towns,lakes', version: '1.1.0', maxFeatures: '1' })).toEqual(['Oslo'])
    expect(await names({ typeName: 'towns,lakes', version: '1.1.0', startIndex: '3' })).toEqual(['Mjøsa'])
    expect(await names({ resourceId: 'lakes.1,towns.2' })).toEqual(['Mjøsa', 'Wien'])
    const joined = await askWfs(server.admin, both.path, { request: 'GetFeature', typeNames: 'towns,lakes' })
    expect(await readException(joined)).toMatchObject({ status: 501, code: 'OptionNotSupported' })
  })

  test('returns a feature by its identifier, and the values of a property', async () => {
    const stored = { request: 'GetFeature', storedQuery_Id: 'urn:ogc:def:query:OGC-WFS::GetFeatureById' }
    const found = await (await askWfs(server.admin, path, { ...stored, id: 'towns.2' })).text()
    expect(found).toMatch(/^<\?xml[^>]*>\s*<svc:towns xmlns:wfs=[^>]* gml:id="towns.2">.*<svc:name>Wien</s)
    expect(
      await readException(await askWfs(server.admin, path, { ...stored, id: 'towns.99' })),
    ).toMatchObject({ status: 404, code: 'NotFound' })
    const values = await askWfs(server.admin, path, {
      request: 'GetPropertyValue',
      typeNames: 'towns',
      valueReference: 'since',
    })
    expect(await values.text()).toMatch(
      /<wfs:ValueCollection[^>]*numberReturned="2"[^>]*>\s*<wfs:member>1048-01-01<\/wfs:member>\s*<wfs:member>0881-05-06<\/wfs:member>\s*<\/wfs:ValueCollection>/,
    )
  })

  test('writes GeoJSON in degrees, or in the requested reference system', async () => {
    const ask = async (parameters: Record<string, string>) =>
      (
        await askWfs(server.admin, path, {
          request: 'GetFeature',
          typeNames: 'towns',
          outputFormat: 'application/json',
          count: '1',
          ...parameters,
        })
      ).json<{
        numberMatched: number
        crs?: { properties: { name: string } }
        features: { id: string; geometry: { coordinates: number[] }; properties: Record<string, unknown> }[]
      }>()
    const { numberMatched, features } = await ask({})
    expect([numberMatched, features.length, features[0]?.id]).toEqual([4, 1, 'towns.1'])
    expect(features[0]?.geometry.coordinates.map((value) => value.toFixed(6))).toEqual([
      '10.750000',
      '59.910000',
    ])
    expect(features[0]?.properties).toMatchObject({
      name: 'Oslo',
      area: '9007199254740993',
      since: '1048-01-01',
      _2020_total: 1,
    })
    const mercator = await ask({ srsName: 'EPSG:3857' })
    expect(mercator.crs?.properties.name).toBe('urn:ogc:def:crs:EPSG::3857')
    expect(Math.round(mercator.features[0]?.geometry.coordinates[0] ?? 0)).toBe(1_196_685)
  })
})
