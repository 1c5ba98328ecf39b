import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../src/core/bytes.ts'
import { startWktCheck } from '../../src/geo/wkt_check.ts'
import { readFileAs } from '../support/vector.ts'

function checkWkt(text: string) {
  const check = startWktCheck()
  // With something before it and behind, as values stand in a file.
  const bytes = bytesOf(Buffer.from(`(1 ${text}2) M`))
  const isWhole = check.isWhole({ ...bytes, at: 3, size: Buffer.byteLength(text) })
  return { isWhole, hasMeasures: check.hasMeasures }
}

describe('a complete WKT string', () => {
  test.each([
    'POINT (1 2)',
    ' point(-1.5e+3 .5 3.)  ',
    'POINT EMPTY',
    'LINESTRING Z (1 2 3, 4 5 6)',
    'MULTIPOLYGON(((0 0,0 1,1 1,0 0)),((2 2,2 3,3 3,2 2)))',
    'GEOMETRYCOLLECTION (POINT (1 2), LINESTRING EMPTY, POINT(+1\n2))',
    '0101000000000000000000F03F0000000000000040',
  ])('%s', (text) => {
    expect(checkWkt(text)).toEqual({ isWhole: true, hasMeasures: false })
  })

  test.each(['POINT M (1 2 3)', 'PointZM(1 2 3 4)', 'POINT (1 2 3 4)', 'LINESTRING(1 2 3 4, 5 6 7 8)'])(
    'has measures: %s',
    (text) => {
      expect(checkWkt(text)).toEqual({ isWhole: true, hasMeasures: true })
    },
  )
})

test.each([
  'POINT (1 2) foo',
  'POINT (1 2);',
  'POINT (1 2))',
  'POINT (1 2',
  'POINT(1 2)POINT(3 4)',
  'POINT EMPTY 1',
  'POINT (1.5.5 2)',
  'POINT (1 2d)',
  'POINT (0x10 2)',
  'POINT (1e 2)',
  'POINT (1 -)',
  'POINT 1 2',
  '1 2',
  'POINT',
  'POINT (1 2°)',
  '010100000z',
  '',
])('detects an incomplete geometry: %s', (text) => {
  expect(checkWkt(text).isWhole).toBe(false)
})

test('accepts all numbers of JavaScript, and no trailing text', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true })
  const position = fc.array(number, { minLength: 2, maxLength: 3 }).map((numbers) => numbers.join(' '))
  const path = fc
    .array(position, { minLength: 1, maxLength: 5 })
    .map((positions) => `(${positions.join(',')})`)
  const text = fc.oneof(
    path.map((points) => `LINESTRING${points}`),
    fc.array(path, { minLength: 1, maxLength: 3 }).map((rings) => `POLYGON (${rings.join(', ')})`),
  )
  fc.assert(
    fc.property(text, fc.string({ unit: 'binary', minLength: 1 }), (wkt, more) => {
      expect(checkWkt(wkt).isWhole).toBe(true)
      expect(checkWkt(wkt + more).isWhole).toBe(/^[\t-\r ]*$/.test(more))
    }),
    { seed: 20_261_123, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 300 },
  )
})

describe('a table with invalid WKT', () => {
  const table = 'wkt,n\nPOINT (1 2),1\nPOINT (3 4) more,2\nPOINT M (5 6 7),3\nPOINT (1.5.5 8),4\n'

  test('is refused with row numbers', async () => {
    await expect(readFileAs('a.csv', table)).rejects.toMatchObject({
      detail: [
        '- feature 2: wkt: "POINT (3 4) more" is not a valid geometry',
        '- feature 4: wkt: "POINT (1.5.5 8)" is not a valid geometry',
      ].join('\n'),
    })
  })

  test('is loaded without these rows on request, with a note', async () => {
    const { summary } = await readFileAs('a.csv', table, { skipErrors: true })
    expect(summary).toMatchObject({ rowCount: 2, fields: [{ name: 'n' }] })
    expect(summary.notes).toContain(
      'The measures (M) of the geometries were dropped, since layers do not support them.',
    )
  })
})
