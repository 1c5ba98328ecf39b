import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LayerClient, openLayerClient } from '../../support/layer_client.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { geojson, point, polygon } from '../../support/vector.ts'
import { makeZip } from '../../support/zip.ts'

let server: TestServer
let client: LayerClient
beforeAll(async () => {
  server = await startTestServer('postgres')
  client = openLayerClient(server)
})
afterAll(() => server.stop())

const multiPoint = (...coordinates: number[][]) => ({ type: 'MultiPoint', coordinates })
const line = (...coordinates: number[][]) => ({ type: 'LineString', coordinates })
const bowTie = polygon([
  [0, 0],
  [2, 2],
  [2, 0],
  [0, 2],
  [0, 0],
])

type Shape = Parameters<typeof geojson>[0][number]

const load = async (features: readonly Shape[], options: object = {}) => {
  const source = await client.upload('data.geojson', geojson(features))
  return { source, srs: { id: 3857 }, ...options }
}
/** Makes a layer of features, and gives its geometry type. */
const typeOf = async (features: readonly Shape[], options?: object) =>
  (await client.get(await client.create(await load(features, options)))).vector_layer.geometry_type
const idsOf = async (features: readonly Shape[], options?: object) =>
  (await client.features(await client.create(await load(features, options)))).map(({ id }) => id)
const refusal = async (features: readonly Shape[], options?: object) => {
  const { message, detail = '' } = await client.refuse('POST', '/api/resource/', {
    resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Refused' },
    vector_layer: await load(features, options),
  })
  return `${message}\n${detail}`
}

const one = { geometry: point(1, 2) }
const two = { geometry: multiPoint([1, 2], [3, 4]) }
const high = { geometry: point(1, 2, 3) }
const other = { geometry: line([0, 0], [1, 1]) }

describe('vector_layer, from data', () => {
  test('source (upload object from the upload response)', async () => {
    const id = await client.create(await load([{ ...one, properties: { name: 'A' } }]))
    expect(await client.features(id)).toMatchObject([{ fields: { name: 'A' } }])
    expect(await refusal([one], { source: { id: '0'.repeat(32) } })).toContain('upload')
  })

  test('srs ({id}; only EPSG 3857 is supported)', async () => {
    const id = await client.create(await load([one]))
    expect((await client.get(id)).vector_layer.srs).toEqual({ id: 3857 })
    expect(await refusal([one], { srs: { id: 4326 } })).toContain('EPSG:3857')
  })

  test('cast_geometry_type (POINT, LINESTRING, POLYGON or null for auto-detect, default null)', async () => {
    expect(await typeOf([other])).toBe('LINESTRING')
    expect(await typeOf([other], { cast_geometry_type: null })).toBe('LINESTRING')
    expect(await typeOf([other], { cast_geometry_type: 'LINESTRING' })).toBe('LINESTRING')
    expect(await refusal([other], { cast_geometry_type: 'POINT' })).toMatch(/point/i)
    expect(await refusal([other], { cast_geometry_type: 'CURVE' })).toContain('cast_geometry_type')
  })

  test('cast_is_multi (boolean or null, default null)', async () => {
    expect(await typeOf([one])).toBe('POINT')
    expect(await typeOf([one, two])).toBe('MULTIPOINT')
    expect(await typeOf([one], { cast_is_multi: null })).toBe('POINT')
    expect(await typeOf([one], { cast_is_multi: true })).toBe('MULTIPOINT')
    expect(await typeOf([one], { cast_is_multi: false })).toBe('POINT')
  })

  test('cast_has_z (boolean or null, default null)', async () => {
    expect(await typeOf([high])).toBe('POINTZ')
    expect(await typeOf([high], { cast_has_z: null })).toBe('POINTZ')
    expect(await typeOf([high], { cast_has_z: false })).toBe('POINT')
    expect(await typeOf([one], { cast_has_z: true })).toBe('POINTZ')
  })

  test('skip_other_geometry_types (boolean, default false, used when cast_geometry_type is given)', async () => {
    const cast = { cast_geometry_type: 'POINT' }
    expect(await idsOf([one, other, one], { ...cast, skip_other_geometry_types: true })).toHaveLength(2)
    expect(await refusal([one, other], { ...cast, skip_other_geometry_types: false })).toMatch(/line/i)
    expect(await refusal([one, other], cast)).toMatch(/line/i)
  })

  test('fix_errors (NONE default, SAFE without losing data, LOSSY whatever possible)', async () => {
    const open = {
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 1],
          ],
        ],
      },
    }
    expect(await idsOf([open], { fix_errors: 'SAFE' })).toHaveLength(1)
    const lossy = await client.create(await load([{ geometry: bowTie }], { fix_errors: 'LOSSY' }))
    expect((await client.get(lossy)).vector_layer.geometry_type).toBe('MULTIPOLYGON')
    expect(await idsOf([{ geometry: bowTie }], { fix_errors: 'NONE' })).toHaveLength(1)
    expect(await refusal([one], { fix_errors: 'ALL' })).toContain('fix_errors')
  })

  test('skip_errors (boolean, default false)', async () => {
    const bad = { geometry: null }
    expect(await refusal([one, bad])).toMatch(/geometry/)
    expect(await refusal([one, bad], { skip_errors: false })).toMatch(/geometry/)
    expect(await idsOf([one, bad, one], { skip_errors: true })).toHaveLength(2)
  })

  describe('fid_source', () => {
    const numbered = [7, 3].map((number) => ({ ...one, properties: { number } }))

    test('SEQUENCE default: ids counted from 1', async () => {
      expect(await idsOf(numbered)).toEqual([1, 2])
      expect(await idsOf(numbered, { fid_source: 'SEQUENCE' })).toEqual([1, 2])
    })

    test('FIELD: id taken from fid_field, required', async () => {
      expect(await idsOf(numbered, { fid_source: 'FIELD', fid_field: 'number' })).toEqual([3, 7])
      expect(await refusal(numbered, { fid_source: 'FIELD' })).toContain('fid_field')
      expect(await refusal(numbered, { fid_source: 'FIELD', fid_field: 'nope' })).toContain('nope')
    })

    test('AUTO: from fid_field if set, else counted from 1', async () => {
      for (const fid_field of ['number', 'nope,number', ['nope', 'number']])
        expect(await idsOf(numbered, { fid_source: 'AUTO', fid_field })).toEqual([3, 7])
      expect(await idsOf(numbered, { fid_source: 'AUTO' })).toEqual([1, 2])
    })
  })
})

