import { beforeAll, expect, test } from 'vitest'
import type { GeoserviceItem } from '../../../src/contract/catalog/catalog.ts'
import type { CatalogOperation } from '../../../src/contract/catalog/catalog_edit.ts'
import { createListCache } from '../../../src/server/catalog/list_cache.ts'
import { compactCatalogChanges, readCatalogVersion } from '../../../src/store/catalog/catalog_version.ts'
import { geoserviceListSql } from '../../../src/store/catalog/geoservice_query.ts'
import { addStatuses } from '../../../src/store/catalog/geoservice_status.ts'
import {
  changeCatalog,
  createSample,
  iconImage,
  newGeoservice,
  type SampleIds,
} from '../../support/catalog.ts'
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
  const check = (geoservice: number, cumulative_status: 'works' | 'failed') => () =>
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
    ['an icon is deleted and a service is checked', () => () => uncheckedThenChecked()],
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
  /** Sums of statuses and icons that are equal before and after. */
  const uncheckedThenChecked = async () => {
    const [icon = 0] = await changeCatalog(server, [
      { op: 'create', kind: 'icon', body: { name: 'Short', image: iconImage() } },
    ])
    await update(ids.trees, { icon })()
    await readAll()
    await change({ op: 'delete', kind: 'icon', id: icon })()
    await check(ids.trees, 'works')()
  }
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

  test('are read from the database once by clients that come together', async () => {
    const cache = createListCache(server.database)
    const statement = geoserviceListSql({ order: [] })
    const lists = await Promise.all(Array.from({ length: 20 }, () => cache.read(statement)))
    expect(new Set(lists).size).toBe(1)
    expect(JSON.parse(Buffer.from(lists[0] ?? []).toString())).toEqual(await readAll())
  })

  test('have a version that grows with each change, and stays when its records are compacted', async () => {
    const before = await readCatalogVersion(server.database)
    await changeCatalog(server, [newGeoservice('Versioned')])
    const after = await readCatalogVersion(server.database)
    expect(after).toBeGreaterThan(before)
    await Promise.all([compactCatalogChanges(server.database), compactCatalogChanges(server.database)])
    expect(await readCatalogVersion(server.database)).toBe(after)
    expect(await server.database.query('select count(*)::integer as n from catalog_change')).toEqual([
      { n: 1 },
    ])
  })

  test('take a bounded amount of memory', async () => {
    const whole = (await createListCache(server.database).read(geoserviceListSql({}))) ?? new Uint8Array()
    const cache = createListCache(server.database, { listBytes: whole.length, lists: 3 })
    for (const epsg of [1, 2, 3, 4, 5, 6]) await cache.read(geoserviceListSql({ epsg }))
    expect(cache.sizeBytes).toBe(3 * '[]'.length)
    const small = createListCache(server.database, { listBytes: whole.length / 2, lists: 3 })
    expect([await small.read(geoserviceListSql({})), small.sizeBytes]).toEqual([undefined, 1])
  })

  test('of searches and areas are not kept', async () => {
    await read('?search=nothing+at+all')
    const before = server.running.context.catalogLists.sizeBytes
    for (let at = 0; at < 10; at += 1) {
      await read(`?search=word${at}`)
      await read(`?intersects_boundary=POINT(${at} 1)`)
    }
    expect(server.running.context.catalogLists.sizeBytes).toBe(before)
  })

  test('are never older than a change that was answered', async () => {
    for (let round = 0; round < 10; round += 1) {
      const readers = Array.from({ length: 4 }, readAll)
      const [id = 0] = await changeCatalog(server, [newGeoservice(`Ghost ${round}`)])
      await Promise.all(readers)
      await change({ op: 'delete', kind: 'geoservice', id })()
      expect((await readAll()).map(({ name }) => name)).not.toContain(`Ghost ${round}`)
    }
  })
})
