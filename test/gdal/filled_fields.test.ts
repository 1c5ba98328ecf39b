import { describe, expect, test } from 'vitest'
import { packAs } from '../support/geopackage.ts'
import { geojson, point, polygon, readFileAs } from '../support/vector.ts'

/** Returns the fields that have a value, and how often the rows were sent. */
async function read(name: string, content: Uint8Array | string, skipErrors = false) {
  const { summary, times } = await readFileAs(name, content, { skipErrors })
  return { filled: summary.filledFields, times }
}

describe('fields with a value in at least one row', () => {
  test('are the columns of a CSV file with a cell that is not blank', async () => {
    const rows = 'lon,lat,name,note,size\n1,2,,,\n3,4,a,,0\n'
    expect(await read('rows.csv', rows)).toEqual({ filled: ['name', 'size'], times: 1 })
  })

  test('are the GeoJSON fields with a value other than null and an empty string', async () => {
    const values = [
      { zero: null, none: null, blank: '', no: false },
      { zero: 0, none: null, blank: '', no: false },
    ]
    const content = geojson(values.map((properties) => ({ geometry: point(1, 2), properties })))
    expect((await read('rows.geojson', content)).filled).toEqual(['zero', 'no'])
  })

  test('are found in rows that are sent while the source is scanned', async () => {
    const ring = [[0, 0], [0, 1], [1, 1], [0, 0]] // biome-ignore format: one ring
    const feature = (properties: object) => ({ geometry: polygon(ring), properties })
    const source = packAs('POLYGON', [feature({ at: 1 }), feature({ at: 2 })])
    expect(await read('rows.gpkg', source)).toEqual({ filled: ['at'], times: 1 })
    expect(await read('rows.gpkg', packAs('POLYGON', [feature({}), feature({})]))).toEqual({
      filled: [],
      times: 1,
    })
  })

  test('have a value in a row that is loaded', async () => {
    const rows = 'lon,lat,name\n1,2,\nx,4,a\n'
    expect((await read('rows.csv', rows, true)).filled).toEqual([])
  })
})
