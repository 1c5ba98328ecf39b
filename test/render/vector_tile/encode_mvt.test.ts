import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { describe, expect, test } from 'vitest'
import { packGeometry, type TileGeometry } from '../../../src/geo/packed_geometry.ts'
import {
  encodeTileLayer,
  type TileFeature,
  type TileKey,
  type TileLayer,
} from '../../../src/render/vector_tile/encode_mvt.ts'

const encode = async (layer: TileLayer) => (await encodeTileLayer(layer)).bytes
const read = (bytes: Uint8Array) => new VectorTile(new PbfReader(bytes)).layers

/** A feature with a geometry as lists of numbers. */
interface PlainFeature extends Omit<TileFeature, 'geometry'> {
  readonly geometry: TileGeometry
}

const layerOf = (keys: readonly TileKey[], features: readonly PlainFeature[]) => ({
  name: 'svc:5',
  extent: 4096,
  keys,
  features: features.map((feature) => ({ ...feature, geometry: packGeometry(feature.geometry) })),
})

const point = { family: 'POINT', parts: [[[5, 6]]] } as const

describe('encodeTileLayer', () => {
  test('writes ids, name, extent and values of every type, and omits nulls', async () => {
    const keys = [
      { name: 'count', kind: 'integer' },
      { name: 'depth', kind: 'real' },
      { name: 'name', kind: 'text' },
    ] as const
    const bytes = await encode(
      layerOf(keys, [
        { id: 1, geometry: point, values: [2 ** 31, 1.5, 'Ω'] },
        { id: 4_000_000_000, geometry: point, values: [-7, null, ''] },
        { id: 3, geometry: point, values: [null, 2, '9007199254740993'] },
      ]),
    )
    const layer = read(bytes)['svc:5']
    expect(layer).toMatchObject({ version: 2, name: 'svc:5', extent: 4096, length: 3 })
    expect(layer?.feature(0)).toMatchObject({ id: 1, properties: { count: 2 ** 31, depth: 1.5, name: 'Ω' } })
    expect(layer?.feature(1)).toMatchObject({ id: 4_000_000_000 })
    expect(layer?.feature(1).properties).toEqual({ count: -7, name: '' })
    expect(layer?.feature(2).properties).toEqual({ depth: 2, name: '9007199254740993' })
  })

  test('writes an equal value once', async () => {
    const keys = [{ name: 'a', kind: 'text' }] as const
    const features = (count: number) =>
      Array.from({ length: count }, (_, id) => ({ id: id + 1, geometry: point, values: ['x'.repeat(1000)] }))
    const [one, ten] = [await encode(layerOf(keys, features(1))), await encode(layerOf(keys, features(10)))]
    expect(ten.length - one.length).toBeLessThan(200)
  })

  test('distinguishes an integer and a real of the same value', async () => {
    const keys = [
      { name: 'a', kind: 'integer' },
      { name: 'b', kind: 'real' },
    ] as const
    const features = [{ id: 1, geometry: point, values: [1, 1] }]
    const { length } = await encode(layerOf(keys, features))
    const oneKind = [{ ...keys[0] }, { name: 'b', kind: 'integer' }] as const
    expect(length).toBeGreaterThan((await encode(layerOf(oneKind, features))).length)
  })

  test('omits collapsed features, and returns no bytes without features', async () => {
    const flat = { family: 'POLYGON', parts: [[[0, 0, 5, 0, 10, 0, 0, 0]]] } as const
    const speck = { family: 'LINESTRING', parts: [[[3, 3, 3, 3]]] } as const
    const features = [flat, speck].map((geometry, at) => ({ id: at + 1, geometry, values: [] }))
    expect(await encode(layerOf([], features))).toHaveLength(0)
    const withPoint = [...features, { id: 9, geometry: point, values: [] }]
    expect(read(await encode(layerOf([], withPoint)))['svc:5']?.length).toBe(1)
  })

  test('drops the holes of an outer ring that collapses, and only those', async () => {
    const square = [0, 0, 10, 0, 10, 10, 0, 10, 0, 0]
    const parts = [
      [
        [0, 0, 1, 0, 0, 0],
        [2, 2, 3, 2, 3, 3, 2, 2],
      ],
      [square, [2, 2, 3, 2, 3, 3, 2, 2], [5, 5, 5, 5, 5, 5]],
    ]
    const bytes = await encode(layerOf([], [{ id: 1, geometry: { family: 'POLYGON', parts }, values: [] }]))
    expect(read(bytes)['svc:5']?.feature(0).loadGeometry()).toHaveLength(2)
  })

  test('leaves out the features and values that exceed the size limit, and reports it', async () => {
    const keys = [{ name: 'a', kind: 'text' }] as const
    const features = [1, 2, 3].map((id) => ({ id, geometry: point, values: [`${id}`.repeat(1000)] }))
    const cut = await encodeTileLayer(layerOf(keys, features), { limitBytes: 2500 })
    expect(cut.isComplete).toBe(false)
    expect(cut.bytes.length).toBeLessThan(2500)
    const layer = read(cut.bytes)['svc:5']
    expect(layer?.length).toBe(2)
    expect(layer?.feature(1).properties).toEqual({ a: '2'.repeat(1000) })
    expect((await encodeTileLayer(layerOf(keys, features), { limitBytes: 3500 })).isComplete).toBe(true)
    expect(await encodeTileLayer(layerOf(keys, features), { limitBytes: 500 })).toEqual({
      bytes: new Uint8Array(),
      isComplete: false,
    })
  })

  test('lets other work run between batches of features', async () => {
    let [turns, isDone] = [0, false]
    const count = () => {
      turns += 1
      if (!isDone) setImmediate(count)
    }
    const features = Array.from({ length: 5000 }, (_, id) => ({ id: id + 1, geometry: point, values: [] }))
    setImmediate(count)
    const bytes = await encode(layerOf([], features))
    isDone = true
    expect(read(bytes)['svc:5']?.length).toBe(5000)
    expect(turns).toBeGreaterThan(20)
  })

  test('the concatenated bytes of layers are a tile', async () => {
    const one = await encode({ ...layerOf([], [{ id: 1, geometry: point, values: [] }]), name: 'svc:1' })
    const two = await encode({ ...layerOf([], [{ id: 2, geometry: point, values: [] }]), name: 'svc:2' })
    expect(Object.keys(read(Buffer.concat([one, two])))).toEqual(['svc:1', 'svc:2'])
  })
})
