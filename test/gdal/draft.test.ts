import { describe, expect, test } from 'vitest'
import { packAs } from '../support/geopackage.ts'
import { polygon, type ReadVector, readFileAs } from '../support/vector.ts'

/** A square with its lower left corner at a number of degrees. */
function square(at: number): { geometry: object; properties: object } {
  const ring = [
    [at, at],
    [at, at + 0.5],
    [at + 0.5, at + 0.5],
    [at, at],
  ]
  return { geometry: polygon(ring), properties: { at } }
}

const squares = Array.from({ length: 80 }, (_, index) => square(index))
const [first, second] = squares.map(({ geometry }) => (geometry as { coordinates: unknown }).coordinates)
const two = { geometry: { type: 'MultiPolygon', coordinates: [first, second] } }
const open = polygon([
  [0, 0],
  [0, 1],
  [1, 1],
])

/** Reads in chunks so small that the first of them are sent long before the end. */
function read(source: Buffer, rules: Parameters<typeof readFileAs>[2] = {}): Promise<ReadVector> {
  return readFileAs('a.gpkg', source, { pieceBytes: 1 << 10, ...rules })
}

describe('a source that declares its types', () => {
  test('is sent while it is scanned', async () => {
    const { summary, times } = await read(packAs('POLYGON', squares))
    expect(summary).toMatchObject({ geometryType: 'POLYGON', rowCount: 80, badCount: 0 })
    expect(times).toBe(1)
    const { layout } = summary
    expect(layout).toMatchObject({ keynames: ['at'], geometryType: 'POLYGON' })
    // The number of rows is known only after the scan.
    expect(layout.rowCount).toBeUndefined()
  })

  test('is sent again if one of its last features has another type', async () => {
    const { summary, times } = await read(packAs('POLYGON', [...squares, two]))
    expect(summary).toMatchObject({ geometryType: 'MULTIPOLYGON', rowCount: 81 })
    expect(summary.layout.rowCount).toBe(81)
    expect(times).toBe(2)
  })

  test('is sent with its declared or the requested type even if the features are simpler', async () => {
    const { summary, times } = await read(packAs('POLYGONZ', squares))
    expect(summary).toMatchObject({ geometryType: 'POLYGONZ', rowCount: 80 })
    expect(times).toBe(1)
    const cast = await read(packAs('POLYGON', squares), { isMulti: true, hasZ: true })
    expect(cast).toMatchObject({ summary: { geometryType: 'MULTIPOLYGONZ', rowCount: 80 }, times: 1 })
  })

  test('is not sent if it is rejected before a chunk is full', async () => {
    const source = packAs('POLYGON', [{ geometry: open }, ...squares])
    const taken: unknown[] = []
    const reading = read(source, { onRows: ({ layout }) => taken.push(layout) })
    await expect(reading).rejects.toMatchObject({ code: 'source/bad-features' })
    expect(taken).toEqual([])
  })

  test('is sent without bad features on request', async () => {
    const source = packAs('POLYGON', [{ geometry: open }, ...squares, { geometry: open }])
    const { summary, times } = await read(source, { skipErrors: true })
    expect(summary).toMatchObject({ rowCount: 80, badCount: 2, bad: [{ number: 1 }, { number: 82 }] })
    expect(summary.layout.rowCount).toBeUndefined()
    expect(times).toBe(1)
  })

  test('is sent with repaired geometries', async () => {
    const source = packAs('POLYGON', [...squares, { geometry: open }])
    const { summary, times } = await read(source, { fix: 'SAFE' })
    expect(summary).toMatchObject({ rowCount: 81, badCount: 0 })
    expect(times).toBe(1)
  })

  test('is rejected if its last feature has another family', async () => {
    const source = packAs('POLYGON', [...squares, { geometry: { type: 'Point', coordinates: [1, 2] } }])
    await expect(read(source)).rejects.toMatchObject({
      code: 'source/bad-features',
      message: 'the source has different geometry types: 80 POLYGON, 1 POINT',
    })
    const { summary } = await read(source, { family: 'POLYGON', skipOthers: true })
    expect(summary).toMatchObject({ rowCount: 80, otherCount: 1 })
    expect(summary.layout.rowCount).toBeUndefined()
  })
})

test('a table whose datatypes are inferred is sent after the scan', async () => {
  const rows = Array.from({ length: 200 }, (_, index) => `${index},1,2`)
  const source = Buffer.from(['nr,lon,lat', ...rows, 'last,3,4'].join('\n'))
  const { summary, times } = await readFileAs('a.csv', source, { pieceBytes: 1 << 10 })
  expect(summary.layout).toMatchObject({ fields: [{ name: 'nr', datatype: 'STRING' }], rowCount: 201 })
  expect(times).toBe(1)
})