describe('Preparation rules for uploaded data', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'landform-prepared-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** Makes the files of a shapefile of one point whose name is written in an encoding. */
  const makeShapefile = async (encoding: string) => {
    const file = join(folder, `${encoding}.geojson`)
    await writeFile(file, geojson([{ geometry: point(37.6, 55.75), properties: { name: 'Москва' } }]))
    const target = await mkdtemp(join(folder, 'shape-'))
    const run = promisify(execFile)
    await run('ogr2ogr', ['-f', 'ESRI Shapefile', target, file, '-lco', `ENCODING=${encoding}`])
    const names = await readdir(target)
    const entries = names.map(async (name) => ({ name, content: await readFile(join(target, name)) }))
    return Promise.all(entries)
  }

  test.each(['UTF-8', 'CP1251'])(
    'Vector data comes as a shapefile (all files packed in one ZIP archive), with %s encoding',
    async (encoding) => {
      const source = await client.upload('town.zip', makeZip(await makeShapefile(encoding)))
      const id = await client.create({ source, srs: { id: 3857 } })
      expect(await client.features(id)).toMatchObject([{ fields: { name: 'Москва' } }])
      const told = await client.create({ source: { ...source, encoding }, srs: { id: 3857 } })
      expect(await client.features(told)).toMatchObject([{ fields: { name: 'Москва' } }])
    },
  )

  test('or a GeoJSON file (no archive needed)', async () => {
    const id = await client.create(await load([one]))
    expect(await client.features(id)).toHaveLength(1)
  })

  test('It has a spatial reference: without one it is refused', async () => {
    const files = (await makeShapefile('UTF-8')).filter(({ name }) => !name.endsWith('.prj'))
    const source = await client.upload('town.zip', makeZip(files))
    const { message } = await client.refuse('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Nowhere' },
      vector_layer: { source, srs: { id: 3857 } },
    })
    expect(message).toMatch(/reference system/)
  })

  test('valid geometry present in all features: one without is refused', async () => {
    expect(await refusal([{ geometry: null }])).toMatch(/geometry/)
  })

  test('no field named id: one that is gets another name', async () => {
    const id = await client.create(await load([{ ...one, properties: { id: 5 } }]))
    const { fields } = (await client.get(id)).feature_layer
    expect(fields.map(({ keyname, display_name }) => [keyname, display_name])).toEqual([['id_1', 'id']])
  })

  test('printable characters only in field names and values: names with others are changed, values are kept', async () => {
    const id = await client.create(await load([{ ...one, properties: { 'a\tb': 'x\u0007\ny' } }]))
    const [field] = (await client.get(id)).feature_layer.fields
    expect(field?.keyname).toMatch(/^[^\p{Cc}]+$/u)
    const [feature] = await client.features(id)
    expect(feature?.fields).toEqual({ [field?.keyname ?? '']: 'x\u0007\ny' })
  })
})
