import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readGeoJsonText } from '../support/geojson.ts'

/** Returns the fault of a feature with such a geometry; undefined if it has none. */
async function faultOf(geometry: string): Promise<string | undefined> {
  const { features } = await readGeoJsonText(`{"type":"Feature","properties":{},"geometry":${geometry}}`)
  return features[0]?.fault
}

const feature = (properties: string, geometry = '{"type":"Point","coordinates":[1,2]}', more = '') =>
  `{"type":"Feature",${more}"properties":${properties},"geometry":${geometry}}`
const collection = (...features: string[]) => `{"type":"FeatureCollection","features":[${features}]}`
const ring = '[[0,0],[0,4],[4,4],[0,0]]'
const ofPolygon = (coordinates: string) => faultOf(`{"type":"Polygon","coordinates":${coordinates}}`)

describe('coordinates', () => {
  test.each([
    [`[${ring},null]`, 'a coordinate is not a number: null'],
    [`[${ring},[[1,1],[1,"2"],[2,2],[1,1]]]`, 'a coordinate is not a number: "2"'],
    [`[${ring},[[1,1],[true,2],[2,2],[1,1]]]`, 'a coordinate is not a number: true'],
    [`[${ring},{"x":[1]}]`, 'a coordinate is not a number: an object'],
    ['[NaN,2]', 'a coordinate is not a number: NaN'],
    ['[[[1e400,2],[3,4]]]', 'a coordinate is not a number'],
    [`[${ring},[[1],[2],[3],[1]]]`, 'a position has only one number'],
    [`[${ring},[[],[1,1]]]`, 'a position has no numbers'],
    [`[${ring},[1,2]]`, 'its positions are nested at different depths'],
    [`[${ring},[1,[2,3]]]`, 'its positions are nested at different depths'],
    ['[1,2]', 'its coordinates are not those of a Polygon'],
    [`${'['.repeat(100_000)}1,2${']'.repeat(100_000)}`, 'its positions are nested at different depths'],
  ])('%.60s are reported', async (coordinates, reason) => {
    expect(await ofPolygon(coordinates)).toBe(reason)
  })

  test.each([`[${ring},[]]`, '[]', `[ [[0 , -1.5e+3],[2E-2,3],[1,1], [0,-1500]] ]`, 'null', '"x"'])(
    '%s are accepted',
    async (coordinates) => {
      expect(await ofPolygon(coordinates)).toBeUndefined()
    },
  )

  test('faults of collection members are reported', async () => {
    const of = (member: string) => faultOf(`{"type":"GeometryCollection","geometries":[${member}]}`)
    expect(await of('{"type":"Point","coordinates":[1]}')).toBe('a position has only one number')
    expect(await of('{"type":"GeometryCollection","geometries":[null]}')).toBe(
      'a member of its geometry collection is null',
    )
    expect(await of('{"type":"Point","coordinates":[1,2]}')).toBeUndefined()
    const nested = '{"type":"GeometryCollection","geometries":['.repeat(5000)
    expect(await of(`${nested}${']}'.repeat(5000)}`)).toBe('its collections are nested too deeply')
  })

  test('positions with more than three coordinates are detected', async () => {
    const isLong = async (position: string) => {
      const { facts } = await readGeoJsonText(feature('{}', `{"type":"Point","coordinates":${position}}`))
      return facts.geometries.hasLongPositions
    }
    expect(await isLong('[1,2,3,4]')).toBe(true)
    expect(await isLong('[1,2,3]')).toBe(false)
  })

  test('valid parts are kept', async () => {
    const hole = '[[1,1],null,[1,2],[1,1]]'
    const { features } = await readGeoJsonText(
      collection(
        feature('{}', `{"type":"Polygon","coordinates":[${ring},${hole},${ring}]}`),
        feature('{}', `{"type":"MultiPolygon","coordinates":[[${hole},${ring}],[${ring},${hole}]]}`),
        feature('{}', `{"coordinates":[${hole},[[0,0],[1,1]]],"type":"MultiLineString"}`),
      ),
    )
    const numbers = [0, 0, 0, 4, 4, 4, 0, 0]
    expect(features.map(({ geometry }) => geometry)).toMatchObject([
      { family: 'POLYGON', isMulti: false, parts: [[numbers, numbers]] },
      { family: 'POLYGON', isMulti: true, parts: [[numbers]] },
      { family: 'LINESTRING', isMulti: true, parts: [[[0, 0, 1, 1]]] },
    ])
  })
})

