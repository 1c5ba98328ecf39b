import { expect, it } from 'vitest'
import { shortenWkt } from '../../../src/cli/print/feature_table.ts'

it.each([
  ['POINT (10.739999999999998 59.91)', 'POINT (10.74 59.91)'],
  ['POINT(1 2)', 'POINT (1 2)'],
  ['POINT Z (1 2 3.25)', 'POINT Z (1 2 3.25)'],
  ['LINESTRING (1 2,3 4)', 'LINESTRING (1 2, …) 2 positions'],
  ['POLYGON ((1 2,3 4,5 6,1 2),(1 1,2 2,1 2,1 1))', 'POLYGON ((1 2, …)) 8 positions'],
  ['MULTIPOLYGON Z (((0 0 1,1 0 1,1 1 1,0 0 1)))', 'MULTIPOLYGON Z (((0 0 1, …))) 4 positions'],
  ['MULTIPOINT ((1 2))', 'MULTIPOINT ((1 2))'],
  ['MULTIPOINT EMPTY', 'MULTIPOINT EMPTY'],
  ['POINT (1e-9 -0.0000001)', 'POINT (0 0)'],
])('shortens %s', (wkt, short) => {
  expect(shortenWkt(wkt, true)).toBe(short)
})

it('keeps two decimals of coordinates in metres', () => {
  expect(shortenWkt('POINT (1195571.3349 8381214.9)', false)).toBe('POINT (1195571.33 8381214.9)')
})
