import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { expect, test } from 'vitest'
import { tileLimits } from '../../../src/contract/limits.ts'
import { createGeometryCache } from '../../../src/render/vector_tile/geometry_cache.ts'
import { createTileLayer } from '../../../src/render/vector_tile/tile_layer.ts'
import { findLayers } from '../../../src/store/layer/stored_layer.ts'
import { createGeneratedLayer } from '../../support/layers.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

const half = 20_037_508

async function readTile(server: TestServer, id: number, query: string) {
  const path = `/api/component/feature_layer/mvt?resource=${id}&extent=8192&simplification=0&${query}`
  const answer = await server.admin('GET', path)
  expect(answer.status).toBe(200)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const layer = new VectorTile(new PbfReader(bytes)).layers[`svc:${id}`]
  const features = Array.from({ length: layer?.length ?? 0 }, (_, at) => layer?.feature(at))
  return { bytes, features }
}

describeServers('tiles without simplification', (start) => {
  // No two points of the sequence are near each other.
  const spread = (size: number) =>
    `ST_MakePoint((n * 0.6180339887 - floor(n * 0.6180339887) - 0.5) * ${size}, (n * 0.7548776662 - floor(n * 0.7548776662) - 0.5) * ${size})`

  test('hold a limited number of many points, spread over the tile', async () => {
    const server = await start()
    const layer = { geometryType: 'POINT', count: 70_000, text: "''" } as const
    const id = await createGeneratedLayer(server.database, { ...layer, geometry: spread(2 * half) })
    for (const query of ['z=0&x=0&y=0', 'z=0&x=0&y=0&padding=0.5', 'z=0&x=0&y=0&padding=0']) {
      const { features } = await readTile(server, id, query)
      expect(features.length).toBeGreaterThan(2000)
      expect(features.length).toBeLessThanOrEqual(tileLimits.small)
      const points = features.flatMap((feature) => (feature?.loadGeometry() ?? []).flat())
      const quarters = Map.groupBy(points, ({ x, y }) => `${x < 4096} ${y < 4096}`)
      for (const quarter of quarters.values()) expect(quarter.length).toBeGreaterThan(points.length / 5)
      expect(quarters.size).toBe(4)
    }
  })

  test('hold points of every unit, one of those that share a unit', async () => {
    const server = await start()
    // 3 points at each of places that are 4 units apart at zoom level 14, up to the margin of the tile.
    const unit = (2 * half) / 2 ** 14 / 8192
    const geometry = `ST_MakePoint((n / 3) * 4 * ${unit} + ${unit / 2}, -${unit / 2} - (n / 3) * 2 * ${unit})`
    const id = await createGeneratedLayer(server.database, {
      geometryType: 'POINT',
      count: 12_000,
      text: "''",
      geometry,
    })
    const { features } = await readTile(server, id, 'z=14&x=8192&y=8192&padding=0.5')
    const positions = features.map((feature) => JSON.stringify(feature?.loadGeometry()))
    expect(new Set(positions).size).toBe(features.length)
    expect(features.length).toBe(3072)
  })

  test('hold all points within the limit, also those at one position', async () => {
    const server = await start()
    const layer = { geometryType: 'POINT', count: tileLimits.unsimplified, text: "''" } as const
    const id = await createGeneratedLayer(server.database, { ...layer, geometry: 'ST_MakePoint(n % 7, 0)' })
    expect((await readTile(server, id, 'z=0&x=0&y=0')).features).toHaveLength(tileLimits.unsimplified)
  })

  test('hold a limited number of long lines, the longest', async () => {
    const server = await start()
    const geometry = `ST_MakeLine(ST_MakePoint(-${half}, n), ST_MakePoint(${half}, -n))`
    const layer = { geometryType: 'LINESTRING', count: 20_000, text: "''" } as const
    const id = await createGeneratedLayer(server.database, { ...layer, geometry })
    const { bytes, features } = await readTile(server, id, 'z=0&x=0&y=0')
    expect(features.map((feature) => feature?.id)).toEqual(
      Array.from({ length: tileLimits.features }, (_, at) => 20_000 - tileLimits.features + at + 1),
    )
    expect(bytes.length).toBeLessThan(tileLimits.layerBytes)
  })

  test('hold a line that does not fit, simplified until it does', async () => {
    const { database } = await start()
    const height = '(i * 0.7548776662 - floor(i * 0.7548776662))'
    const position = `ST_MakePoint(${half} * (i / 15000.0 - 1), ${half} * (2 * (i % 2) - 1) * ${height})`
    const geometry = `(select ST_MakeLine(${position} order by i) from generate_series(1, 30000) i where n = 1)`
    const id = await createGeneratedLayer(database, {
      geometryType: 'LINESTRING',
      count: 1,
      text: "''",
      geometry,
    })
    const layer = (await findLayers(database, [id])).get(id)
    if (layer === undefined) throw new Error('no layer')
    const request = { address: { z: 0, x: 0, y: 0 }, extent: 8192, simplification: 0, padding: 0.05 }
    const create = (limitBytes: number) =>
      createTileLayer(database, layer, { name: 'line', request, limitBytes, cache: createGeometryCache() })
    const bytes = await create(8000)
    expect(bytes.length).toBeLessThan(9000)
    expect(new VectorTile(new PbfReader(bytes)).layers.line?.length).toBe(1)
    await expect(create(8)).rejects.toThrow('does not fit into a tile')
  })

  test('hold features up to a limit of bytes', async () => {
    const server = await start()
    const layer = { geometryType: 'POINT', count: 4000 } as const
    const text = "n || repeat('x', 1000)"
    const id = await createGeneratedLayer(server.database, {
      ...layer,
      text,
      geometry: 'ST_MakePoint(n * 5000, 0)',
    })
    const { bytes, features } = await readTile(server, id, 'z=0&x=0&y=0')
    expect(bytes.length).toBeLessThan(tileLimits.layerBytes)
    expect(features.length).toBeGreaterThan(500)
  })
})