describe('members that are not Features are rejected:', () => {
  test.each([
    ['null', 'null'],
    ['"x"', '"x"'],
    ['[1]', 'a list'],
    ['{"properties":{}}', 'an object without a type'],
    ['{"type":"Point","coordinates":[1,2]}', 'an object of type "Point"'],
    ['{"type":"Feature","properties":[1]}', 'an object whose properties are a list'],
  ])('%s', async (member, reason) => {
    await expect(readGeoJsonText(collection(feature('{}'), member, feature('{}')))).rejects.toThrow(
      `member 2 of its features is not a Feature, but ${reason}`,
    )
  })

  test('but Features in any letter case are accepted', async () => {
    const { facts } = await readGeoJsonText('{"features":[{"type":"feature"},{"type":"FEATURE"}]}')
    expect(facts.count).toBe(2)
  })
})

describe('invalid JSON is rejected with its position:', () => {
  test.each([
    ['{"type":"FeatureCollection","features":[', 'truncated at byte 42, before the first feature ends'],
    [collection(feature('{"a":1}'), feature('{"a":2}')).slice(0, -20), 'after feature 1'],
    [collection(feature('{"a":1}'), feature('{"a":2}')).slice(0, -1), 'after feature 2'],
    [collection(feature('{"a":01}')), 'not valid JSON at byte 77'],
    [collection(feature('{"a":1.}')), 'not valid JSON'],
    [collection(feature('{"a":[1,]}')), 'not valid JSON'],
    [collection(feature('{"a":tru}')), 'not valid JSON'],
    [collection(feature('{"a":"\\x"}')), 'not valid JSON'],
    [collection(feature('{"a":1 "b":2}')), 'not valid JSON'],
    [collection(feature('{a:1}')), 'not valid JSON'],
    [`${collection(feature('{}'))}]`, 'not valid JSON at byte 125, after feature 1'],
    ['{"type":"FeatureCollection"}', 'has no list of features'],
  ])('%s', async (text, words) => {
    await expect(readGeoJsonText(`${text} `)).rejects.toThrow(words)
  })
})

