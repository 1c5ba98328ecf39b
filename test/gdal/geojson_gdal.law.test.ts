import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import gdalAsync, { type Geometry } from 'gdal-async'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesOf } from '../../src/core/bytes.ts'
import { datatypeOf } from '../../src/gdal/export/field_type.ts'
import type { GdalModule } from '../../src/gdal/runner/gdal_module.ts'
import { settings } from '../../src/gdal/runner/settings.ts'
import { createReproject } from '../../src/gdal/sources/geojson/reproject.ts'
import { readWkb } from '../../src/geo/wkb.ts'
import { describeGeometry, readGeoJsonText } from '../support/geojson.ts'

/**
 * GeoJSON is read without GDAL. The result must be the same as with GDAL, with these exceptions:
 * - lists and objects among the values are kept as written, without white space; GDAL formats them again;
 * - integers beyond 2^53 among fractions become strings; GDAL rounds them;
 * - numbers among strings are kept as written; GDAL rounds and formats some of them;
 * - geometries without positions are null or omitted from a collection; GDAL returns empty ones;
 * - only dates and times of RFC 3339 are recognized, also with slashes or spaces; GDAL accepts other forms too;
 * - escaped surrogate pairs are decoded; some versions of GDAL replace those that end in DC00;
 * - ids of features become a field, for all features, if one of them is not a non-negative integer.
 */
// The door's own type of the module.
const gdal = gdalAsync as unknown as GdalModule

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'landform-law-'))
  for (const [name, value] of Object.entries(settings)) gdal.config.set(name, value)
})
afterAll(() => rmSync(folder, { recursive: true }))

interface GdalFeature {
  readonly geometry: unknown
  readonly values: Readonly<Record<string, unknown>>
}

function readWithGdal(text: string): { features: GdalFeature[]; datatypes: Record<string, string> } {
  const path = join(folder, 'a.geojson')
  writeFileSync(path, text)
  const dataset = gdal.open(path, 'r', 'GeoJSON')
  const layer = dataset.layers.get(0)
  const datatypes = Object.fromEntries(layer.fields.map(({ name, type }) => [name, datatypeOf(type)]))
  const features = layer.features.map((feature): GdalFeature => {
    const geometry = feature.getGeometry()
    return {
      geometry:
        geometry === null || geometry.isEmpty()
          ? undefined
          : describeGeometry(readWkb(bytesOf(geometry.toWKB('LSB', 'ISO')))),
      values: feature.fields.toObject(),
    }
  })
  dataset.close()
  return { features, datatypes }
}

const coordinate = fc.oneof(
  fc.integer({ min: -80, max: 80 }).map(String),
  fc.double({ min: -80, max: 80, noNaN: true }).map((number) => String(number + 0)),
  fc.double({ min: -80, max: 80, noNaN: true }).map((number) => (number + 0).toFixed(7)),
  fc.constantFrom('1e1', '-2.50E+1', '0.000000000000000000000000000001', '12.3456789012345678901', '1e-7'),
)
const position = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(coordinate, coordinate) },
  { weight: 1, arbitrary: fc.tuple(coordinate, coordinate, coordinate) },
)
const blank = fc.constantFrom('', '', '', ' ', '\n\t', '\r\n ')
const list = (items: readonly string[]) => `[${items.join(',')}]`
const listOf = (item: fc.Arbitrary<string>, minLength: number) =>
  fc.array(item, { minLength, maxLength: 4 }).map(list)
const point = position.map(list)
const line = listOf(point, 2)
const ring = fc
  .tuple(fc.array(point, { minLength: 3, maxLength: 5 }))
  .map(([all]) => list([...all, all[0] ?? '']))
const simple = fc
  .tuple(
    fc.oneof(
      ...(
        [
          ['Point', point],
          ['LineString', line],
          ['Polygon', listOf(ring, 1)],
          ['MultiPoint', listOf(point, 0)],
          ['MultiLineString', listOf(line, 0)],
          ['MultiPolygon', listOf(listOf(ring, 1), 0)],
        ] as const
      ).map(([type, coordinates]) =>
        coordinates.map((found) => [`"type":"${type}"`, `"coordinates":${found}`]),
      ),
    ),
    fc.boolean(),
    blank,
  )
  .map(
    ([members, isTurned, gap]) =>
      `{${gap}${(isTurned ? members.toReversed() : members).join(`,${gap}`)}${gap}}`,
  )
