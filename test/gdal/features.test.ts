import { describe, expect, test } from 'vitest'
import { geojson, point, polygon, readFileAs } from '../support/vector.ts'

const square = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
  [0, 0],
]
const line = {
  type: 'LineString',
  coordinates: [
    [0, 0],
    [1, 1],
  ],
}
const open = polygon(square.slice(0, 4))
const bowTie = polygon([
  [0, 0],
  [1, 1],
  [1, 0],
  [0, 1],
  [0, 0],
])
const multi = (...parts: object[]) => ({
  type: 'MultiPolygon',
  coordinates: parts.map((part) => (part as { coordinates: unknown }).coordinates),
})
const collection = (...geometries: object[]) => ({ type: 'GeometryCollection', geometries })

async function summaryOf(
  geometries: readonly (object | null)[],
  rules: Parameters<typeof readFileAs>[2] = {},
) {
  const features = geometries.map((geometry) => ({ geometry }))
  return (await readFileAs('a.geojson', geojson(features), rules)).summary
}

async function typeOf(geometries: readonly object[], rules: Parameters<typeof readFileAs>[2] = {}) {
  return (await summaryOf(geometries, rules)).geometryType
}

/** Lines of the report on bad features. */
async function faultsOf(
  geometries: readonly (object | null)[],
  rules: Parameters<typeof readFileAs>[2] = {},
) {
  const error = await summaryOf(geometries, rules).then(
    () => undefined,
    (found: { code: string; detail?: string }) => found,
  )
  expect(error?.code).toBe('source/bad-features')
  return error?.detail?.split('\n')
}

describe('the geometry type of the layer', () => {
  test('is single if all geometries are', async () => {
    expect(await typeOf([polygon(square)])).toBe('POLYGON')
  })

  test('is multi if one geometry is', async () => {
    expect(await typeOf([polygon(square), multi(polygon(square))])).toBe('MULTIPOLYGON')
  })

  test('has Z if a height is not 0', async () => {
    expect(await typeOf([point(1, 2), point(3, 4, 5)])).toBe('POINTZ')
  })

  test('is the type of the cast options', async () => {
    expect(await typeOf([point(1, 2, 3)], { isMulti: true, hasZ: false })).toBe('MULTIPOINT')
    expect(await typeOf([multi(polygon(square))], { isMulti: false, hasZ: true })).toBe('POLYGONZ')
  })
})

test('different geometry types are rejected with their counts, unless all but one are skipped', async () => {
  const mixed = [point(1, 2), point(3, 4), line]
  await expect(summaryOf(mixed)).rejects.toMatchObject({
    code: 'source/bad-features',
    message: expect.stringContaining('2 POINT, 1 LINESTRING'),
    hint: expect.stringContaining('cast_geometry_type'),
  })
  expect(await faultsOf(mixed, { family: 'POINT' })).toEqual(['- feature 3: it is a LINESTRING, not a POINT'])
  expect(await summaryOf(mixed, { family: 'LINESTRING', skipOthers: true })).toMatchObject({
    geometryType: 'LINESTRING',
    rowCount: 1,
    otherCount: 2,
    badCount: 0,
  })
})

