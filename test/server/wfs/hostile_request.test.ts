import { beforeAll, expect, test } from 'vitest'
import { describeServer, type TestServer } from '../../support/server.ts'
import { askWfs, publishTowns, readException, valuesOf } from '../../support/wfs.ts'

const bomb = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>`
const getFeature = (inner: string, root = '') =>
  `<?xml version="1.0"?>${root}<wfs:GetFeature service="WFS" version="2.0.0" xmlns:wfs="http://www.opengis.net/wfs/2.0"><wfs:Query typeNames="towns">${inner}</wfs:Query></wfs:GetFeature>`
const filter = (inner: string) => getFeature(`<Filter>${inner}</Filter>`)
const equal = (literal: string) =>
  `<PropertyIsEqualTo><PropertyName>name</PropertyName><Literal>${literal}</Literal></PropertyIsEqualTo>`
const transaction = (inner: string) => `<Transaction service="WFS" version="1.1.0">${inner}</Transaction>`
const ring = (count: number) =>
  `<Intersects><PropertyName>geom</PropertyName><LineString srsName="EPSG:3857"><posList>${'1 1 '.repeat(count)}</posList></LineString></Intersects>`
const nested = (levels: number) => `${'<Not>'.repeat(levels)}${equal('a')}${'</Not>'.repeat(levels)}`

describeServer(
  'a hostile request',
  (start) => {
    let server: TestServer
    let path = ''
    beforeAll(async () => {
      server = await start()
      path = (await publishTowns(server.admin, 'Towns')).path
    })

    test.each<[string, string, string]>([
      ['a document type', getFeature('', '<!DOCTYPE a>'), 'document types and entities are not allowed'],
      [
        'an external entity',
        getFeature('', '<!DOCTYPE a SYSTEM "http://127.0.0.1/x.dtd">'),
        'document types',
      ],
      ['entities in entities', getFeature('&c;', bomb), 'document types'],
      ['an entity without a declaration', filter(equal('&file;')), 'undefined entity'],
      ['a filter of 10,000 levels', filter(nested(10_000)), 'nested deeper than 100 levels'],
      ['a filter of 60 levels', filter(nested(60)), 'more than 50 levels deep'],
      [
        'a transaction of 10,000 levels',
        transaction('<Insert>'.repeat(10_000)),
        'nested deeper than 100 levels',
      ],
      [
        'a filter of 20,000 operators',
        filter(`<Or>${equal('a').repeat(20_000)}</Or>`),
        'more than 10000 operators',
      ],
      [
        'filters of 60,000 positions',
        filter(`<Or>${ring(30_000).repeat(2)}</Or>`),
        'more than 50000 positions',
      ],
      ['a request of 300,000 elements', getFeature('<a/>'.repeat(300_000)), 'more than 200000 elements'],
      [
        'a comment of 20 MB',
        `<!--${'a'.repeat(20_000_000)}-->${getFeature('')}`,
        'more than 16777216 characters',
      ],
      [
        'a value of 20 MB',
        transaction(`<Insert><towns><name>${'a'.repeat(20_000_000)}</name></towns></Insert>`),
        'more than 16777216 characters',
      ],
      ['a character that XML forbids', filter(equal('\u0001')), 'disallowed character'],
      ['JSON', '{"a":1}', 'The XML cannot be read'],
      ['an empty body', '', 'must contain a root element'],
      ['text behind the request', `${getFeature('')}<a/>`, 'The XML cannot be read'],
    ])('is refused with the reason: %s', async (_, body, reason) => {
      const answer = await server.admin('POST', path, body, { 'content-type': 'text/xml' })
      const { status, text } = await readException(answer)
      expect([status, text]).toEqual([400, expect.stringContaining(reason)])
    })

    test.each([
      ['a document type', '<!DOCTYPE a><Filter/>'],
      ['levels', `<Filter>${nested(2000)}</Filter>`],
      ['two roots', `<Filter>${equal('a')}</Filter><Filter/>`],
      ['another element', '<Query/>'],
    ])('is refused in a parameter: %s', async (_, text) => {
      const answer = await askWfs(server.admin, path, {
        request: 'GetFeature',
        typeNames: 'towns',
        filter: text,
      })
      expect(await readException(answer)).toMatchObject({ status: 400 })
    })

    test('may have a filter of 5,000 operators', async () => {
      const answer = await server.admin(
        'POST',
        path,
        filter(`<Or>${equal('a').repeat(4999)}${equal('Wien')}</Or>`),
      )
      expect(valuesOf(await answer.text(), 'name')).toEqual(['Wien'])
    })

    test.each<[string, (filter: string) => string]>([
      ['a query', (inner) => filter(inner)],
      ['a deletion', (inner) => transaction(`<Delete typeName="towns"><Filter>${inner}</Filter></Delete>`)],
    ])('is refused if it compares many patterns with many features: %s', async (_, request) => {
      const crowd = await publishTowns(server.admin, `Crowd for ${_}`)
      const features = Array.from({ length: 300 }, () => ({ fields: { name: 'a' } }))
      await server.admin('PATCH', `/api/resource/${crowd.layer}/feature/`, features)
      const like =
        '<PropertyIsLike wildCard="*" singleChar="?" escapeChar="!"><PropertyName>name</PropertyName><Literal>*b*</Literal></PropertyIsLike>'
      const body = request(`<Or>${like.repeat(9000)}</Or>`)
      const answer = await server.admin('POST', crowd.path, body, { 'content-type': 'text/xml' })
      const { status, text } = await readException(answer)
      expect([status, text]).toEqual([
        400,
        expect.stringContaining(
          '90000 comparisons for each of the 304 features of the layer; the maximum is 65789',
        ),
      ])
      expect((await server.admin('POST', path, body, { 'content-type': 'text/xml' })).status).toBe(200)
    })

    test('may be encoded as UTF-16, and has no parts of SQL', async () => {
      const text = filter(equal("x' or '1'='1")).replace('"1.0"?', '"1.0" encoding="UTF-16"?')
      const answer = await server.admin('POST', path, Buffer.from(`\ufeff${text}`, 'utf16le'))
      expect([answer.status, valuesOf(await answer.text(), 'name')]).toEqual([200, []])
    })

    test('is refused if it is larger than the limit of the server', async () => {
      const answer = await server.admin('POST', path, Buffer.alloc(33 * 2 ** 20, ' '))
      expect(await readException(answer)).toMatchObject({ status: 413, code: 'OperationParsingFailed' })
    })

    test('leaves the server ready', async () => {
      expect((await server.guest('GET', '/readyz')).status).toBe(200)
    })
  },
  { bodyLimitBytes: 8 * 2 ** 20 },
)