const geometry = fc.oneof(
  { weight: 8, arbitrary: simple },
  {
    weight: 1,
    arbitrary: listOf(simple, 1).map((all) => `{"type":"GeometryCollection","geometries":${all}}`),
  },
  { weight: 1, arbitrary: fc.constant('null') },
)

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const string = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !/[\0-/:-]/.test(text))
const values: Readonly<Record<string, fc.Arbitrary<string>>> = {
  integer: fc.integer().map(String),
  long: fc.maxSafeInteger().map(String),
  wide: fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 2n }).map(String),
  real: fc
    .double({ noNaN: true, noDefaultInfinity: true, min: -1e200, max: 1e200 })
    .map((real) => `${(real + 0).toFixed(3)}`),
  boolean: fc.boolean().map(String),
  string: string.map((text) => JSON.stringify(text)),
  escaped: string
    .filter((text) => !/[\ud800-\udfff]/.test(text))
    .map((text) => `"${text.split('').map(escapeUnit).join('')}"`),
  date: fc.constantFrom('"2020-02-29"', '"1999/12/31"'),
  time: fc.constantFrom('"10:11:12"', '"00:00:00"'),
  moment: fc.constantFrom('"2020-02-29T10:11:12"', '"2020-02-29 10:11:12.5"', '"2020-02-29T10:11:12Z"'),
  json: fc
    .json({ maxDepth: 2 })
    .filter((text) => /^[[{]/.test(text) && !/u0000|e[-+\d]|\d{6}|-0|\\/.test(text)),
  null: fc.constant('null'),
}
/** Columns mostly hold values of one kind. */
const columns = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,4}$/).filter((name) => name !== 'id'),
  fc.uniqueArray(fc.constantFrom(...Object.keys(values)), { minLength: 1, maxLength: 2 }),
  { minKeys: 1, maxKeys: 5 },
)

const source = columns.chain((kinds) => {
  const names = Object.keys(kinds)
  const cells = names.map((name) =>
    fc.oneof(...(kinds[name] ?? []).map((kind) => values[kind] ?? fc.constant('null'))),
  )
  const feature = fc
    .tuple(
      geometry,
      fc.tuple(...cells),
      fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      blank,
      fc.boolean(),
    )
    .map(([shape, row, omitted, gap, isTurned]) => {
      const properties = names.flatMap((name, at) =>
        omitted[at] && at > 0 ? [] : [`"${name}"${gap}:${gap}${row[at]}`],
      )
      const members = [
        `"geometry":${gap}${shape}`,
        `"properties":{${properties.join(`${gap},`)}}`,
        '"bbox":[1,2,3,4]',
      ]
      return `{"type":"Feature",${gap}${(isTurned ? members.toReversed() : members).join(',')}}`
    })
  return fc.array(feature, { minLength: 1, maxLength: 6 })
})

const temporalTypes = new Set(['DATE', 'TIME', 'DATETIME'])

/** Converts a value of GDAL to its expected form here. */
function expectValue(ours: unknown, theirs: unknown, datatype: string | undefined): void {
  if (theirs === null) expect(ours).toBeUndefined()
  else if (temporalTypes.has(datatype ?? '')) {
    // gdal-async omits zeros.
    const parts = theirs as Partial<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>>
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
    const numbers = String(ours)
      .split(/[^\d.]/)
      .map(Number)
    const clock = [hour, minute, Math.floor(second)]
    const found = datatype === 'TIME' ? numbers : numbers.slice(3)
    if (datatype !== 'TIME') expect(numbers.slice(0, 3)).toEqual([year, month, day])
    if (datatype !== 'DATE') expect([0, 1, 2].map((at) => Math.floor(found[at] ?? 0))).toEqual(clock)
  } else if (typeof theirs === 'number') expect(Number(ours) + 0).toBe(theirs + 0)
  else if (ours !== theirs) expect(asJson(ours)).toEqual(asJson(theirs))
}

/** Lists, objects and numbers with different formatting are equal. */
function asJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}

const run = { seed: 20_261_124, numRuns: process.env.LANDFORM_SOAK ? 5000 : 300 }

