import { beforeAll, describe, expect, test } from 'vitest'
import { bodyBytes, formLimits, maxFilterWkt } from '../../../src/contract/limits.ts'
import { openBatchClient } from '../../support/batch.ts'
import { describeServer, type TestResponse, type TestServer } from '../../support/server.ts'
import { createLayer, createResource } from '../../support/tree.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

const rule = (at: number) => ({
  action: 'allow',
  principal: { id: at },
  identity: '',
  scope: 'resource',
  permission: 'read',
  propagate: false,
})
const metadata = (from: number, count: number) => ({
  resmeta: { items: Object.fromEntries(numbers(count).map((at) => [`key${from + at}`, at])) },
})
const group = (children: readonly object[]) => ({ item_type: 'group', display_name: 'G', children })
const nested = (levels: number): object => group(levels <= 1 ? [] : [nested(levels - 1)])

const manyOf = (value: string, count: number) => Array(count).fill(value).join()

const refusal = async (answer: TestResponse) => {
  const { status_code, message } = await answer.json<{ status_code: number; message: string }>()
  return [answer.status, status_code, message]
}

describeServer('the size of a request', (start) => {
  let server: TestServer
  let folder: number
  let layer: number
  let map: number
  beforeAll(async () => {
    server = await start()
    folder = await createResource(server.admin, { cls: 'resource_group', name: 'Folder' })
    map = await createResource(server.admin, { cls: 'webmap', parent: folder, name: 'Map' })
    layer = await createLayer(server.admin, { name: 'Layer', parent: folder, geometryType: 'POINT' })
  })

  const refused = (message: string) => [422, 422, message]
  const tree = (children: readonly object[]) => ({ webmap: { root_item: { item_type: 'root', children } } })
  const attributes = '/api/component/resource/attr'

  test.each([
    ['lists in lists', '['.repeat(4_000_000) + ']'.repeat(4_000_000)],
    ['lists that do not end', '['.repeat(4_000_000)],
    ['objects', '{"a":'.repeat(1_000_000)],
  ])('limits the nesting depth before the body is parsed: %s', async (_, body) => {
    const answer = await server.guest('POST', '/api/resource/', body)
    expect(await refusal(answer)).toEqual([
      400,
      400,
      'The body nests lists and objects more than 200 levels deep.',
    ])
  })

  const members = (count: number, start = 0) =>
    numbers(count)
      .map((at) => `"${(start + at).toString(16)}":1`)
      .join()

  test.each<[what: string, method: string, path: () => string, body: string, most: number]>([
    ['layers', 'POST', () => '/api/feature_layer/identify', `{"layers":[${manyOf('5', 10_000)}]}`, 1206],
    ['members that nobody knows', 'POST', () => '/api/feature_layer/identify', `{${members(10_000)}}`, 1206],
    ['values of a form', 'POST', () => '/api/component/auth/login', `{${members(101)}}`, 100],
    [
      'values that nobody reads',
      'DELETE',
      () => `/api/resource/${map}`,
      `[${manyOf('{}', 100_001)}]`,
      200_000,
    ],
    ['empty objects', 'POST', () => '/api/resource/', `{"a":[${manyOf('{}', 525_000)}]}`, 1_048_576],
    [
      'operations',
      'POST',
      () => '/api/component/landform/batch',
      `{"a":[${manyOf('5', 4_194_304)}]}`,
      4_194_304,
    ],
    [
      'values of a feature',
      'POST',
      () => `/api/resource/${layer}/feature/`,
      `[${manyOf('5', 8_388_609)}]`,
      8_388_608,
    ],
  ])('limits the number of values before the body is parsed: %s', async (_, method, path, body, most) => {
    // The text is not well-formed, which only its parser would find.
    const answer = await server.admin(method, path(), `${body},`)
    const { code, message } = await answer.json<{ code: string; message: string }>()
    expect([answer.status, code, message]).toEqual([
      413,
      'request/too-large',
      `The body has more than ${most} values, with lists and objects.`,
    ])
  })

  test('limits the number of members of an object before the body is parsed', async () => {
    const send = async (body: string) => refusal(await server.admin('POST', '/api/resource/', body))
    const tooMany = await send(`{"a":[{}],"b":{${members(200_001)}},`)
    expect(tooMany).toEqual([413, 413, 'An object has more than 200000 members.'])
    const [status, , message] = await send(`{"a":{${members(200_000)}},"b":[${manyOf('5', 300_000)}],`)
    expect([status, message]).toEqual([400, expect.stringContaining('not well-formed JSON')])
  })

  test('a message has the start of a value, not megabytes', async () => {
    const body = { resource: { cls: 'x'.repeat(100_000), parent: { id: 0 }, display_name: 'Long' } }
    const [, , message] = await refusal(await server.admin('POST', '/api/resource/', body))
    expect(message).toBe(`unknown class "${'x'.repeat(56)}... - at $.resource.cls`)
  })

  test('strings count once, whatever they contain', async () => {
    const body = { srs: 3857, geom: '[{,"'.repeat(5000), layers: [layer] }
    expect((await server.admin('POST', '/api/feature_layer/identify', body)).status).toBe(422)
  })

  test.each([
    ['fields', '&a=1'],
    ['empty fields', '&'],
  ])('limits the number of fields of a form before it is parsed: %s', async (_, field) => {
    const path = `/api/resource/${map}/wms`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const send = (count: number) => server.guest('POST', path, `A=1${field.repeat(count)}`, headers)
    const tooMany = await send(formLimits.fields)
    expect(tooMany.status).toBe(413)
    expect(await tooMany.text()).toContain('The form has more than 100 fields.')
    expect(await (await send(formLimits.fields - 1)).text()).not.toContain('The form has')
  })

  test('a form of a map service may be as large as its query', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await server.guest('POST', `/api/resource/${map}/wms`, 'a='.padEnd(70_000, '+'), headers)
    expect([answer.status, await answer.text()]).toEqual([
      413,
      expect.stringContaining('larger than 65536 bytes'),
    ])
  })

  test.each(['{"a": "b', '"', '{"a": "\\"', '{"a": "b\\\\"', '[[["]]]'])(
    'reports a body that is cut off: %s',
    async (body) => {
      const [status, , message] = await refusal(await server.admin('POST', '/api/resource/', body))
      expect([status, message]).toEqual([400, expect.stringContaining('not well-formed JSON')])
    },
  )

  test.each<[what: string, request: () => [method: string, path: string, body?: unknown], message: string]>([
    [
      'ids to read',
      () => ['POST', attributes, { resources: numbers(10_001), attributes: [['resource.cls']] }],
      'the list has 10001 items; the limit is 10000 - at $.resources',
    ],
    [
      'attributes to read',
      () => ['POST', attributes, { resources: [0], attributes: Array(51).fill(['resource.cls']) }],
      'the list has 51 items; the limit is 50 - at $.attributes',
    ],
    [
      'ids to delete',
      () => ['POST', `/api/resource/delete?resources=${Array(10_001).fill('1').join()}`],
      'Parameter "resources" has 10001 items; the limit is 10000.',
    ],
    [
      'layers to look into',
      () => ['POST', '/api/feature_layer/identify', { srs: 3857, geom: 'POINT (0 0)', layers: numbers(101) }],
      'the list has 101 items; the limit is 100 - at $.layers',
    ],
    [
      'layers of a tile',
      () => [
        'GET',
        `/api/component/feature_layer/mvt?z=0&x=0&y=0&resource=${Array(101).fill(String(layer)).join()}`,
      ],
      'Parameter "resource" has 101 items; the limit is 100.',
    ],
    [
      'operations of a batch',
      () => [
        'POST',
        '/api/component/landform/batch',
        { operations: Array(20_001).fill({ op: 'delete', id: 1 }) },
      ],
      'the list has 20001 items; the limit is 20000 - at $.operations',
    ],
    [
      'metadata',
      () => ['PUT', `/api/resource/${folder}`, metadata(0, 1001)],
      'the object has 1001 members; the limit is 1000 - at $.resmeta.items',
    ],
    [
      'permission rules',
      () => ['PUT', `/api/resource/${folder}`, { resource: { permissions: numbers(1001).map(rule) } }],
      'the list has 1001 items; the limit is 1000 - at $.resource.permissions',
    ],
    [
      'items of a web map',
      () => ['PUT', `/api/resource/${map}`, tree(numbers(51).map(() => group(Array(98).fill(group([])))))],
      'the layer tree has 5049 items; the limit is 5000 - at $.webmap.root_item.children',
    ],
    [
      'levels of a web map',
      () => ['PUT', `/api/resource/${map}`, tree([nested(33)])],
      `the layer tree has more than 32 levels - at $.webmap.root_item.${Array(33).fill('children').join('.0.')}`,
    ],
    [
      'conditions of a search',
      () => [
        'GET',
        `/api/resource/search/?${numbers(51)
          .map((at) => `resmeta[k${at}]=1`)
          .join('&')}`,
      ],
      'The query has 51 conditions; the limit is 50.',
    ],
    [
      'geometry of a filter',
      () => [
        'POST',
        `/api/resource/${layer}/feature/search`,
        { intersects: `POINT (0 0)${' '.repeat(maxFilterWkt)}` },
      ],
      `the string has ${maxFilterWkt + 11} characters; the limit is ${maxFilterWkt} - at $.intersects`,
    ],
    [
      'features to write',
      () => ['PATCH', `/api/resource/${layer}/feature/`, Array(20_001).fill({ geom: 'POINT (0 0)' })],
      'The list has more than 20000 items - at $',
    ],
    [
      'features to delete',
      () => ['DELETE', `/api/resource/${layer}/feature/`, numbers(20_001).map((id) => ({ id }))],
      'the list has 20001 items; the limit is 20000 - at $',
    ],
  ])('has a limit: %s', async (_, request, message) => {
    expect(await refusal(await server.admin(...request()))).toEqual(refused(message))
  })

  test('the metadata of a resource is limited across requests', async () => {
    const path = `/api/resource/${await createResource(server.admin, { cls: 'resource_group', name: 'Keys' })}`
    expect((await server.admin('PUT', path, metadata(0, 600))).status).toBe(200)
    expect(await refusal(await server.admin('PUT', path, metadata(600, 401)))).toEqual(
      refused('the resource would have 1001 metadata keys; the limit is 1000 - at $.resmeta.items'),
    )
    expect((await server.admin('PUT', path, metadata(200, 800))).status).toBe(200)
    const { resmeta } = await (await server.admin('GET', path)).json<{ resmeta: { items: object } }>()
    expect(Object.keys(resmeta.items)).toHaveLength(1000)
  })

  test('resources can be created or moved at most a hundred levels below the root', async () => {
    const batch = openBatchClient(server)
    const chain = (from: number, count: number, top: number) =>
      numbers(count).map((at) => ({
        op: 'create',
        name: `level${from + at}`,
        body: {
          resource: {
            cls: 'resource_group',
            parent: { id: at === 0 ? top : `level${from + at - 1}` },
            display_name: 'Level',
          },
        },
      }))
    const made = await batch.run(chain(1, 100, 0))
    const lowest = made.at(-1)?.id ?? 0
    const create = { resource: { cls: 'resource_group', parent: { id: lowest }, display_name: 'Lower' } }
    const tooDeep = `Resources under resource id = ${lowest} would be 101 levels below the root; the limit is 100.`
    const answers = [
      await server.admin('POST', '/api/resource/', create),
      await server.admin('PUT', `/api/resource/${folder}`, { resource: { parent: { id: lowest } } }),
    ]
    const [created, moved] = await Promise.all(answers.map(refusal))
    expect(created).toEqual(refused(tooDeep))
    // What stands below the group moves with it.
    expect(moved).toEqual(refused(tooDeep.replace('101', '102')))
  })

  describe('as bytes', () => {
    test.each([
      ['/api/component/auth/login', 'small'],
      ['/api/component/resource/attr', 'medium'],
    ] as const)('%s takes what is %s', async (path, size) => {
      const send = (bytes: number) =>
        server.guest('POST', path, JSON.stringify({ filler: 'x'.repeat(bytes) }))
      const limit = bodyBytes[size]
      expect((await send(limit)).status).toBe(413)
      expect(await refusal(await send(limit))).toEqual([413, 413, `The body is larger than ${limit} bytes.`])
      expect((await send(limit - 100)).status).toBe(422)
    })

    test('guests are refused before the body of a request that requires a user is read', async () => {
      for (const path of ['/api/component/landform/batch', '/api/component/landform/prepared'])
        expect(await refusal(await server.guest('POST', path, 'no JSON'))).toEqual([
          403,
          403,
          `Guests cannot use POST ${path}.`,
        ])
    })
  })

  test('limits are reported to programs and in messages', async () => {
    const api = await (await server.guest('GET', '/openapi.json')).text()
    for (const limit of [`"x-max-bytes":${bodyBytes.medium}`, `"maxItems":${formLimits.files}`])
      expect(api).toContain(limit)
    const page = await (await server.guest('GET', '/docs')).text()
    for (const limit of [
      'up to 8,388,608 bytes',
      'list of up to 10,000 integer',
      'Up to 50 further parameters',
    ])
      expect(page).toContain(limit)
  })
})

describeServer(
  'a server with a small limit',
  (start) => {
    test('coordinates with seven decimals may fill the body of a feature', async () => {
      const limited = await start()
      const id = await createLayer(limited.admin, { name: 'Lines', geometryType: 'LINESTRING' })
      const coordinates = numbers(43_000).map((at) => [10 + (at * 2 + 1) / 1e7, 59.1234567])
      const body = JSON.stringify({ geom: { type: 'LineString', coordinates } })
      expect(body.length).toBeGreaterThan(0.98 * 2 ** 20)
      const path = `/api/resource/${id}/feature/?srs=4326&geom_format=geojson`
      expect((await limited.admin('POST', path, body)).status).toBe(200)
      expect((await limited.admin('PATCH', path, `[${body}]`)).status).toBe(200)
      const tooMany = `[{"geom":null,"a":[${manyOf('{}', 131_073)}]}]`
      const [status, , message] = await refusal(await limited.admin('PATCH', path, tooMany))
      expect([status, message]).toEqual([413, 'Item 0 has more than 131072 values, with lists and objects.'])
    })
  },
  { bodyLimitBytes: 2 ** 20 },
)
