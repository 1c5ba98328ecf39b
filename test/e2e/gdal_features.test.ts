import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { geometryTypes } from '../../src/contract/geometry.ts'
import { openAttachments } from '../support/attachments.ts'
import { openLayerClient } from '../support/layer_client.ts'
import { createGroup, rule } from '../support/resources.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { createUser, principalId, userPassword } from '../support/users.ts'

const run = promisify(execFile)
const administrator = `USERPWD=administrator:${adminPassword}`

let server: TestServer
let folder = ''
let group = 0
beforeAll(async () => {
  server = await startTestServer('postgres')
  folder = await mkdtemp(join(tmpdir(), 'landform-gdal-features-'))
  group = await createGroup(server.admin, 0, { display_name: 'Written by GDAL' })
  await writeFile(join(folder, 'rows.csv'), rows)
  await writeFile(join(folder, 'rows.csvt'), 'WKT,String,Integer,Integer64,Real,Date,Time,DateTime')
})
afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const rows = `WKT,name,n,big,r,d,t,m
POINT (100 200),one,1,9007199254740993,0.1,2020-02-29,10:20:30,2020-02-29 10:20:30
POINT (200 300),two,-2147483648,-9223372036854775808,1e-300,0001-01-01,00:00:00,1969-12-31 23:59:59
POINT (300 400),three,2147483647,9223372036854775807,1.7976931348623157e308,9999-12-31,23:59:59,2038-01-19 03:14:08
POINT (400 500),,,,,,,
POINT (500 600),"fünf ""5""
and more",5,5,5.5,2021-01-01,05:05:05,2021-01-01 05:05:05
`
const csv = (file: string) => [
  '-oo',
  'EMPTY_STRING_AS_NULL=YES',
  '-oo',
  'KEEP_GEOM_COLUMNS=NO',
  '-a_srs',
  'EPSG:3857',
  '-nlt',
  'POINT',
  join(folder, file),
]

const dataset = (id: number) => `NGW:${server.url}/resource/${id}`
const write = (name: string, source: readonly string[], ...options: readonly string[]) =>
  run('ogr2ogr', [
    '-f',
    'NGW',
    '-update',
    dataset(group),
    '-doo',
    administrator,
    '-nln',
    name,
    ...source,
    ...options,
  ])
const info = async (id: number, ...args: readonly string[]) =>
  (await run('ogrinfo', ['-q', '-nomd', '-oo', administrator, ...args, dataset(id)])).stdout
const findLayer = async (name: string) => {
  const answer = await server.admin('GET', `/api/resource/search/?display_name=${name}`)
  return (await answer.json<{ resource: { id: number } }[]>())[0]?.resource.id ?? 0
}
const names = (text: string) => [...text.matchAll(/name \(String\) = (.*)/g)].map(([, name]) => name).sort()

/** Sorted lines of a CSV file that GDAL exported from a layer, without quotes. */
async function readBack(id: number, ...options: readonly string[]): Promise<string[]> {
  const target = await mkdtemp(join(folder, 'back-'))
  await run('ogr2ogr', ['-f', 'CSV', join(target, 'back.csv'), dataset(id), '-oo', administrator, ...options])
  const [file = ''] = (await readdir(target)).filter((name) => name.endsWith('.csv'))
  return (await readFile(join(target, file), 'utf8')).replaceAll('"', '').trim().split('\n').sort()
}

