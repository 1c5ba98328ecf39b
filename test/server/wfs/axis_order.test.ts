import { beforeAll, describe, expect, test } from 'vitest'
import { findNorthFirstSrs } from '../../../src/store/classes/known_srs.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { askWfs, publishTowns, readException, readValues } from '../../support/wfs.ts'

const urn = 'urn:ogc:def:crs:EPSG::4326'
const url = 'http://www.opengis.net/def/crs/EPSG/0/4326'
const old = 'http://www.opengis.net/gml/srs/epsg.xml#4326'
const crs84 = 'urn:ogc:def:crs:OGC:1.3:CRS84'
const latLon = '59.91 10.75'
const lonLat = '10.75 59.91'

describeServer('the order of coordinates', (start) => {
  let server: TestServer
  let degrees = ''
  let mercator = ''
  beforeAll(async () => {
    server = await start()
    degrees = (await publishTowns(server.admin, 'Degrees', { srs: 4326 })).path
    mercator = (await publishTowns(server.admin, 'Mercator')).path
  })

  const positionOf = async (path: string, parameters: Record<string, string>) => {
    const answer = await askWfs(server.admin, path, {
      request: 'GetFeature',
      typeNames: 'towns',
      resourceId: 'towns.1',
      ...parameters,
    })
    const [, srs, text = ''] =
      /<gml:Point[^>]* srsName="([^"]*)"[^>]*><gml:(?:pos|coordinates)>([^<]*)</.exec(await answer.text()) ??
      []
    return [
      srs,
      text
        .split(/[ ,]/)
        .map((one) => Math.round(Number(one) * 1e6) / 1e6)
        .join(' '),
    ]
  }

  test.each([
    ['1.0.0', undefined, 'EPSG:4326', lonLat],
    ['1.1.0', undefined, urn, latLon],
    ['2.0.0', undefined, urn, latLon],
    ['1.0.0', urn, urn, latLon],
    ['1.1.0', 'EPSG:4326', 'EPSG:4326', lonLat],
    ['2.0.0', 'EPSG:4326', 'EPSG:4326', lonLat],
    ['2.0.0', url, url, latLon],
    ['1.1.0', old, old, lonLat],
    ['2.0.0', crs84, crs84, lonLat],
    ['2.0.2', 'CRS:84', 'CRS:84', lonLat],
  ])('of features in version %s with srsName %s', async (version, srsName, name, position) => {
    const parameters = { version, ...(srsName === undefined ? {} : { srsName }) }
    expect(await positionOf(degrees, parameters)).toEqual([name, position])
    if (srsName !== undefined) expect(await positionOf(mercator, parameters)).toEqual([name, position])
  })

  test.each([
    ['EPSG:3857', /^1196684\.526\d* 8379727\.58/],
    ['urn:ogc:def:crs:EPSG::3857', /^1196684\.526\d* 8379727\.58/],
    // EPSG:31467 has northing first, EPSG:25832 easting.
    ['EPSG:31467', /^3597\d{3}\.\d+ 6644\d{3}/],
    ['urn:ogc:def:crs:EPSG::31467', /^6644\d{3}\.\d+ 3597\d{3}/],
    ['urn:ogc:def:crs:EPSG::25832', /^597\d{3}\.\d+ 6642\d{3}/],
  ])('of features in %s', async (srsName, expected) => {
    const [, position] = await positionOf(degrees, { srsName })
    expect(position).toMatch(expected)
  })

  describe('of a box', () => {
    test.each([
      ['1.0.0', '10,59,11,60', ['Oslo']],
      ['1.0.0', '59,10,60,11', []],
      ['1.1.0', '59,10,60,11', ['Oslo']],
      ['2.0.0', '59,10,60,11', ['Oslo']],
      ['2.0.0', `59,10,60,11,${urn}`, ['Oslo']],
      ['2.0.0', `10,59,11,60,${urn}`, []],
      ['2.0.0', `59,10,60,11,${url}`, ['Oslo']],
      ['2.0.0', '10,59,11,60,EPSG:4326', ['Oslo']],
      ['2.0.0', `10,59,11,60,${crs84}`, ['Oslo']],
      ['1.1.0', `10,59,11,60,${old}`, ['Oslo']],
      ['2.0.0', '10,59,0,11,60,0,EPSG:4326', ['Oslo']],
      ['2.0.0', '1190000,8370000,1200000,8380000,EPSG:3857', ['Oslo']],
    ])('in version %s: %s', async (version, bbox, names) => {
      expect(await readValues(server, degrees, { version, bbox })).toEqual(names)
    })

    test.each([
      '1,2,3',
      '10,59,9,60',
      'a,b,c,d',
      '1,2,3,4,EPSG:4326,x',
      '1,2,3,1e999',
      '1,2,3,NaN',
      '1,2,3,4,EPSG:0',
      '1,2,3,4,nonsense',
    ])('refuses %s', async (bbox) => {
      const answer = await askWfs(server.admin, degrees, { request: 'GetFeature', typeNames: 'towns', bbox })
      expect(await readException(answer)).toMatchObject({ status: 400, code: 'InvalidParameterValue' })
    })
  })

  test.each(['EPSG:999999', 'EPSG:x', 'urn:ogc:def:crs:EPSG::0', 'x'.repeat(5000)])(
    'refuses srsName %s',
    async (srsName) => {
      const answer = await askWfs(server.admin, degrees, {
        request: 'GetFeature',
        typeNames: 'towns',
        srsName,
      })
      expect(await readException(answer)).toMatchObject({
        status: 400,
        code: 'InvalidParameterValue',
        locator: 'srsName',
      })
    },
  )

  test('is known of the reference systems of the database', async () => {
    const northFirst = await findNorthFirstSrs(server.database)
    const known = [4326, 4258, 4979, 3035, 31467, 2180, 3006, 2193, 28406, 3857, 25832, 32633, 2056, 27700]
    expect(known.filter((srs) => northFirst.has(srs))).toEqual([
      4326, 4258, 4979, 3035, 31467, 2180, 3006, 2193, 28406,
    ])
  })
})
