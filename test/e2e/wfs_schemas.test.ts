import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GeometryType, geometryTypes } from '../../src/contract/geometry.ts'
import { findWfsErrors, hasWfsSchemas, type WfsDocument, type WfsVersion } from '../support/ogc_client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createLayer } from '../support/tree.ts'
import { askWfs, publish, wfsFields, wfsTowns } from '../support/wfs.ts'

const versions = ['1.0.0', '1.1.0', '2.0.0'] as const
const later = ['1.1.0', '2.0.0'] as const

/** Shapes of each geometry type without height. */
const shapes: Readonly<Record<string, string>> = {
  POINT: 'POINT (1 2)',
  LINESTRING: 'LINESTRING (0 0, 1 1, 2 0)',
  POLYGON: 'POLYGON ((0 0, 9 0, 9 9, 0 0), (2 1, 4 1, 4 2, 2 1))',
  MULTIPOINT: 'MULTIPOINT ((1 2), (3 4))',
  MULTILINESTRING: 'MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))',
  MULTIPOLYGON:
    'MULTIPOLYGON (((0 0, 9 0, 9 9, 0 0)), ((20 20, 29 20, 29 29, 20 20), (22 21, 24 21, 24 22, 22 21)))',
}

/** Returns a shape of a geometry type; those of types with height have it. */
function shapeOf(type: GeometryType): string {
  const flat = shapes[type.replace(/Z$/, '')] ?? ''
  return type.endsWith('Z') ? flat.replace(/^\w+/, '$& Z').replaceAll(/(\d+ \d+)(?=[,)])/g, '$1 5') : flat
}

const keyOf = (type: GeometryType) => `layer_${type.toLowerCase()}`

let server: TestServer
let path = ''
beforeAll(async () => {
  server = await startTestServer('postgres')
  const layers: object[] = []
  for (const type of geometryTypes) {
    const layer = await createLayer(server.admin, {
      name: type,
      geometryType: type,
      parent: 0,
      fields: wfsFields,
      resource: { description: `<p>All &amp; <b>nothing</b></p>` },
    })
    const towns = wfsTowns.map((town) => ('geom' in town ? { ...town, geom: shapeOf(type) } : town))
    const answer = await server.admin(
      'PATCH',
      `/api/resource/${layer}/feature/?srs=4326&dt_format=iso`,
      towns,
    )
    expect(answer.status, await answer.text()).toBe(200)
    layers.push({ keyname: keyOf(type), display_name: `Layer <${type}> & co`, resource_id: layer })
  }
  const published = await publish(server.admin, 'All types', { layers })
  path = published.path
  const resource = { description: 'Layers of all types' }
  await server.admin('PUT', `/api/resource/${published.service}`, { resource })
})
afterAll(() => server.stop())

async function get(version: WfsVersion, parameters: Record<string, string>): Promise<string> {
  return (await askWfs(server.admin, path, { version, ...parameters })).text()
}

/** Validates documents, and names those with errors. */
async function expectValid(documents: readonly WfsDocument[]): Promise<void> {
  if (!hasWfsSchemas)
    process.stderr.write('the schemas of WFS are missing: its documents were NOT validated\n')
  const errors = hasWfsSchemas ? await findWfsErrors(documents) : documents.map(() => [])
  const wrong = documents.flatMap(({ title, version }, at) =>
    (errors[at] ?? ['not validated']).map((error) => `${version} ${title}: ${error}`),
  )
  expect(wrong).toEqual([])
}

const title = (what: string) =>
  hasWfsSchemas
    ? `the schemas of OGC accept ${what}`
    : `${what}: THE SCHEMAS COULD NOT BE FETCHED, SO NOTHING WAS CHECKED`

const names = (version: WfsVersion, ...types: GeometryType[]) => ({
  [version === '2.0.0' ? 'typeNames' : 'typeName']: types.map(keyOf).join(),
})

test(title('features of all geometry types, by the schema of their type'), async () => {
  const documents = versions.flatMap((version) =>
    geometryTypes.map(async (type): Promise<WfsDocument> => {
      const own = names(version, type)
      const types = [await get(version, { request: 'DescribeFeatureType', ...own })]
      const text = await get(version, { request: 'GetFeature', ...own })
      expect(text).toContain('<svc:name>Oslo</svc:name>')
      return { title: type, version, types, text }
    }),
  )
  await expectValid(await Promise.all(documents))
})