describe('writing', () => {
  test.each([
    ['one by one', '-1'],
    ['in batches', '2'],
    ['in one batch', '1000'],
  ])('round-trips values of every datatype, %s', async (_, size) => {
    const name = `values ${size}`
    await write(name, csv('rows.csv'), '-doo', `BATCH_SIZE=${size}`)
    const id = await findLayer(name)
    const back = await readBack(id, '-lco', 'GEOMETRY=AS_WKT')
    expect(back).toContain('POINT (400 500),,,,,,,')
    expect(back).toContain(
      'POINT (100 200),one,1,9007199254740993,0.1,2020/02/29,10:20:30,2020/02/29 10:20:30',
    )
    expect(back.find((line) => line.includes(',two,'))).toMatch(
      /,-2147483648,-9223372036854775808,1e-300,0001\/01\/01,00:00:00,1969\/12\/31 23:59:59$/,
    )
    expect(back.find((line) => line.includes(',three,'))).toMatch(
      /,2147483647,9223372036854775807,1\.79769313486\d+e\+?308,9999\/12\/31,23:59:59,2038\/01\/19 03:14:08$/i,
    )
    const { fields } = (await openLayerClient(server).features(id)).find(({ fields }) => fields.n === 5) ?? {}
    expect(fields?.name).toBe('fünf "5"\nand more')
  })

  test('round-trips every geometry type', async () => {
    const types = geometryTypes.map((type) => [type, sampleOf(type)] as const)
    const layers = types.map(([type]) => vrtLayer(type))
    await writeFile(join(folder, 'types.vrt'), `<OGRVRTDataSource>${layers.join('')}</OGRVRTDataSource>`)
    for (const [type, wkt] of types)
      await writeFile(join(folder, `${type}.csv`), `WKT,name\n"${wkt}",${type}\n`)
    const inside = await createGroup(server.admin, group, { display_name: 'Types' })
    const target = ['-f', 'NGW', '-update', dataset(inside), '-doo', administrator]
    await run('ogr2ogr', [...target, join(folder, 'types.vrt')])
    const back = join(folder, 'types')
    const output = ['-f', 'CSV', '-lco', 'GEOMETRY=AS_WKT', '-oo', administrator]
    await run('ogr2ogr', [...output, back, dataset(inside)])
    const read = await Promise.all(
      types.map(async ([type]) => (await readFile(join(back, `${type}.csv`), 'utf8')).split('\n')[1]),
    )
    expect(read).toEqual(types.map(([type, wkt]) => `"${wkt}",${type}`))
  })

  test('writes the keyname and the description of a layer', async () => {
    await write('described', csv('rows.csv'), '-lco', 'KEY=gdal_described', '-lco', 'DESCRIPTION=All & more')
    const answer = await server.admin(
      'GET',
      '/api/resource/search/?keyname=gdal_described&serialization=full',
    )
    expect(await answer.json()).toMatchObject([
      { resource: { display_name: 'described', description: 'All & more', parent: { id: group } } },
    ])
    const { stdout } = await run('ogrinfo', ['-so', '-oo', administrator, dataset(group), 'described'])
    expect(stdout).toMatch(/keyname=gdal_described/)
    expect(stdout).toMatch(/description=All & more/)
  })

  test('rolls back a batch with an invalid feature, and reports the feature', async () => {
    await write('strict', csv('rows.csv'), '-where', "name = 'one'")
    await writeFile(join(folder, 'lines.csv'), 'WKT,name\nPOINT (1 1),good\n"LINESTRING (2 2,3 3)",bad\n')
    const lines = [...csv('lines.csv'), '-append', '-doo', 'BATCH_SIZE=100']
    await expect(write('strict', lines)).rejects.toMatchObject({
      stderr: expect.stringMatching(/422\nERROR 1: item \d: .*LINESTRING/),
    })
    const features = await openLayerClient(server).features(await findLayer('strict'))
    expect(features.map(({ fields }) => fields.name)).toEqual(['one'])
  })
})

const position = (x: number, hasZ: boolean) => (hasZ ? `${x} ${x + 1} ${x + 2}` : `${x} ${x + 1}`)

/** A geometry of a type, in the WKT of GDAL. */
function sampleOf(type: string): string {
  const hasZ = type.endsWith('Z')
  const at = (x: number) => position(x, hasZ)
  const line = `(${at(1)},${at(5)})`
  const ring = hasZ ? '((0 0 1,10 0 2,10 10 3,0 0 1))' : '((0 0,10 0,10 10,0 0))'
  const baseType = type.replace(/Z$/, '')
  const parts: Record<string, string> = {
    POINT: `(${at(1)})`,
    LINESTRING: line,
    POLYGON: ring,
    MULTIPOINT: `((${at(1)}),(${at(5)}))`,
    MULTILINESTRING: `(${line},${line})`,
    MULTIPOLYGON: `(${ring})`,
  }
  return `${baseType} ${hasZ ? 'Z ' : ''}${parts[baseType]}`
}

const camel: Readonly<Record<string, string>> = {
  POINT: 'Point',
  LINESTRING: 'LineString',
  POLYGON: 'Polygon',
  MULTIPOINT: 'MultiPoint',
  MULTILINESTRING: 'MultiLineString',
  MULTIPOLYGON: 'MultiPolygon',
}

