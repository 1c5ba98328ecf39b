import { expect, it } from 'vitest'
import { chooseTarget } from '../../../src/cli/data/target.ts'

const choose = (output: string, format?: string, isZipped = false) =>
  chooseTarget({ output, format, isZipped })

it.each([
  ['roads.gpkg', undefined, 'GPKG', false],
  ['a/b.c/ROADS.GeoJSON', undefined, 'GeoJSON', false],
  ['roads.csv', undefined, 'CSV', false],
  ['roads.csv', 'csv_msexcel', 'CSV_MSEXCEL', false],
  ['roads.shp.zip', undefined, 'ESRI Shapefile', true],
  ['roads.fgb.zip', undefined, 'FlatGeobuf', true],
  ['roads.zip', 'shp', 'ESRI Shapefile', true],
  ['roads.json', 'geojson', 'GeoJSON', false],
  ['-', 'MapInfo File', 'MapInfo File', true],
  ['-', 'KML', 'KML', false],
] as const)('writes %s (%s) as %s', (output, wanted, format, isZipped) => {
  expect(choose(output, wanted)).toEqual({ format, isZipped })
})

it('writes a ZIP archive to standard output on request', () => {
  expect(choose('-', 'KML', true)).toEqual({ format: 'KML', isZipped: true })
})

it.each([
  ['roads.shp', undefined, /several files.*Name it roads\.shp\.zip\./],
  ['roads.zip', undefined, /Cannot determine the format.*Set --format/],
  ['roads', undefined, /Cannot determine the format.*\.gpkg, \.geojson/],
  ['-', undefined, /Standard output.*Set --format/],
  ['roads.gpkg', 'GeoJSON', /is that of GPKG, not of GeoJSON/],
  ['roads.gpkg', 'GeoJSN', /Unknown format "GeoJSN".*did you mean "GeoJSON"/],
])('refuses %s (%s)', (output, wanted, told) => {
  expect(() => choose(output, wanted)).toThrow(
    expect.objectContaining({ code: 'usage/bad-argument', exit: 3 }) as Error,
  )
  try {
    choose(output, wanted)
  } catch (error) {
    const { message, hint } = error as { message: string; hint: string }
    expect(`${message} ${hint}`).toMatch(told)
  }
})

it('refuses to write a ZIP archive to a name without .zip', () => {
  expect(() => choose('roads.gpkg', undefined, true)).toThrow(/Cannot write a ZIP archive to/)
})
