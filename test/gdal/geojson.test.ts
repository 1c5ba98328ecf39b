import { describe, expect, test } from 'vitest'
import { geojson, point, polygon, readFileAs } from '../support/vector.ts'

describe('a GeoJSON file with a broken geometry', () => {
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

  test('is rejected with the numbers of the bad features', async () => {
    await expect(readFileAs('a.geojson', source)).rejects.toMatchObject({
      code: 'source/bad-features',
      detail: '- feature 2: it has no geometry\n- feature 3: a coordinate is not a number: null',
    })
  })

  test('is loaded without those features on request, or with their valid parts in a lossy load', async () => {
    const skipped = await readFileAs('a.geojson', source, { skipErrors: true })
    expect(skipped.summary).toMatchObject({ rowCount: 2, badCount: 2, bad: [{ number: 2 }, { number: 3 }] })
    const repaired = await readFileAs('a.geojson', source, { skipErrors: true, fix: 'LOSSY' })
    expect(repaired.summary).toMatchObject({ rowCount: 3, bad: [{ number: 2 }] })
  })
})

test('a GeoJSON file is rejected if a member of its features is not a Feature', async () => {
  await expect(readFileAs('a.geojson', '{"features":[null]}')).rejects.toMatchObject({
    code: 'source/unreadable',
    message: '"a.geojson" cannot be read: member 1 of its features is not a Feature, but null',
  })
})

test('a GeoJSON file is loaded with notes on extra coordinates and Boolean values', async () => {
  const properties = { open: true, lit: false, mixed: true }
  const { summary } = await readFileAs(
    'a.geojson',
    geojson([
      { geometry: point(1, 2, 3, 4), properties },
      { geometry: point(1, 2), properties: { mixed: 'x' } },
    ]),
  )
  expect(summary).toMatchObject({
    fields: [{ datatype: 'INTEGER' }, { datatype: 'INTEGER' }, { datatype: 'STRING' }],
    notes: [
      'Positions have more than three coordinates; only the first three were loaded.',
      'Boolean values were stored as 1 and 0 in: "open", "lit".',
    ],
  })
})

test('positions that cannot be reprojected are reported, and the other features are sent', async () => {
  const features = Array.from({ length: 30 }, (_, at) => ({ geometry: point(at, at % 10 === 3 ? 91 : at) }))
  const { summary } = await readFileAs('a.geojson', geojson(features), { skipErrors: true })
  const reason = 'a position is outside the bounds of the reference system'
  expect(summary).toMatchObject({
    rowCount: 27,
    badCount: 3,
    bad: [4, 14, 24].map((number) => ({ number, reason })),
  })
})

test('longitudes beyond the next copies of the world are reported, with their positions', async () => {
  const line = {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [-541, 3],
    ],
  }
  const reasonOf = (position: string) =>
    `the position ${position} is outside the bounds of the reference system`
  const { summary } = await readFileAs(
    'a.geojson',
    geojson([point(1, 1), point(700, 10), point(0, 88)].map((geometry) => ({ geometry }))),
    { skipErrors: true },
  )
  expect(summary).toMatchObject({ rowCount: 2, bad: [{ number: 2, reason: reasonOf('700 10') }] })
  await expect(readFileAs('a.geojson', geojson([{ geometry: line }]))).rejects.toMatchObject({
    detail: `- feature 1: ${reasonOf('-541 3')}`,
  })
})

const feature = (nr: number, text = '') =>
  JSON.stringify({ type: 'Feature', properties: { nr, text }, geometry: point(nr % 90, 2) })
const [one, two, three] = [feature(1), feature(2), feature(3)] as const
const collection = `{"type":"FeatureCollection","features":[${one},${two}]}`

describe('a GeoJSON text sequence', () => {
  test.each([
    [
      'with a truncated last feature',
      [one, two, three.slice(0, 30)].join('\n'),
      'is truncated at byte 229, after feature 2',
    ],
    [
      'with a broken line in its middle',
      [one, '{"type":"Feature",', three].join('\n'),
      'is not valid JSON at byte 119, after feature 1',
    ],
    [
      'with a line that is not a feature',
      [one, 'null', three].join('\n'),
      'record 2 is not a Feature, but null',
    ],
    [
      'with record separators and a truncated last feature',
      `\x1e${one}\n\x1e${two.slice(0, 30)}`,
      'is truncated at byte 132, after feature 1',
    ],
  ])('%s is rejected', async (_, text, words) => {
    const reading = readFileAs('a.geojsonl', text, { skipErrors: true })
    await expect(reading).rejects.toMatchObject({
      code: 'source/unreadable',
      message: expect.stringContaining(words),
    })
  })

  test.each([
    ['with blank lines', `\r\n${one}\r\n\r\n \r\n${two}\r\n`, 2],
    ['with record separators', `\x1e${JSON.stringify(JSON.parse(one), null, 1)}\n\x1e${two}\n`, 2],
    ['of one feature', `${one}\n`, 1],
    ['of one collection', `${collection}\n\n`, 2],
    ['of collections', `${collection}\n${collection}`, 4],
    ['of geometries', '{"type":"Point","coordinates":[1,2]}\n{"coordinates":[1,2],"type":"Point"}', 2],
    ['with a feature larger than the window', `${one}\n${feature(2, 'x'.repeat(3 << 20))}\n${three}`, 3],
    [
      'of many features',
      Array.from({ length: 30_000 }, (__, nr) => feature(nr, 'x'.repeat(nr % 90))).join('\n'),
      30_000,
    ],
  ])('%s is read completely', async (_, text, count) => {
    const { summary } = await readFileAs('a.geojsonl', text, { pieceBytes: 1 << 20 })
    expect(summary).toMatchObject({ rowCount: count, badCount: 0 })
  })
})