describe('bad features are reported by number and reason:', () => {
  test('no geometry', async () => {
    expect(await faultsOf([point(1, 2), null])).toEqual(['- feature 2: it has no geometry'])
  })

  test('an empty geometry', async () => {
    expect(await faultsOf([polygon(square), { type: 'Polygon', coordinates: [] }])).toEqual([
      '- feature 2: it has no geometry',
    ])
  })

  test('a latitude beyond a pole', async () => {
    expect(await faultsOf([point(1, 2), point(1, 91), point(3, 4)])).toEqual([
      '- feature 2: a position is outside the bounds of the reference system',
    ])
  })

  test('a ring that is not closed', async () => {
    expect(await faultsOf([open])).toEqual(['- feature 1: a ring is not closed'])
  })

  test('a ring without an area, and a line of one position', async () => {
    expect(await faultsOf([polygon([...square.slice(0, 2), [0, 0]])])).toEqual([
      '- feature 1: a ring has fewer than four positions',
    ])
    expect(await faultsOf([{ type: 'LineString', coordinates: [[0, 0]] }])).toEqual([
      '- feature 1: a line has only one position',
    ])
  })

  test('several parts if one was requested', async () => {
    expect(await faultsOf([multi(polygon(square), polygon(square))], { isMulti: false })).toEqual([
      '- feature 1: it has 2 parts, not 1',
    ])
  })

  test('the first ten, and the number of others', async () => {
    const faults = await faultsOf([...Array.from({ length: 13 }, () => null), point(1, 2)])
    expect(faults).toHaveLength(11)
    expect(faults?.at(-1)).toBe('- and 3 more')
  })

  test('a value that is not a number', async () => {
    const text = geojson([{ geometry: point(1, 2), properties: { size: 1.5 } }]).replace('1.5', 'NaN')
    await expect(readFileAs('a.geojson', text)).rejects.toMatchObject({
      detail: '- feature 1: the value of field size is not a number',
    })
  })
})

describe('skipping errors', () => {
  test('skips bad features and counts them', async () => {
    expect(
      await summaryOf([null, point(1, 2), point(1, 91), point(3, 4)], { skipErrors: true }),
    ).toMatchObject({
      rowCount: 2,
      badCount: 2,
      bad: [{ number: 1 }, { number: 3 }],
    })
  })

  test('does not create an empty layer if all features are bad', async () => {
    expect(await faultsOf([null, null], { skipErrors: true })).toHaveLength(2)
  })
})

describe('fixing errors', () => {
  test('NONE stores self-intersections unchanged', async () => {
    expect(await typeOf([bowTie])).toBe('POLYGON')
  })

  test('SAFE closes rings, repairs self-intersections and converts collections of one family', async () => {
    expect(await typeOf([open], { fix: 'SAFE' })).toBe('POLYGON')
    expect(await typeOf([bowTie], { fix: 'SAFE' })).toBe('MULTIPOLYGON')
    expect(await typeOf([collection(line, line)], { fix: 'SAFE' })).toBe('MULTILINESTRING')
    expect(await faultsOf([collection(line, line)])).toEqual([
      '- feature 1: it is a collection of different geometries',
    ])
  })

  test('SAFE rejects geometries that would lose parts', async () => {
    expect(await faultsOf([collection(line, point(1, 2))], { fix: 'SAFE' })).toHaveLength(1)
    expect(
      await faultsOf([multi(polygon(square), open, polygon(square.slice(0, 2)))], { fix: 'SAFE' }),
    ).toEqual(['- feature 1: a ring has fewer than four positions'])
  })

  test('LOSSY keeps the valid parts', async () => {
    const broken = multi(polygon(square), polygon(square.slice(0, 2)))
    expect(await typeOf([broken], { fix: 'LOSSY' })).toBe('MULTIPOLYGON')
    expect(await typeOf([collection(line, point(1, 2))], { fix: 'LOSSY' })).toBe('LINESTRING')
    expect(await typeOf([multi(polygon(square), polygon(square))], { fix: 'LOSSY', isMulti: false })).toBe(
      'POLYGON',
    )
  })

  test('LOSSY rejects geometries without valid parts', async () => {
    expect(await faultsOf([null, point(1, 91)], { fix: 'LOSSY' })).toHaveLength(2)
  })
})

