import { expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { bboxesIntersect } from '../../../src/geo/bbox.ts'
import {
  deleteAllFeatures,
  deleteFeatures,
  insertFeatures,
  updateFeatures,
} from '../../../src/store/feature/write_features.ts'
import { findChangedFeatures, listKnown, mergeFeatures } from '../../../src/store/layer/changed_features.ts'
import { findChangesSince } from '../../../src/store/layer/layer_change.ts'
import { ensureFeatureTable } from '../../../src/store/layer/layer_table.ts'
import {
  findLayers,
  findTrackedLayers,
  type TrackedLayer,
  touchLayer,
  untouchLayer,
  type WritableLayer,
} from '../../../src/store/layer/stored_layer.ts'
import { describeDrivers } from '../../support/drivers.ts'
import { createTestLayer, prepareStore } from '../../support/layers.ts'

let made = 0
async function create(database: Database): Promise<number> {
  made += 1
  await prepareStore(database)
  return createTestLayer(database, { name: `changed ${made}`, geometryType: 'POINT' })
}

type Work = (tx: Parameters<typeof touchLayer>[0], layer: WritableLayer) => Promise<unknown>

/** Changes a layer as requests do; returns it as it is then. */
async function write(database: Database, id: number, work: Work): Promise<TrackedLayer> {
  await database.transaction(async (tx) => {
    await touchLayer(tx, id)
    const layer = (await findLayers(tx, [id])).get(id)
    if (layer !== undefined) await work(tx, await ensureFeatureTable(tx, layer))
  })
  return (await findTrackedLayers(database, [id])).get(id) as TrackedLayer
}

const at = (x: number, y = 0) => ({ geom: `POINT (${x} ${y})`, values: new Map() })
const insert =
  (...points: ReturnType<typeof at>[]): Work =>
  (tx, layer) =>
    insertFeatures(tx, { layer, srs: 3857 }, points)

describeDrivers('the changes of a layer', (open) => {
  test('are the boxes of features before and after each write', async () => {
    const database = await open()
    const id = await create(database)
    await write(database, id, insert(at(1, 2), at(100, 200)))
    const inserted = await write(database, id, insert(at(5, 5)))
    expect(findChangesSince(inserted, 1)).toHaveLength(3)
    expect(findChangesSince(inserted, 2)).toEqual([[5, 5, 5, 5]])
    const moved = await write(database, id, (tx, layer) =>
      updateFeatures(tx, { layer, srs: 3857 }, [{ id: 3, ...at(7, 8) }]),
    )
    expect(findChangesSince(moved, 3)?.toSorted()).toEqual([
      [5, 5, 5, 5],
      [7, 8, 7, 8],
    ])
    const deleted = await write(database, id, (tx, layer) => deleteFeatures(tx, layer, [1, 99]))
    expect(findChangesSince(deleted, 4)).toEqual([[1, 2, 1, 2]])
    const cleared = await write(database, id, (tx, layer) =>
      updateFeatures(tx, { layer, srs: 3857 }, [{ id: 2, geom: null, values: new Map() }]),
    )
    expect(findChangesSince(cleared, 5)).toEqual([[100, 200, 100, 200]])
    const named = async () =>
      (await findChangedFeatures(database, [id])).get(id)?.map(({ since, features }) => [since, ...features])
    expect(await named()).toEqual([
      [5, 2],
      [4, 1],
      [3, 3],
      [2, 3],
      [1, 1, 2],
    ])
    expect(findChangesSince(await write(database, id, deleteAllFeatures), 6)).toBeUndefined()
    expect(await named()).toEqual([])
  })

  test('are unknown if they were not recorded, and where a write that changed nothing was reverted', async () => {
    const database = await open()
    const id = await create(database)
    await write(database, id, insert(at(1)))
    await write(database, id, async (tx, layer) => {
      await insertFeatures(tx, { layer, srs: 3857 }, [at(2)])
      await untouchLayer(tx, id)
    })
    const other = await write(database, id, async () => undefined)
    expect(other.dataVersion).toBe(3)
    expect(findChangesSince(other, 2)).toBeUndefined()
  })

  test('are bounded, and still cover every position', async () => {
    const database = await open()
    const id = await create(database)
    const count = 100
    let layer: TrackedLayer | undefined
    for (let x = 0; x < count; x += 1) layer = await write(database, id, insert(at(x * 1000)))
    const changes = layer?.changes ?? []
    expect(changes.length).toBeLessThan(50)
    expect(Math.max(...changes.map(({ boxes }) => boxes?.length ?? 0))).toBeLessThanOrEqual(4 * 64)
    const found = layer && findChangesSince(layer, 1)
    for (let x = 0; x < count; x += 1)
      expect(found?.some((box) => bboxesIntersect(box, [x * 1000, 0, x * 1000, 0]))).toBe(true)
    const read = async () => (await findChangedFeatures(database, [id])).get(id) ?? []
    const [last, ...others] = await read()
    expect([last, others.length]).toEqual([{ since: count, features: [count] }, 15])
    // Too many features to name.
    const many = Array.from({ length: 65 }, (_, x) => at(x))
    await write(database, id, insert(...many))
    expect(await read()).toEqual([])
    await write(database, id, async (tx, layer) => {
      const target = { layer, srs: 3857 }
      await insertFeatures(tx, target, many.slice(0, 64))
      await deleteFeatures(tx, layer, [1])
    })
    await write(database, id, insert(at(1)))
    expect(await read()).toHaveLength(1)
  })
})

test('changed features are listed back to the first change whose features are not known, or too many', () => {
  const record = (version: number, ids: readonly number[] | null) => ({ since: version - 1, version, ids })
  const known = [record(5, [2, 1, 2]), record(4, [])]
  const list = [
    { since: 4, features: [1, 2] },
    { since: 3, features: [] },
  ]
  expect(listKnown(5, [...known, record(3, null), record(2, [9])])).toEqual(list)
  expect(listKnown(5, [...known, record(2, [9])])).toEqual(list)
  expect(listKnown(6, known)).toEqual([])
  const many = Array.from({ length: 100 }, (_, id) => id)
  expect(listKnown(5, [...known, record(3, many)])).toEqual(list)
  expect(mergeFeatures(known)).toEqual([2, 1])
  expect(mergeFeatures([...known, { ids: null }])).toBeNull()
  expect(mergeFeatures([{ ids: many }])).toBeNull()
})
