import { beforeAll, expect, test } from 'vitest'
import type { GeoserviceItem } from '../../../src/contract/catalog.ts'
import type { CatalogOperation } from '../../../src/contract/catalog_edit.ts'
import { createListCache, rememberList } from '../../../src/server/catalog/list_cache.ts'
import { addStatuses } from '../../../src/store/catalog/geoservice_status.ts'
import { changeCatalog, createSample, newGeoservice, type SampleIds } from '../../support/catalog.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

describeServers('complete lists of geoservices', (start) => {
  let server: TestServer
  let ids: SampleIds

  const read = async <T>(query: string) =>
    (await server.guest('GET', `/api/v1/geoservices/${query}`)).json<T>()
  const readAll = () => read<GeoserviceItem[]>('')

  /** The pages of a list are not cached. */
  const readPage = async () => (await read<{ results: GeoserviceItem[] }>('?limit=100')).results

  beforeAll(async () => {
    server = await start()
    ids = await createSample(server)
  })

  const change = (operation: CatalogOperation) => () => changeCatalog(server, [operation])
  const update = (id: number, body: Record<string, unknown>) =>
    change({ op: 'update', kind: 'geoservice', id, body })
  const check = (geoservice: number, cumulative_status: 'failed') => () =>
    addStatuses(server.database, [
      {
        geoservice,
        cumulative_status,
        checkedAt: new Date(9000),
        check_duration: 1,
        http_code: 200,
        http_response: null,
        error_type: null,
        error_text: null,
      },
    ])
  const run = (text: string, values: readonly unknown[] = []) => server.database.query(text, values)

  test.each<[string, () => () => Promise<unknown>]>([
    ['a record is created', () => change(newGeoservice('New'))],
    ['a record is renamed', () => update(ids.trees, { name: 'Oaks' })],
    ['an icon is chosen', () => update(ids.trees, { icon: ids.icon })],
    ['a boundary is moved', () => update(ids.roads, { boundary: 'POLYGON((1 1,2 1,2 2,1 1))' })],
    ['two records swap their names', () => () => swapNames()],
    ['a service is checked', () => check(ids.trees, 'failed')],
    ['another service is checked', () => check(ids.roads, 'failed')],
    ['a record is replaced by another one', () => () => replaceParks()],
    ['an icon is deleted', () => change({ op: 'delete', kind: 'icon', id: ids.icon })],
    [
      'a record loses its submitter',
      () => () => run('update geoservice set submitter = null where id = $1', [ids.trees]),
    ],
    ['a record is deleted', () => change({ op: 'delete', kind: 'geoservice', id: ids.relief })],
  ])('are read anew after %s', async (_, edit) => {
    const before = await readAll()
    expect(await readAll()).toEqual(before)
    await edit()()
    const after = await readAll()
    expect(after).toEqual(await readPage())
    expect(after).not.toEqual(before)
  })

  const swapNames = () =>
    changeCatalog(server, [
      { op: 'update', kind: 'geoservice', id: ids.roads, body: { name: 'Oaks' } },
      { op: 'update', kind: 'geoservice', id: ids.trees, body: { name: 'Roads' } },
    ])
  const replaceParks = () =>
    changeCatalog(server, [
      { op: 'delete', kind: 'geoservice', id: ids.parks },
      newGeoservice('Parks', { type: 'wfs', url: 'https://maps.example.org/wfs', layer: 'town:parks' }),
    ])

  test('of other filters are other lists', async () => {
    const tiles = await read<GeoserviceItem[]>('?type=tms')
    expect(await read('?type=tms')).toEqual(tiles)
    expect(tiles.every(({ type }) => type === 'tms')).toBe(true)
    expect(await read('?type=wms')).not.toEqual(tiles)
  })

  test('are read from the database once', async () => {
    await readAll()
    const bytes = [...server.running.context.catalogLists.values()]
    await readAll()
    expect([...server.running.context.catalogLists.values()]).toEqual(bytes)
    expect(JSON.parse(Buffer.from(bytes[0] ?? []).toString())).toEqual(await readAll())
  })
})

async function* chunksOf(...sizes: readonly number[]) {
  for (const size of sizes) yield Buffer.alloc(size, 1)
}

const megabyte = 2 ** 20

test('lists of more than 16 MiB are not kept', async () => {
  const cache = createListCache()
  for (const sizes of [
    [megabyte, 15 * megabyte],
    [megabyte, 15 * megabyte, 1],
  ]) {
    let passed = 0
    for await (const chunk of rememberList(chunksOf(...sizes), (bytes) => cache.set(sizes.join(), bytes)))
      passed += chunk.length
    expect(passed).toBe(sizes.reduce((sum, size) => sum + size))
  }
  expect([...cache.keys()]).toEqual([[megabyte, 15 * megabyte].join()])
})

test('a list that is not read to its end is not kept', async () => {
  const cache = createListCache()
  for await (const _chunk of rememberList(chunksOf(1, 2, 3), (bytes) => cache.set('', bytes))) break
  expect(cache.size).toBe(0)
})
