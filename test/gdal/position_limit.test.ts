import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type FitRules, fitGeometry } from '../../src/gdal/import/fit_geometry.ts'
import { GeometryParser } from '../../src/gdal/sources/geojson/geometry_parser.ts'
import { JsonReader } from '../../src/gdal/sources/geojson/json_reader.ts'
import { type ByteGeometry, byteSequenceOf } from '../../src/geo/byte_geometry.ts'

const reason = 'its geometry has more than 5 positions'

const rules: FitRules = {
  ...{ family: null, isMulti: null, skipOthers: false, fix: 'NONE', maxCount: 5 },
  limits: [-1000, -1000, 1000, 1000],
  repair: (geometry) => geometry,
}

const lines = (...lengths: readonly number[]): ByteGeometry => ({
  ...{ family: 'LINESTRING', isMulti: true, hasZ: false },
  parts: lengths.map((length) => [byteSequenceOf(Array<number>(2 * length).fill(1), 2)]),
})

test('a geometry with more positions than the limit is not loaded, whatever its parts', () => {
  expect(fitGeometry(lines(2, 3), rules)).toMatchObject({ family: 'LINESTRING' })
  expect(fitGeometry(lines(2, 4), rules)).toEqual({ reason })
  expect(fitGeometry({ family: 'COLLECTION', members: [lines(3), lines(3)] }, rules)).toEqual({ reason })
})

/** Parses a GeoJSON geometry; returns its fault. */
function faultOf(geometry: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'landform-positions-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'geometry.json'), geometry)
  const file = openSync(join(folder, 'geometry.json'), 'r')
  try {
    const json = new JsonReader(file)
    const parser = new GeometryParser(json, 5)
    json.unit(() => parser.read())
    return parser.fault
  } finally {
    closeSync(file)
  }
}

test('a GeoJSON geometry is not kept beyond the limit while it is parsed', () => {
  const positions = (count: number) => Array.from({ length: count }, (_, at) => [at, at])
  const line = (count: number) => ({ type: 'LineString', coordinates: positions(count) })
  expect(faultOf(JSON.stringify(line(5)))).toBeUndefined()
  expect(faultOf(JSON.stringify(line(6)))).toBe(reason)
  const several = { type: 'MultiLineString', coordinates: [positions(3), positions(3)] }
  expect(faultOf(JSON.stringify(several))).toBe(reason)
  const members = { type: 'GeometryCollection', geometries: [line(4), line(4)] }
  expect(faultOf(JSON.stringify(members))).toBe(reason)
})
