import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { checkGeoJson, writeWithout } from '../../src/gdal/sources/geojson/geojson_check.ts'
import { geojson, point, polygon, readFileAs } from '../support/vector.ts'

const folder = mkdtempSync(join(tmpdir(), 'landform-geojson-'))
afterAll(() => rmSync(folder, { recursive: true }))

const path = join(folder, 'a.geojson')

function check(text: string, windowBytes?: number) {
  writeFileSync(path, text)
  return checkGeoJson(path, windowBytes)
}

/** What is said of a feature with such a geometry; undefined where nothing is. */
function faultOf(geometry: string): string | undefined {
  return check(`{"type":"Feature","properties":{},"geometry":${geometry}}`).broken[0]?.reason
}

const ring = '[[0,0],[0,4],[4,4],[0,0]]'
const ofCoordinates = (coordinates: string) => faultOf(`{"type":"Polygon","coordinates":${coordinates}}`)

describe('of coordinates', () => {
  test.each([
    [`[${ring},null]`, 'a coordinate of it is not a number: null'],
    [`[${ring},[[1,1],[1,"2"],[2,2],[1,1]]]`, 'a coordinate of it is not a number: "2"'],
    [`[${ring},[[1,1],[true,2],[2,2],[1,1]]]`, 'a coordinate of it is not a number: true'],
    [`[${ring},{"x":[1]}]`, 'a coordinate of it is not a number: an object'],
    ['[NaN,2]', 'a coordinate of it is not a number: NaN'],
    [`[${ring},[[1],[2],[3],[1]]]`, 'a position of it has one number only'],
    [`[${ring},[1,2]]`, 'its positions are nested unevenly'],
    [`[${ring},[1,[2,3]]]`, 'its positions are nested unevenly'],
  ])('%s it is told what is wrong', (coordinates, reason) => {
    expect(ofCoordinates(coordinates)).toBe(reason)
  })

  test.each([`[${ring},[]]`, '[]', '[1,2]', '[-1.5e+3, 2E-2 ,3]', '[ [1 , 2] ,[3,4] ]', 'null', '"x"'])(
    '%s nothing is told',
    (coordinates) => {
      expect(ofCoordinates(coordinates)).toBeUndefined()
    },
  )

  test('of collections it is told what is wrong in them', () => {
    const of = (member: string) => faultOf(`{"type":"GeometryCollection","geometries":[${member}]}`)
    expect(of('{"type":"Point","coordinates":[1]}')).toBe('a position of it has one number only')
    expect(of('{"geometries":[null]}')).toBe('a geometry of its collection is null')
    expect(of('{"type":"Point","coordinates":[1,2]}')).toBeUndefined()
  })

  test('it is seen that positions are long', () => {
    const isLong = (position: string) =>
      check(`{"type":"Feature","geometry":{"type":"Point","coordinates":${position}}}`).hasLongPositions
    expect(isLong('[1,2,3,4]')).toBe(true)
    expect(isLong('[1,2,3]')).toBe(false)
  })
})

describe('what is no feature is told:', () => {
  const feature = '{"type":"Feature","properties":null,"geometry":null}'

  test.each([
    ['null', 'null'],
    ['"x"', '"x"'],
    ['[1]', 'a list'],
    ['{"properties":{}}', 'an object without a type'],
    ['{"type":"Point","coordinates":[1,2]}', 'of the type "Point"'],
    ['{"type":"Feature","properties":[1]}', 'one whose properties are a list'],
  ])('%s', (member, reason) => {
    const { stranger } = check(`{"features":[${feature},${member},${feature}]}`)
    expect(stranger).toEqual({ number: 2, reason })
  })

  test('but not features of whatever case, nor what is no collection', () => {
    expect(check(`{"features":[{"type":"feature"},${feature}]}`).stranger).toBeUndefined()
    expect(check('{"type":"Point","coordinates":[1,2]}').stranger).toBeUndefined()
    expect(check('{"arcs":[]}').stranger).toBeUndefined()
  })
})

test('features that are lines of their own are numbered as they stand', () => {
  const line = (coordinates: string) => `{"type":"Feature","geometry":{"coordinates":${coordinates}}}`
  const { broken } = check(`\u001e${line('[1,2]')}\n\u001e${line('[1]')}\n${line('[null,1]')}\n`)
  expect(broken.map(({ number }) => number)).toEqual([2, 3])
})