test('GeoJSON is read as by GDAL', { timeout: 600_000 }, async () => {
  const law = fc.asyncProperty(source, async (features) => {
    const text = `{"type":"FeatureCollection","features":${list(features)}}`
    const theirs = readWithGdal(text)
    const ours = await readGeoJsonText(text)
    const { id: _, ...datatypes } = ours.datatypes
    const isRounded = (name: string) => datatypes[name] === 'STRING' && theirs.datatypes[name] === 'REAL'
    for (const [name, datatype] of Object.entries(theirs.datatypes))
      if (!isRounded(name)) expect([name, datatypes[name]]).toEqual([name, datatype])
    expect(Object.keys(datatypes).sort()).toEqual(Object.keys(theirs.datatypes).sort())
    expect(ours.features.map(({ geometry }) => geometry)).toEqual(
      theirs.features.map(({ geometry }) => geometry),
    )
    for (const [at, { values: found }] of theirs.features.entries())
      for (const [name, value] of Object.entries(found))
        if (!isRounded(name)) expectValue(ours.features[at]?.values[name], value, theirs.datatypes[name])
  })
  await fc.assert(law, run)
})

const world = [
  [-180, 85.05],
  [180, -85.05],
  [0, 0],
]
const beyond = [[10, 89.5]]

test.each([
  { name: undefined, corners: world },
  { name: undefined, corners: beyond },
  { name: 'urn:ogc:def:crs:OGC:1.3:CRS84', corners: world },
  { name: 'EPSG:3857', corners: [] },
  { name: 'urn:ogc:def:crs:EPSG::31467', corners: [] },
  { name: 'EPSG:4258', corners: world },
])(
  'positions in the reference system $name are reprojected as by GDAL: $corners',
  async ({ name, corners }) => {
    const isProjected = name === 'EPSG:3857' || name?.endsWith('31467') === true
    const place = (at: number) =>
      isProjected ? [3_400_000.1 + 731.7 * at, 5_500_000.2 + 417.3 * at] : [7.1 + at / 97, 50.3 + at / 89]
    const features = Array.from({ length: 200 }, (_, at) => ({
      type: 'Feature',
      properties: { at },
      geometry: { type: 'LineString', coordinates: [place(at), ...corners, [...place(at + 1), at % 3]] },
    }))
    const crs = name === undefined ? {} : { crs: { type: 'name', properties: { name } } }
    const text = JSON.stringify({ type: 'FeatureCollection', ...crs, features })
    const [path, target] = [join(folder, 'b.geojson'), join(folder, 'b.fgb')]
    writeFileSync(path, text)
    rmSync(target, { force: true })
    const dataset = gdal.open(path, 'r', 'GeoJSON')
    const options = ['-f', 'FlatGeobuf', '-lco', 'SPATIAL_INDEX=NO', '-t_srs', 'EPSG:3857']
    gdal.vectorTranslate(target, dataset, options).close()
    dataset.close()
    const translated = gdal.open(target)
    const theirs = translated.layers
      .get(0)
      .features.map((feature) =>
        describeGeometry(readWkb(bytesOf((feature.getGeometry() as Geometry).toWKB('LSB', 'ISO')))),
      )
    translated.close()
    const ours = await readGeoJsonText(text, undefined, (facts) =>
      createReproject(() => gdal, { crs: facts.crs, srs: 3857, folder }),
    )
    expect(ours.features.map(({ geometry }) => geometry)).toEqual(theirs.map(closeTo))
  },
)

test('a feature is reprojected to the same digits, whatever else is in its chunk', async () => {
  const features = Array.from({ length: 50 }, (_, at) => ({
    ...{ type: 'Feature', properties: { at } },
    geometry: { type: 'Point', coordinates: [7.1 + at / 97, 50.3 + at / 89] },
  }))
  const read = async (others: readonly (readonly number[])[]) => {
    const more = others.map((coordinates) => ({
      ...{ type: 'Feature', properties: { at: -1 } },
      geometry: { type: 'Point', coordinates },
    }))
    const text = JSON.stringify({ type: 'FeatureCollection', features: [...features, ...more] })
    const found = await readGeoJsonText(text, undefined, (facts) =>
      createReproject(() => gdal, { crs: facts.crs, srs: 3857, folder }),
    )
    return found.features.slice(0, features.length).map(({ geometry }) => geometry)
  }
  const alone = await read([])
  for (const other of [
    [700, 10],
    [0, 88],
    [0, 91],
  ])
    expect(await read([other])).toEqual(alone)
})

/** Matches data whose numbers differ by rounding: less than 0.1 µm. */
function closeTo(data: unknown): unknown {
  if (typeof data === 'number') return expect.closeTo(data, 7)
  if (Array.isArray(data)) return data.map(closeTo)
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, closeTo(value)]))
}