test(title('capabilities, parts of them, and hits'), async () => {
  const documents = later.flatMap((version) => {
    const requests: Record<string, string>[] = [
      { request: 'GetCapabilities' },
      { request: 'GetCapabilities', sections: 'ServiceIdentification,FeatureTypeList' },
      { request: 'GetFeature', resultType: 'hits', ...names(version, 'POINT') },
    ]
    return requests.map(async (request) => ({
      ...{ title: JSON.stringify(request), version, text: await get(version, request) },
    }))
  })
  await expectValid(await Promise.all(documents))
})

test(title('pages, several types, stored queries and values of version 2'), async () => {
  const version = '2.0.0'
  const both = names(version, 'POINT', 'MULTIPOLYGONZ')
  const types = [await get(version, { request: 'DescribeFeatureType' })]
  const one = { request: 'GetFeature', ...names(version, 'POINT') }
  const requests: Record<string, string>[] = [
    { ...one, count: '1', startIndex: '1' },
    { ...one, bbox: '0,0,9,9,urn:ogc:def:crs:EPSG::4326', srsName: 'urn:ogc:def:crs:EPSG::4326' },
    { ...one, propertyName: 'name' },
    { request: 'GetFeature', ...both },
    { request: 'ListStoredQueries' },
    { request: 'DescribeStoredQueries' },
    {
      request: 'GetFeature',
      storedQuery_Id: 'urn:ogc:def:query:OGC-WFS::GetFeatureById',
      id: `${keyOf('POINT')}.1`,
    },
    { request: 'GetPropertyValue', ...names(version, 'POINT'), valueReference: 'name' },
    { request: 'GetPropertyValue', ...names(version, 'POINT'), valueReference: 'geom' },
  ]
  const documents = requests.map(async (request) => ({
    ...{ title: JSON.stringify(request), version, types, text: await get(version, request) },
  }))
  await expectValid((await Promise.all(documents)) as WfsDocument[])
})

test(title('exceptions and responses to transactions'), async () => {
  const documents = later.flatMap((version) => {
    const [wfs, type] = [version === '2.0.0' ? 'wfs/2.0' : 'wfs', keyOf('POINT')]
    const insert = `<wfs:Insert handle="h"><t:${type}><t:name>x</t:name></t:${type}></wfs:Insert>`
    const transaction = `<wfs:Transaction service="WFS" version="${version}"
      xmlns:wfs="http://www.opengis.net/${wfs}" xmlns:t="urn:x">${insert}</wfs:Transaction>`
    const post = async () => (await server.admin('POST', path, transaction)).text()
    const answers: [string, Promise<string>, RegExp][] = [
      [
        'a type that is missing',
        get(version, { request: 'GetFeature', typeNames: 'none' }),
        /<ows:Exception /,
      ],
      ['a request that is missing', get(version, { request: 'None' }), /<ows:Exception /],
      ['a transaction', post(), /<wfs:totalInserted>1</],
    ]
    return answers.map(async ([what, answer, pattern]) => {
      expect(await answer).toMatch(pattern)
      return { title: what, version, text: await answer }
    })
  })
  await expectValid(await Promise.all(documents))
})

test.each(versions)('the schemas of OGC find what is wrong in version %s', async (version) => {
  const own = names(version, 'POINT')
  const types = [await get(version, { request: 'DescribeFeatureType', ...own })]
  const text = await get(version, { request: 'GetFeature', ...own })
  const [coordinates, others] =
    version === '1.0.0' ? ['gml:coordinates>', 'gml:points>'] : ['gml:pos>', 'gml:at>']
  const wrong: readonly [string, string][] = [
    [text, text.replace('<svc:people>709000<', '<svc:people>many<')],
    [text, text.replaceAll('svc:height', 'svc:depth')],
    [text, text.replaceAll(coordinates, others)],
  ]
  for (const [before, after] of wrong) expect(after).not.toBe(before)
  const documents = wrong.map(([, one]): WfsDocument => ({ title: '', version, types, text: one }))
  const broken = types.map((one) => one.replace('xsd:string', 'xsd:strings'))
  const errors = await findWfsErrors([...documents, { title: '', version, types: broken, text }])
  expect(errors.map((found) => found.length > 0)).toEqual([true, true, true, true])
})
