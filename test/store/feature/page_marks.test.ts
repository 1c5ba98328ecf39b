import { expect, test } from 'vitest'
import type { Database, Queryable } from '../../../src/database/database.ts'
import type { Statement } from '../../../src/store/feature/feature_sql.ts'
import { createPageMarks, type PageMark, type PageMarks } from '../../../src/store/feature/page_marks.ts'
import { listStatement } from '../../../src/store/feature/read_features.ts'
import { deleteFeatures, insertFeatures } from '../../../src/store/feature/write_features.ts'
import { ensureFeatureTable } from '../../../src/store/layer/layer_table.ts'
import { findLayers, type Layer, touchLayer } from '../../../src/store/layer/stored_layer.ts'
import { describeDrivers } from '../../support/drivers.ts'
import { createTestLayer, prepareStore } from '../../support/layers.ts'

const count = 9000
const format = {
  geom: false,
  geomFormat: 'wkt',
  srs: 3857,
  temporalFormat: 'obj',
  fields: [],
  extensions: [],
} as const

const selection = { format, filter: {}, orderBy: [], limit: 3 }

const getLayer = async (database: Queryable, id: number) =>
  (await findLayers(database, [id])).get(id) as Layer

/** Deletes a feature, as requests do. */
const remove = (database: Database, id: number, feature: number) =>
  database.transaction(async (tx) => {
    await touchLayer(tx, id)
    await deleteFeatures(tx, await ensureFeatureTable(tx, await getLayer(tx, id)), [feature])
  })

let made = 0
/** A layer whose ids have gaps: every seventh is missing. */
const create = async (database: Database) => {
  made += 1
  await prepareStore(database)
  const id = await createTestLayer(database, { name: `paged ${made}`, geometryType: 'POINT' })
  const contents = Array(count).fill({ geom: null, values: new Map() })
  await database.transaction(async (tx) => {
    const layer = await ensureFeatureTable(tx, await getLayer(tx, id))
    const ids = await insertFeatures(tx, { layer, srs: 3857 }, contents)
    await deleteFeatures(
      tx,
      layer,
      ids.filter((one) => one % 7 === 0),
    )
  })
  return { id, layer: await getLayer(database, id) }
}

const list = async (
  database: Database,
  layer: Layer,
  page: { readonly offset: number; readonly mark?: PageMark | undefined },
) => {
  const { text, values } = listStatement(layer, { ...selection, ...page })
  const rows = await database.query<{ feature: string }>(text, values)
  return rows.map(({ feature }) => (JSON.parse(feature) as { id: number }).id)
}

/** Gives what the database does for a statement. */
const explain = async (database: Database, { text, values }: Statement) => {
  const rows = await database.query<{ 'QUERY PLAN': string }>(`explain (analyze, timing off) ${text}`, values)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

describeDrivers('page marks', (open) => {
  /** Reads a page as the server does: from the mark that is known, remembering its own beginning. */
  const turn = async (database: Database, marks: PageMarks, page: { layer: Layer; offset: number }) => {
    const { layer, offset } = page
    const ids = await list(database, layer, { offset, mark: marks.find(layer, offset) })
    if (ids[0] !== undefined) await marks.add(database, layer, { offset, id: ids[0] })
    return ids
  }

  test('do not change the pages', async () => {
    const database = await open()
    const { layer } = await create(database)
    const marks = createPageMarks()
    for (const offset of [0, 999, 1000, 1001, 7500, 3000, 5999, 4000, 7500, 7700, 7713, 7714, 7715, 90_000])
      expect(await turn(database, marks, { layer, offset })).toEqual(await list(database, layer, { offset }))
    const offsets = [500, 1000, 2999, 3000, 3999, 4000, 7499, 9000].map((at) => marks.find(layer, at)?.offset)
    expect(offsets).toEqual([undefined, 1000, 1000, 3000, 3000, 4000, 5999, 7500])
  })

  test('are valid until the layer changes', async () => {
    const database = await open()
    const { id, layer } = await create(database)
    const marks = createPageMarks()
    const offset = 5000
    const before = await turn(database, marks, { layer, offset })
    const mark = marks.find(layer, offset)
    expect(mark).toEqual({ offset, version: layer.dataVersion, id: before[0] })
    await remove(database, id, 1)
    const after = await list(database, layer, { offset })
    expect(after).toEqual([...before.slice(1), expect.any(Number)])
    expect(await list(database, layer, { offset, mark })).toEqual(after)
    // Who has read the layer before the change learns nothing of what is now.
    await turn(database, marks, { layer, offset: 7000 })
    expect(marks.find(layer, 7000)).toEqual(mark)
    const now = await getLayer(database, id)
    expect(marks.find(now, 7000)).toBeUndefined()
    expect(await turn(database, marks, { layer: now, offset })).toEqual(after)
    expect(marks.find(now, 7000)).toEqual({ offset, version: now.dataVersion, id: after[0] })
    await turn(database, marks, { layer, offset: 7000 })
    expect(marks.find(now, 7000)?.offset).toBe(offset)
  })

  test('are optional: an index-only scan skips the preceding pages', async () => {
    const database = await open()
    const { layer } = await create(database)
    const ids = Array.from({ length: count }, (_, at) => at + 1).filter((id) => id % 7 !== 0)
    for (const offset of [0, 1, 6000, ids.length - 1, ids.length, 2 ** 40])
      expect(await list(database, layer, { offset })).toEqual(ids.slice(offset, offset + 3))
    const plan = await explain(database, listStatement(layer, { ...selection, offset: 7000 }))
    expect(plan).toMatch(/Index Only Scan using features_\w+_pkey.*actual rows=7001\b/)
    expect(plan).toMatch(/Index (Only )?Scan using features_\w+_pkey.*actual rows=3\b/)
  })

  test('let the index scan start at the mark', async () => {
    const database = await open()
    const { layer } = await create(database)
    const marks = createPageMarks()
    await turn(database, marks, { layer, offset: 7000 })
    const mark = marks.find(layer, 7000)
    const plan = await explain(
      database,
      listStatement(layer, { ...selection, limit: 10, offset: 7000, mark }),
    )
    expect(plan).toMatch(/Index (Only )?Scan using features_\w+_pkey.*actual rows=10\b/)
  })
})