describe('ids', () => {
  const withIds = (...ids: unknown[]) =>
    geojson(ids.map((nr) => ({ geometry: point(1, 2), properties: { nr, name: 'A' } })))
  const byField = { idSource: 'FIELD', idFields: ['code', 'nr'] } as const

  test('come from the first existing id field, which is removed from the fields', async () => {
    expect((await readFileAs('a.geojson', withIds(7, 9), byField)).summary.fields).toEqual([
      { name: 'name', datatype: 'STRING' },
    ])
    expect((await readFileAs('a.geojson', withIds('7', '9'), byField)).summary.rowCount).toBe(2)
  })

  test.each([
    ['empty', null, 'is empty'],
    ['not an integer', 1.5, 'is not an integer'],
    ['too large', 3_000_000_000, 'does not fit into 32 bits'],
    ['a word', 'A7', 'is not an integer'],
  ])('are rejected if one is %s', async (_, value, reason) => {
    await expect(readFileAs('a.geojson', withIds(1, value), byField)).rejects.toMatchObject({
      code: 'source/bad-features',
      detail: expect.stringContaining(reason),
    })
  })

  test('are numbered from 1 if an optional id field is missing', async () => {
    const wishes = { idSource: 'AUTO', idFields: ['code'] } as const
    expect((await readFileAs('a.geojson', withIds(7), wishes)).summary.fields).toHaveLength(2)
    await expect(
      readFileAs('a.geojson', withIds(7), { idSource: 'FIELD', idFields: ['code'] }),
    ).rejects.toMatchObject({ code: 'request/invalid', message: expect.stringContaining('nr, name') })
  })
})

test('a source without features becomes an empty layer if its geometry type is known', async () => {
  await expect(summaryOf([])).rejects.toMatchObject({ code: 'source/bad-features' })
  expect(await summaryOf([], { family: 'POINT' })).toMatchObject({ geometryType: 'POINT', rowCount: 0 })
})

test('the largest 64-bit integer and an escaped backslash before u0000 are accepted', async () => {
  const text = geojson([{ geometry: point(1, 2), properties: { a: 1, b: '\\u0000' } }])
  const { summary } = await readFileAs('a.geojson', text.replace('1,"b"', '9223372036854775807,"b"'))
  expect(summary).toMatchObject({ rowCount: 1, fields: [{ datatype: 'BIGINT' }, { datatype: 'STRING' }] })
})

describe('keys of bad features are reported', () => {
  const fields = [
    { keyname: 'code', datatype: 'INTEGER' },
    { keyname: 'name', datatype: 'STRING' },
    { keyname: 'lanes', datatype: 'INTEGER' },
  ] as const
  const keysOf = async (key: readonly string[], rows: readonly string[]) => {
    const wanted = { fields, keepsOthers: true }
    const csv = `code,name,lanes,longitude,latitude\n1,A,2,1,1\n${rows.join('\n')}\n`
    const { summary } = await readFileAs('a.csv', csv, { wanted, key, skipErrors: true })
    const values = summary.badKeys.values.map((one) => one.map((value) => Buffer.from(value, 'base64')))
    return { count: summary.badCount, values, texts: summary.badKeys.texts }
  }
  const int32 = (value: number) => Buffer.from([0, 0, value >> 8, value & 255])

  test('as the bytes of their values, if each field has a valid one', async () => {
    const rows = ['258,Bär,many,1,1', 'two,B,many,1,1', ',C,many,1,1', '3,,many,1,1']
    expect((await keysOf(['name', 'code'], rows)).values).toEqual([[Buffer.from('Bär'), int32(258)]])
    expect((await keysOf(['code'], rows)).values).toEqual([[int32(258)], [int32(3)]])
  })

  test('as text, if the driver does not translate their features; more than are listed', async () => {
    const codes = Array.from({ length: 15 }, (_, at) => String(at + 2))
    const found = await keysOf(['code'], [...codes.map((code) => `${code},B,1,x,1`), ',C,1,x,1'])
    expect(found).toEqual({ count: 16, values: [], texts: codes.map((code) => [code]) })
  })

  test('unless the cells of the row may be shifted, or a field is missing', async () => {
    expect(await keysOf(['code'], ['2,B,C,1,1,1', '3,C,1,1'])).toEqual({ count: 2, values: [], texts: [] })
    expect(await keysOf(['code', 'other'], ['2,B,1,x,1'])).toMatchObject({ count: 1, texts: [] })
  })

  test('up to a total size', async () => {
    const long = 'x'.repeat(400_000)
    const rows = [1, 2, 3].map((code) => `${code},${long}${code},many,1,1`)
    expect((await keysOf(['name'], rows)).values).toHaveLength(1)
  })
})