function vrtLayer(type: string): string {
  const kind = `wkb${camel[type.replace(/Z$/, '')]}${type.endsWith('Z') ? '25D' : ''}`
  return `<OGRVRTLayer name="${type}"><SrcDataSource>${join(folder, `${type}.csv`)}</SrcDataSource>
    <GeometryType>${kind}</GeometryType><LayerSRS>EPSG:3857</LayerSRS>
    <GeometryField encoding="WKT" field="WKT"/><Field name="name"/></OGRVRTLayer>`
}

describe('reading', () => {
  let id = 0
  beforeAll(async () => {
    await write('read', csv('rows.csv'), '-where', 'n IS NOT NULL', '-doo', 'BATCH_SIZE=100')
    id = await findLayer('read')
  })

  test.each<[string, readonly string[]]>([
    ["name = 'one'", ['one']],
    ["name <> 'one'", ['fünf "5"', 'three', 'two']],
    ['n > 1', ['fünf "5"', 'three']],
    ['n >= 1 AND n < 5', ['one']],
    ['n <= 1 AND r < 1', ['one', 'two']],
    ["name LIKE 't%'", ['three', 'two']],
    ["name ILIKE 'T%'", ['three', 'two']],
    ['big = 9007199254740993', ['one']],
    ["d < '2020/03/01'", ['one', 'two']],
    ["m > '2020/12/31 00:00:00'", ['fünf "5"', 'three']],
    ["name = 'one' OR n = 5", ['fünf "5"', 'one']],
    ["name IN ('one', 'two')", ['one', 'two']],
    ["NOT (name = 'one')", ['fünf "5"', 'three', 'two']],
    ['n BETWEEN 0 AND 5', ['fünf "5"', 'one']],
    ['NGW:fld_n__gt=1', ['fünf "5"', 'three']],
    ['NGW:fld_name=one', ['one']],
    ['NGW:fld_name__ilike=T%25&fld_n__lt=0', ['two']],
  ])('returns the matching features: %s', async (where, expected) => {
    expect(names(await info(id, '-al', '-geom=NO', '-where', where))).toEqual(expected)
  })

  test('returns the features in a bounding box, in pages, with a condition', async () => {
    const box = ['-spat', '150', '250', '350', '450']
    expect(names(await info(id, '-al', ...box))).toEqual(['three', 'two'])
    expect(names(await info(id, '-oo', 'PAGE_SIZE=1', '-al', ...box, '-where', 'n > 0'))).toEqual(['three'])
    expect(names(await info(id, '-oo', 'PAGE_SIZE=3', '-al'))).toHaveLength(4)
  })

  test('returns a feature by its id', async () => {
    const [feature] = await openLayerClient(server).features(id)
    expect(names(await info(id, '-al', '-fid', String(feature?.id)))).toEqual([
      String(feature?.fields.name).split('\n')[0],
    ])
    expect(await info(id, '-al', '-fid', '999999')).not.toContain('OGRFeature')
  })

  test('returns feature count and extent', async () => {
    const { stdout } = await run('ogrinfo', ['-so', '-al', '-oo', administrator, dataset(id)])
    expect(stdout).toContain('Feature Count: 4')
    expect(stdout).toMatch(/Extent: \(1(00)?\.0+, 2(00)?\.\d+\) - \((499|500)\.\d+, (599|600)\.\d+\)/)
  })

  test('evaluates SQL', async () => {
    const ordered = await info(id, '-sql', 'SELECT name, n FROM "read" WHERE n > 0 ORDER BY n DESC')
    expect([...ordered.matchAll(/n \(Integer\) = (\d+)/g)].map(([, n]) => Number(n))).toEqual([
      2147483647, 5, 1,
    ])
    const summed = await info(id, '-sql', 'SELECT COUNT(*), MAX(n), COUNT(DISTINCT name) FROM "read"')
    expect(summed).toMatch(
      /COUNT_\* \(Integer\) = 4\s+MAX_n \(Integer\) = 2147483647\s+COUNT_name \(Integer\) = 4/,
    )
  })
})

