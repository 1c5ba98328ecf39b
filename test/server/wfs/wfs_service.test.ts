import { beforeAll, describe, expect, test } from 'vitest'
import { checkService } from '../../../src/catalog/check_service.ts'
import { createExternalClient } from '../../../src/http/external_client.ts'
import { checkTarget } from '../../support/check_targets.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createLayer, createResource } from '../../support/tree.ts'
import { createUser, userPassword } from '../../support/users.ts'
import {
  askWfs,
  letGuests,
  type PublishedTowns,
  publish,
  publishTowns,
  readException,
} from '../../support/wfs.ts'

const geometryTypes = ['POINT', 'LINESTRINGZ', 'MULTIPOLYGON'] as const

describeServer(
  'a WFS service',
  (start) => {
    let server: TestServer
    let towns: PublishedTowns
    beforeAll(async () => {
      server = await start()
      towns = await publishTowns(server.admin, 'Towns')
    })
    const ask = (parameters: Record<string, string>, path = towns.path) =>
      askWfs(server.admin, path, parameters)
    const capabilities = async (query: string, headers = {}) =>
      (
        await server.admin(
          'GET',
          `${towns.path}?service=WFS&request=GetCapabilities${query}`,
          undefined,
          headers,
        )
      ).text()

    const operations = [
      ['GetCapabilities', /<WFS_Capabilities version="VERSION"/],
      ['DescribeFeatureType', /<xsd:schema .*<xsd:element name="towns"/],
      ['GetFeature', /<wfs:FeatureCollection .*<svc:towns/s],
    ] as const
    test.each(
      ['1.0.0', '1.1.0', '2.0.0', '2.0.2'].flatMap((version) =>
        operations.map(([operation, expected]) => [version, operation, expected] as const),
      ),
    )('WFS /api/resource/{id}/wfs: version %s; %s', async (version, request, expected) => {
      const answer = await ask({ version, request, typeName: 'towns' })
      expect(answer.status).toBe(200)
      expect(await answer.text()).toMatch(
        new RegExp(expected.source.replace('VERSION', version), expected.flags),
      )
    })

    test.each([
      ['', '2.0.0'],
      ['&version=2.0.2', '2.0.2'],
      ['&version=2.0.0', '2.0.0'],
      ['&version=1.1.0', '1.1.0'],
      ['&version=1.0.0', '1.0.0'],
      ['&version=1.2.0', '1.1.0'],
      ['&version=0.9', '1.0.0'],
      ['&version=3.0', '2.0.0'],
      ['&acceptVersions=9.0.0,1.1.0,2.0.0', '1.1.0'],
      ['&AcceptVersions=2.0.2', '2.0.2'],
    ])('negotiates the version: %s is answered with %s', async (query, version) => {
      expect(await capabilities(query)).toMatch(
        new RegExp(`^<\\?xml[^>]*>\\s*<WFS_Capabilities version="${version}"`),
      )
    })

    test('states the address that the client uses', async () => {
      for (const version of ['1.0.0', '1.1.0', '2.0.0']) {
        const xml = await capabilities(`&version=${version}`)
        const urls = [...xml.matchAll(/(?:onlineResource|xlink:href)="([^"]*)"/g)].map(([, url]) => url)
        expect(new Set(urls)).toEqual(new Set([`${server.url}${towns.path}?`, `${server.url}${towns.path}`]))
      }
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'maps.example.org' }
      expect(await capabilities('', headers)).toContain(`"https://maps.example.org${towns.path}?"`)
      const features = await server.admin(
        'GET',
        `${towns.path}?request=GetFeature&typeNames=towns&count=1`,
        undefined,
        headers,
      )
      expect(await features.text()).toMatch(/ next="https:\/\/maps\.example\.org\/api/)
    })

    test('lists the layers with extent, formats and operations', async () => {
      const xml = await capabilities('')
      expect(xml).toContain(
        '<Name>svc:towns</Name><Title>Towns</Title><DefaultCRS>urn:ogc:def:crs:EPSG::3857</DefaultCRS><OtherCRS>urn:ogc:def:crs:EPSG::4326</OtherCRS>',
      )
      expect(xml).toMatch(/<ows:LowerCorner>10\.7\d* 48\.2\d*<\/ows:LowerCorner>/)
      expect(xml).toContain('<ows:Operation name="Transaction">')
    })

    test('is checked by the checker of the catalog as working', async () => {
      const guest = await publishTowns(server.admin, 'Public')
      await letGuests(server.admin, guest)
      const client = createExternalClient({ connectTimeoutMs: 60_000, allowsPrivate: () => true })
      const check = async (layer: string) => {
        const url = `${server.url}${guest.path}`
        const target = checkTarget({ type: 'wfs', url, layer })
        const request = { target, url: new URL(`${url}?SERVICE=WFS&REQUEST=GetCapabilities&VERSION=2.0.0`) }
        return checkService(request, { client, timeoutMs: 60_000, signal: new AbortController().signal })
      }
      expect(await check('svc:towns')).toMatchObject({ cumulative_status: 'works', http_code: 200 })
      expect(await check('rivers')).toMatchObject({
        cumulative_status: 'problematic',
        error_type: 'missing layer',
      })
      await client.close()
    })

    test('describes fields and geometry types, by names that XML accepts', async () => {
      const entries = []
      for (const geometryType of geometryTypes) {
        const fields = ['a b', 'a_b', '1', 'geom ', 'ё:ж'].map((keyname) => ({ keyname, datatype: 'STRING' }))
        const layer = await createLayer(server.admin, { name: geometryType, geometryType, fields })
        entries.push({ keyname: `${geometryType}:/1`, display_name: geometryType, resource_id: layer })
      }
      const { path } = await publish(server.admin, 'Names', { layers: entries })
      const schema = async (version: string) =>
        (await ask({ version, request: 'DescribeFeatureType' }, path)).text()
      const latest = await schema('2.0.0')
      const elements = [...latest.matchAll(/<xsd:element name="([^"]*)" type="([^"]*)"/g)].map(
        ([, name, type]) => [name, type],
      )
      expect(elements.slice(0, 7)).toEqual([
        ['geom', 'gml:PointPropertyType'],
        ['a_b_2', 'xsd:string'],
        ['a_b', 'xsd:string'],
        ['_1', 'xsd:string'],
        ['geom_', 'xsd:string'],
        ['ё_ж', 'xsd:string'],
        ['POINT__1', 'svc:POINT__1Type'],
      ])
      expect(latest).toContain('"gml:CurvePropertyType"')
      expect(latest).toContain('"gml:MultiSurfacePropertyType"')
      expect(await schema('1.1.0')).toContain('"gml:MultiPolygonPropertyType"')
      expect(await schema('1.0.0')).toContain(
        'namespace="http://www.opengis.net/gml" schemaLocation="http://schemas.opengis.net/gml/2.1.2/feature.xsd"',
      )
      const one = await (
        await ask({ request: 'DescribeFeatureType', typeName: 'svc:LINESTRINGZ__1' }, path)
      ).text()
      expect(one.match(/<xsd:complexType /g)).toHaveLength(1)
    })

    test('lists and describes its stored query', async () => {
      const id = 'urn:ogc:def:query:OGC-WFS::GetFeatureById'
      expect(await (await ask({ request: 'ListStoredQueries' })).text()).toContain(`<StoredQuery id="${id}">`)
      expect(await (await ask({ request: 'DescribeStoredQueries', storedQuery_Id: id })).text()).toContain(
        '<Parameter name="ID"',
      )
      expect(
        await readException(await ask({ request: 'DescribeStoredQueries', storedQuery_Id: 'x' })),
      ).toMatchObject({ status: 400 })
    })

    describe('reports', () => {
      test.each([
        [
          '1.0.0',
          /^<\?xml[^>]*>\s*<ServiceExceptionReport version="1\.2\.0" xmlns="http:\/\/www\.opengis\.net\/ogc"><ServiceException code="InvalidParameterValue" locator="typeName">/,
        ],
        [
          '1.1.0',
          /<ows:ExceptionReport xmlns:ows="http:\/\/www\.opengis\.net\/ows" version="1\.0\.0"><ows:Exception exceptionCode="InvalidParameterValue" locator="typeName">/,
        ],
        [
          '2.0.0',
          /<ows:ExceptionReport xmlns:ows="http:\/\/www\.opengis\.net\/ows\/1\.1" version="2\.0\.0"><ows:Exception exceptionCode="InvalidParameterValue" locator="typeName">/,
        ],
      ])('exceptions in the form of version %s', async (version, form) => {
        const answer = await ask({ version, request: 'GetFeature', typeName: 'svc:rivers' })
        expect(answer.status).toBe(400)
        expect(await answer.text()).toMatch(form)
      })

      test.each([
        [
          { request: 'GetFeature', typeNames: 'towns', version: '7' },
          400,
          'InvalidParameterValue',
          'version',
        ],
        [
          { request: 'GetCapabilities', acceptVersions: '7' },
          400,
          'VersionNegotiationFailed',
          'acceptVersions',
        ],
        [{ request: '' }, 400, 'MissingParameterValue', 'request'],
        [{ request: 'GetCapabilities', service: 'WMS' }, 400, 'InvalidParameterValue', 'service'],
        [{ request: 'GetCapabilities', service: '' }, 400, 'MissingParameterValue', 'service'],
        [{ request: 'GetFeature' }, 400, 'MissingParameterValue', 'typeName'],
        [{ request: 'LockFeature', typeNames: 'towns' }, 501, 'OperationNotSupported', 'LockFeature'],
        [
          { request: 'GetFeatureWithLock', typeNames: 'towns' },
          501,
          'OperationNotSupported',
          'GetFeatureWithLock',
        ],
        [{ request: 'Transaction' }, 501, 'OperationNotSupported', 'Transaction'],
        [{ request: 'GetFeature', typeNames: 'towns', count: '-1' }, 400, 'InvalidParameterValue', 'count'],
        [
          { request: 'GetFeature', typeNames: 'towns', startIndex: '1.5' },
          400,
          'InvalidParameterValue',
          'startIndex',
        ],
        [
          { request: 'GetFeature', typeNames: 'towns', resultType: 'all' },
          400,
          'InvalidParameterValue',
          'resultType',
        ],
        [
          { request: 'GetFeature', typeNames: 'towns', outputFormat: 'DXF' },
          400,
          'InvalidParameterValue',
          'outputFormat',
        ],
        [
          { request: 'GetFeature', typeNames: 'towns', sortBy: 'geom' },
          400,
          'InvalidParameterValue',
          'sortBy',
        ],
        [
          { request: 'GetFeature', typeNames: 'towns', sortBy: 'name X' },
          400,
          'InvalidParameterValue',
          'sortBy',
        ],
        [
          { request: 'GetFeature', typeNames: 'towns', propertyName: 'x' },
          400,
          'InvalidParameterValue',
          'propertyName',
        ],
        [
          { request: 'GetFeature', typeNames: 'towns', resourceId: 'towns.1', bbox: '1,2,3,4' },
          400,
          'InvalidParameterValue',
          'filter',
        ],
        [{ request: 'GetPropertyValue', typeNames: 'towns' }, 400, 'MissingParameterValue', 'valueReference'],
      ])('%j with status %i and code %s', async (parameters, status, code, locator) => {
        expect(await readException(await ask(parameters as Record<string, string>))).toMatchObject({
          status,
          code,
          locator,
        })
      })

      test('resources that are not WFS services as not found', async () => {
        const group = await createResource(server.admin, { cls: 'resource_group', name: 'Group' })
        for (const id of [group, towns.layer, 2_000_000, 99_999_999_999])
          expect(
            await readException(await ask({ request: 'GetCapabilities' }, `/api/resource/${id}/wfs`)),
          ).toMatchObject({ status: 404, code: 'NotFound' })
      })

      test('missing permissions: guests are asked for credentials', async () => {
        const guest = await askWfs(server.guest, towns.path, { request: 'GetCapabilities' })
        expect([guest.status, guest.headers.get('www-authenticate')]).toEqual([
          401,
          'Basic realm="landform", charset="UTF-8"',
        ])
        await createUser(server.database, 'reader')
        const reader = await askWfs(server.as('reader', userPassword), towns.path, {
          request: 'GetCapabilities',
        })
        expect(await readException(reader)).toMatchObject({ status: 403, code: 'NoApplicableCode' })
        const wrong = await askWfs(server.as('reader', 'wrong'), towns.path, {
          request: 'GetCapabilities',
          version: '1.0.0',
        })
        expect([wrong.status, (await wrong.text()).includes('<ServiceExceptionReport')]).toEqual([401, true])
      })
    })

    test('shows only layers that the caller may read, and writes only those that the caller may write', async () => {
      const second = await publishTowns(server.admin, 'Hidden')
      const both = await publish(server.admin, 'Partly public', {
        layers: [
          { keyname: 'open', display_name: 'Open', resource_id: towns.layer },
          { keyname: 'hidden', display_name: 'Hidden', resource_id: second.layer },
        ],
      })
      await letGuests(server.admin, { layer: towns.layer, service: both.service })
      const xml = await (await askWfs(server.guest, both.path, { request: 'GetCapabilities' })).text()
      expect(xml.match(/<Name>[^<]*<\/Name>/g)).toEqual(['<Name>svc:open</Name>'])
      expect(xml).not.toContain('Transaction"')
      const hidden = await askWfs(server.guest, both.path, { request: 'GetFeature', typeNames: 'hidden' })
      expect(await readException(hidden)).toMatchObject({ status: 400, locator: 'typeName' })
      const transaction = `<wfs:Transaction xmlns:wfs="http://www.opengis.net/wfs" service="WFS" version="1.1.0"><wfs:Delete typeName="open"><Filter><FeatureId fid="open.1"/></Filter></wfs:Delete></wfs:Transaction>`
      const refused = await server.guest('POST', both.path, transaction)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('Basic'),
      ])
    })
  },
  { trustedProxies: ['127.0.0.1'] },
)