describe('values', () => {
  const valuesOf = async (...properties: string[]) => {
    const { features, datatypes } = await readGeoJsonText(
      collection(...properties.map((one) => feature(one))),
    )
    const { id: _, ...found } = datatypes
    return { datatypes: found, values: features.map(({ values }) => values) }
  }

  test.each<[string[], string, (number | bigint | string)[]]>([
    [['1', '-2147483648'], 'INTEGER', [1, -2147483648]],
    [['1', '9007199254740993'], 'BIGINT', [1, 9007199254740993n]],
    [['9223372036854775808', '1'], 'BIGINT', ['9223372036854775808', 1]],
    [['1', '2.50'], 'REAL', [1, 2.5]],
    [['9007199254740993', '2.50'], 'STRING', ['9007199254740993', '2.50']],
    [['true', 'false'], 'INTEGER', [1, 0]],
    [['true', '"x"', '1.0'], 'STRING', ['true', 'x', '1.0']],
    [['[1, "a b"]', '{ "a" : 1.10 }'], 'STRING', ['[1,"a b"]', '{"a":1.10}']],
    [['"2020-01-02"', '"2020/01/02"'], 'DATE', ['2020-01-02', '2020/01/02']],
    [
      ['"2020-01-02"', '"2020-01-02T03:04:05+02:00"'],
      'DATETIME',
      ['2020-01-02', '2020-01-02T03:04:05+02:00'],
    ],
    [['"10:11"', '"10:11:12.5"'], 'TIME', ['10:11', '10:11:12.5']],
    [['"10:11"', '"2020-01-02"'], 'STRING', ['10:11', '2020-01-02']],
    [['"2020-01-02"', '""'], 'STRING', ['2020-01-02', '']],
    [['"2020-13-02"', '"24:00"'], 'STRING', ['2020-13-02', '24:00']],
    [['"\\u00e9\\ud83d\\ude00\\n\\/"', '"\\ud800x\\udc00"'], 'STRING', ['é😀\n/', '\ufffdx\ufffd']],
  ])('%j become %s', async (given, datatype, values) => {
    const found = await valuesOf(...given.map((value) => `{"a":${value}}`))
    expect(found).toEqual({ datatypes: { a: datatype }, values: values.map((a) => ({ a })) })
  })

  test('are null if the last value of a repeated key is null', async () => {
    const { values } = await valuesOf('{"a":1,"b":2,"a":null}', '{"b":1,"a":2,"b":3}')
    expect(values).toEqual([{ b: 2 }, { a: 2, b: 3 }])
    const { datatypes } = await valuesOf('{"a":null,"c":1}', '{"b":1,"a":null}')
    expect(datatypes).toEqual({ a: 'STRING', b: 'INTEGER', c: 'INTEGER' })
  })

  test('have the order of the features', async () => {
    const { datatypes } = await valuesOf(
      '{"a":1,"d":1}',
      '{"a":1,"b":1,"c":1,"d":1}',
      '{"d":1,"e":1}',
      '{"e":1,"a":1}',
    )
    expect(Object.keys(datatypes)).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  test('of features without properties are their foreign members', async () => {
    const { features } = await readGeoJsonText(
      collection('{"type":"Feature","bbox":[1],"name":"x","geometry":null,"n":1}'),
    )
    expect(features[0]?.values).toEqual({ name: 'x', n: 1 })
  })

  test('with U+0000 are rejected', async () => {
    for (const value of ['"x\\u0000y"', '"x\0y"'])
      await expect(readGeoJsonText(feature(`{"a":${value}}`))).rejects.toMatchObject({
        kind: 'nul',
        offset: 38,
      })
    const { features } = await readGeoJsonText(feature('{"a":"x\\\\u0000y"}'))
    expect(features[0]?.values).toEqual({ a: 'x\\u0000y' })
  })
})

describe('for any file', () => {
  const json = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
  )
  const one = fc.record({
    properties: fc.dictionary(fc.string({ minLength: 1, maxLength: 3 }), json, { maxKeys: 6 }),
    isBad: fc.boolean(),
    positions: fc.array(fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()), {
      minLength: 2,
      maxLength: 9,
    }),
    indent: fc.nat(3),
  })

  test('the result is exact and does not depend on the window size', async () => {
    const law = fc.asyncProperty(
      fc.array(one, { maxLength: 12 }),
      fc.integer({ min: 1, max: 400 }),
      async (all, size) => {
        const features = all.map(({ properties, isBad, positions, indent }) => {
          const geometry = { type: 'LineString', coordinates: isBad ? [...positions, [null, 1]] : positions }
          return JSON.stringify({ type: 'Feature', properties, geometry }, null, indent)
        })
        const found = await readGeoJsonText(collection(...features), size)
        expect(found).toEqual(await readGeoJsonText(collection(...features)))
        const { datatypes } = found
        const hasText = (name: string): boolean =>
          !['INTEGER', 'BIGINT', 'REAL'].includes(datatypes[name] ?? '')
        const read = found.features.map(({ values, ...rest }) => ({
          ...rest,
          values: Object.fromEntries(
            Object.entries(values).map(([name, value]) => [name, hasText(name) ? value : Number(value)]),
          ),
        }))
        expect(read).toEqual(
          all.map(({ properties, isBad, positions }) => {
            const values = Object.entries(properties).flatMap(([name, value]) => {
              if (value === null) return []
              const written = typeof value === 'string' ? value : JSON.stringify(value)
              return [[name, hasText(name) ? written : Number(value) + 0]]
            })
            const numbers = positions.flat().map((number) => number + 0)
            return {
              geometry: isBad
                ? undefined
                : { family: 'LINESTRING', isMulti: false, hasZ: false, parts: [[numbers]] },
              fault: isBad ? 'a coordinate is not a number: null' : undefined,
              values: Object.fromEntries(values),
            }
          }),
        )
      },
    )
    await fc.assert(law, { seed: 20_261_123, numRuns: process.env.LANDFORM_SOAK ? 5000 : 100 })
  })
})