describe('updating', () => {
  const fill = async (name: string) => {
    await write(name, csv('rows.csv'), '-where', 'n IS NOT NULL', '-doo', 'BATCH_SIZE=100')
    return findLayer(name)
  }
  const sql = (id: number, statement: string, ...options: readonly string[]) =>
    info(id, ...options, '-update', '-dialect', 'SQLITE', '-sql', statement)
  const values = async (id: number, field: string) =>
    (await openLayerClient(server).features(id)).map(({ fields }) => fields[field])

  test.each([
    ['one by one', '-1'],
    ['in batches', '2'],
  ])('updates features, %s', async (_, size) => {
    const id = await fill(`changed ${size}`)
    const before = await openLayerClient(server).features(id)
    await sql(id, `UPDATE "changed ${size}" SET r = 7, name = NULL WHERE n > 0`, '-oo', `BATCH_SIZE=${size}`)
    expect((await values(id, 'r')).sort()).toEqual([1e-300, 7, 7, 7])
    const after = await openLayerClient(server).features(id)
    expect(after.map(({ id, geom }) => [id, geom])).toEqual(before.map(({ id, geom }) => [id, geom]))
    expect(after.filter(({ fields }) => fields.name === null)).toHaveLength(3)
  })

  test('deletes single features, and all features', async () => {
    const id = await fill('thinned')
    // The driver deletes all features for any statement that starts with DELETE.
    await sql(id, 'WITH x AS (SELECT 1) DELETE FROM thinned WHERE n > 1')
    expect((await values(id, 'n')).sort()).toEqual([-2147483648, 1])
    await info(id, '-update', '-sql', 'DELETE FROM thinned')
    expect(await values(id, 'n')).toEqual([])
  })

  test('appends features to a layer', async () => {
    const id = await fill('grown')
    await write('grown', csv('rows.csv'), '-append', '-where', "name = 'one'")
    expect((await values(id, 'name')).filter((name) => name === 'one')).toHaveLength(2)
  })

  test('preserves descriptions and attachments of updated features, and copies descriptions', async () => {
    const id = await fill('noted')
    const [first] = await openLayerClient(server).features(id)
    const path = `/api/resource/${id}/feature/${first?.id}`
    await server.admin('PUT', path, { extensions: { description: '<b>noted</b>' } })
    const attachmentId = await openAttachments(server.admin, id, first?.id ?? 0).attach('a note', {
      name: 'note.txt',
    })
    const native = ['-oo', 'NATIVE_DATA=YES', '-oo', 'EXTENSIONS=description,attachment']
    await sql(id, 'UPDATE noted SET r = 8', ...native)
    expect(await (await server.admin('GET', path)).json()).toMatchObject({
      fields: { r: 8 },
      extensions: { description: '<b>noted</b>', attachment: [{ id: attachmentId, name: 'note.txt' }] },
    })
    const source = [
      '-nomd',
      dataset(id),
      '-oo',
      administrator,
      '-oo',
      'NATIVE_DATA=YES',
      '-oo',
      'EXTENSIONS=description',
    ]
    await write('copied', source, '-doo', 'BATCH_SIZE=100')
    const copies = await server.admin(
      'GET',
      `/api/resource/${await findLayer('copied')}/feature/?extensions=description`,
    )
    const descriptions = (await copies.json<{ extensions: { description: string | null } }[]>()).map(
      ({ extensions }) => extensions.description,
    )
    expect(descriptions.sort()).toEqual(['<b>noted</b>', null, null, null])
    const all = source.map((arg) => arg.replace('=description', '=description,attachment'))
    // An attachment belongs to one feature: copying it is refused rather than silently dropped.
    await expect(write('refused', all)).rejects.toMatchObject({
      stderr: expect.stringContaining(`has no attachment ${attachmentId}`),
    })
  })

  test('reports missing permissions to a user who can only read', async () => {
    const id = await fill('read only')
    const reader = await createUser(server.database, 'gdal_reader')
    const permissions = [
      rule('allow', await principalId(server.database, 'administrators')),
      rule('allow resource.read', reader),
      rule('allow data.read', reader),
      rule('allow datastruct.read', reader),
    ]
    const changed = await server.admin('PUT', '/api/resource/0', { resource: { permissions } })
    expect(changed.status).toBe(200)
    const options = ['-nomd', '-oo', `USERPWD=gdal_reader:${userPassword}`]
    expect(names((await run('ogrinfo', ['-q', ...options, '-al', dataset(id)])).stdout)).toHaveLength(4)
    const update = ['-update', '-dialect', 'SQLITE', '-sql', 'UPDATE "read only" SET r = 1']
    const { stderr } = await run('ogrinfo', ['-q', ...options, ...update, dataset(id)]).catch(
      (error: { stderr: string }) => error,
    )
    expect(stderr).toMatch(/not permitted|[Ii]nsufficient|denied/)
    expect(await values(id, 'r')).not.toContain(1)
  })
})
