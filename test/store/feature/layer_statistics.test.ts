import { expect, test } from 'vitest'
import type { Database, Queryable } from '../../../src/database/database.ts'
import { countFeatures } from '../../../src/store/feature/layer_extent.ts'
import { cacheByVersion, type LayerQuery } from '../../../src/store/feature/layer_statistics.ts'
import { insertFeatures } from '../../../src/store/feature/write_features.ts'
import { ensureFeatureTable } from '../../../src/store/layer/layer_table.ts'
import { findLayers, type Layer, touchLayer } from '../../../src/store/layer/stored_layer.ts'
import { describeDrivers } from '../../support/drivers.ts'
import { createTestLayer, prepareStore } from '../../support/layers.ts'

const readLayer = async (database: Queryable, id: number) =>
  (await findLayers(database, [id])).get(id) as Layer

/** Adds features, as requests do. Gives the layer as it is then. */
const add = async (database: Database, id: number, count: number) => {
  await database.transaction(async (tx) => {
    await touchLayer(tx, id)
    const layer = await ensureFeatureTable(tx, await readLayer(tx, id))
    await insertFeatures(tx, { layer, srs: 3857 }, Array(count).fill({ geom: null, values: new Map() }))
  })
  return readLayer(database, id)
}

let made = 0
const create = async (database: Database) => {
  made += 1
  await prepareStore(database)
  return createTestLayer(database, { name: `whole ${made}`, geometryType: 'POINT' })
}

/** Counts features, and how often that was done; `meanwhile` comes between counting and its answer. */
const counting = (meanwhile: (time: number) => Promise<unknown> = async () => undefined) => {
  let times = 0
  const look: LayerQuery<number> = async (tx, layer) => {
    times += 1
    const time = times
    const { total } = await countFeatures(tx, layer)
    await meanwhile(time)
    return total
  }
  return { find: cacheByVersion(look), times: () => times }
}

describeDrivers('a layer statistic', (open) => {
  test('is computed once for each version', async () => {
    const database = await open()
    const id = await create(database)
    const { find, times } = counting()
    const before = await add(database, id, 3)
    expect(await Promise.all([find(database, before), find(database, before)])).toEqual([3, 3])
    expect(await find(database, await readLayer(database, id))).toBe(3)
    expect(times()).toBe(1)
    const after = await add(database, id, 2)
    expect(await find(database, after)).toBe(5)
    expect(await find(database, after)).toBe(5)
    expect(times()).toBe(2)
    // Who has read the layer before the change gets what there is, and spoils nothing.
    expect(await find(database, before)).toBe(5)
    expect(await find(database, after)).toBe(5)
    expect(times()).toBe(3)
  })

  test('is computed again if the layer changed meanwhile', async () => {
    const database = await open()
    const id = await create(database)
    const { find, times } = counting(async (time) => time === 1 && add(database, id, 2))
    const before = await add(database, id, 3)
    expect(await find(database, before)).toBe(3)
    await expect.poll(async () => [await find(database, before), times() > 1]).toEqual([5, true])
    expect(await find(database, await readLayer(database, id))).toBe(5)
  })

  test('is not cached if the query failed: other callers run it again', async () => {
    const database = await open()
    const id = await create(database)
    const { find, times } = counting((time) =>
      time === 1 ? Promise.reject(new Error('no')) : Promise.resolve(),
    )
    const layer = await add(database, id, 3)
    const [first, second] = await Promise.allSettled([find(database, layer), find(database, layer)])
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'no' } })
    expect(second).toEqual({ status: 'fulfilled', value: 3 })
    expect(await find(database, layer)).toBe(3)
    expect(await find(database, layer)).toBe(3)
    expect(times()).toBe(3)
  })

  test('is not cached for a layer without a table', async () => {
    const database = await open()
    const id = await create(database)
    const { find } = counting()
    expect(await find(database, await readLayer(database, id))).toBe(0)
    expect(await find(database, await add(database, id, 1))).toBe(1)
  })
})