test('what is no JSON is left to others', () => {
  for (const text of [
    '',
    '{',
    '{"a"',
    '{"features":[{"type":"Feature","geometry":{"coordinates":[1',
    'null',
    '{]',
  ])
    expect(check(text)).toMatchObject({ broken: [], stranger: undefined })
})

describe('a law:', () => {
  const good = fc.constantFrom('[[1,2],[3,4]]', '[[1,2,3],[3.5e1,-4]]', '[[]]', '[]')
  const bad = fc.constantFrom('[[1,2],null]', '[[1],[2]]', '[["\\"]",2]]', '[[1,{"a":"}"}]]')
  const geometry = fc.oneof(
    fc.record({ coordinates: good, isBad: fc.constant(false) }),
    fc.record({ coordinates: bad, isBad: fc.constant(true) }),
  )
  const feature = fc.record({
    geometry,
    text: fc.string({ unit: 'binary', maxLength: 200 }),
    gap: fc.nat(40),
  })

  test('broken geometries are found wherever a window ends, and all else stays as it is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(feature, { maxLength: 12 }),
        fc.integer({ min: 100, max: 400 }),
        async (all, size) => {
          const members = all.map(({ geometry: { coordinates }, text, gap }) => {
            const shape = `{"type":"MultiPoint","coordinates":${coordinates}}`
            return `${' '.repeat(gap)}{"type":"Feature","properties":${JSON.stringify({ text })},"geometry":${shape}}`
          })
          const { broken } = check(`{"type":"FeatureCollection","features":[${members}]}`, size)
          const expected = all.flatMap(({ geometry: { isBad } }, at) => (isBad ? [at + 1] : []))
          expect(broken.map(({ number }) => number)).toEqual(expected)
          const target = join(folder, 'copy')
          rmSync(target, { force: true })
          await writeWithout(path, broken, target)
          const copy = JSON.parse(readFileSync(target, 'utf8')) as { features: { geometry: object | null }[] }
          const whole = JSON.parse(readFileSync(path, 'utf8')) as typeof copy
          for (const number of expected)
            Object.assign(whole.features[number - 1] as object, { geometry: null })
          expect(copy).toEqual(whole)
        },
      ),
    )
  })
})

describe('a GeoJSON of which GDAL would lose a part', () => {
  const square = (at: number) => [
    [at, at],
    [at, at + 2],
    [at + 2, at + 2],
    [at, at],
  ]
  const pierced = { type: 'Polygon', coordinates: [square(0), [[1, 1], null, [1, 2], [1, 1]]] }
  const source = geojson([
    { geometry: polygon(square(0)) },
    { geometry: null },
    { geometry: pierced },
    { geometry: polygon(square(3)) },
  ])

  test('is refused, with the features by their numbers', async () => {
    await expect(readFileAs('a.geojson', source)).rejects.toMatchObject({
      code: 'source/bad-features',
      detail: '- feature 2: it has no geometry\n- feature 3: a coordinate of it is not a number: null',
    })
  })

  test('is loaded without those features on request, and with what is left of them where that is allowed', async () => {
    const skipped = await readFileAs('a.geojson', source, { skipErrors: true })
    expect(skipped.summary).toMatchObject({ rowCount: 2, badCount: 2, bad: [{ number: 2 }, { number: 3 }] })
    const mended = await readFileAs('a.geojson', source, { skipErrors: true, fix: 'LOSSY' })
    expect(mended.summary).toMatchObject({ rowCount: 3, bad: [{ number: 2 }] })
  })

  test('is refused where one of its members is no feature', async () => {
    const strange = source.replace('"features":[', '"features":[null,')
    await expect(readFileAs('a.geojson', strange)).rejects.toMatchObject({
      code: 'source/unreadable',
      message: '"a.geojson" cannot be read: member 1 of its features is no Feature, but null',
    })
  })

  test('is loaded with a note where positions are long', async () => {
    const { summary } = await readFileAs('a.geojson', geojson([{ geometry: point(1, 2, 3, 4) }]))
    expect(summary.notes).toEqual([
      'Positions have more than three numbers: those behind the third are left out.',
    ])
  })
})
