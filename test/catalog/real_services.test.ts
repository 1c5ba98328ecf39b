import { expect, test } from 'vitest'
import { checkServices } from '../../src/catalog/check_services.ts'
import { HostTurns } from '../../src/catalog/host_turns.ts'
import type { CheckTarget } from '../../src/store/catalog/check_target.ts'
import { checkTarget } from '../support/check_targets.ts'
import { createTestLayer, publishLayer } from '../support/layers.ts'
import { useMapserver } from '../support/mapserver.ts'
import { describeServer } from '../support/server.ts'

const startMapserver = useMapserver()

async function check(members: Partial<CheckTarget> & Pick<CheckTarget, 'url'>) {
  const targets = (async function* () {
    yield checkTarget(members)
  })()
  const settings = {
    timeoutMs: 60_000,
    turns: new HostTurns(),
    allowsPrivate: () => true,
    signal: new AbortController().signal,
    onError: (error: unknown) => Promise.reject(error),
  }
  const results = (await Array.fromAsync(checkServices(targets, settings))).flat()
  const { cumulative_status: status, error_type: type, error_text: text } = results[0] ?? {}
  return { status, type, text }
}

const works = { status: 'works', type: null, text: null }

test.each([
  ['wms', 'towns', works],
  ['wms', 'towns,rivers', works],
  [
    'wms',
    'towns,roads',
    { status: 'problematic', type: 'missing layer', text: 'The service lacks 1 layer: roads.' },
  ],
  ['wms', 'roads', { status: 'failed', type: 'missing layer', text: 'The service lacks 1 layer: roads.' }],
  ['wfs', 'towns', works],
  ['wfs', 'ms:rivers', works],
  [
    'wfs',
    'roads',
    { status: 'problematic', type: 'missing layer', text: 'The service lacks the feature type roads.' },
  ],
] as const)('%s of MapServer with the layers "%s" is %j', async (type, names, expected) => {
  const url = await startMapserver()
  const named = { layers: names, layer: names }
  expect(await check({ type, url: `${url}?map=test.map`, ...named })).toEqual(expected)
  expect(
    await check({ type, url: `${url}?request=GetMap`, params: 'map=test.map&Version=1.1.1', ...named }),
  ).toEqual(expected)
})

test.each(['wms', 'wfs'] as const)('%s of MapServer without its map fails', async (type) => {
  const url = await startMapserver()
  const result = await check({ type, url: `${url}?map=none.map`, layers: 'towns', layer: 'towns' })
  expect(result).toMatchObject({ status: 'failed', type: 'invalid response' })
})

test('WMS of MapServer does not work as GeoJSON, and its images neither as WMS', async () => {
  const url = `${await startMapserver()}?map=test.map`
  const capabilities = `${url}&SERVICE=WMS&REQUEST=GetCapabilities`
  expect(await check({ type: 'geojson', url: capabilities })).toMatchObject({ status: 'failed' })
  const image = `${url}&mode=map&layers=towns`
  expect(await check({ url: `${image}&x={x}&y={y}&z={z}` })).toEqual(works)
  expect(await check({ type: 'wms', url: image, layers: 'towns' })).toMatchObject({ status: 'failed' })
})

describeServer('landform', (start) => {
  test('works as vector tiles and GeoJSON that guests can read', async () => {
    const { database, admin, url } = await start()
    const id = await createTestLayer(database, { name: 'checked', geometryType: 'POINT' })
    await admin('PATCH', `/api/resource/${id}/feature/`, [{ geom: 'POINT(1000000 6000000)' }])
    const tiles = `${url}/api/component/feature_layer/mvt?x={x}&y={y}&z={z}&resource=${id}`
    const geojson = { type: 'geojson', url: `${url}/api/resource/${id}/geojson` } as const
    expect(await check({ url: tiles })).toMatchObject({ status: 'problematic', type: 'invalid response' })
    expect(await check(geojson)).toMatchObject({ status: 'problematic', type: 'invalid response' })
    await publishLayer(database, id)
    expect(await check({ url: tiles })).toEqual(works)
    // An empty tile.
    expect(await check({ url: tiles, z_min: 14, position: [100.5, 10.5] })).toEqual(works)
    expect(await check(geojson)).toEqual(works)
  })
})
