import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Datatype } from '../../src/contract/geometry.ts'
import { geojson, point, readFileAs } from '../support/vector.ts'
import { makeZip } from '../support/zip.ts'

const properties = {
  name: 'Москва',
  size: 1.5,
  people: 5_000_000_000,
  day: '2020-01-02',
  hour: '10:11:12',
  moment: '2020-01-02T03:04:05',
  rank: 3,
}
const cities = geojson([
  { geometry: point(37.6, 55.7), properties },
  { geometry: point(135, 48.5), properties: { name: 'Хабаровск' } },
])

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'landform-formats-'))
  writeFileSync(join(folder, 'cities.geojson'), cities)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Creates a file with ogr2ogr in its own folder; returns its content, or an archive of all files it wrote. */
function make(format: string, file: string, ...options: string[]): Buffer {
  const target = mkdtempSync(join(folder, 'made-'))
  execFileSync('ogr2ogr', ['-f', format, join(target, file), join(folder, 'cities.geojson'), ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return readFileSync(join(target, file))
}

function makeAll(format: string, file: string, ...options: string[]): { name: string; content: Buffer }[] {
  const target = mkdtempSync(join(folder, 'made-'))
  mkdirSync(target, { recursive: true })
  execFileSync('ogr2ogr', ['-f', format, join(target, file), join(folder, 'cities.geojson'), ...options], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return readdirSync(target).map((name) => ({ name, content: readFileSync(join(target, name)) }))
}

async function datatypesOf(name: string, content: Buffer): Promise<Record<string, Datatype>> {
  const { summary } = await readFileAs(name, content)
  expect(summary).toMatchObject({ geometryType: 'POINT', rowCount: 2, badCount: 0 })
  return Object.fromEntries(summary.fields.map((field) => [field.name, field.datatype]))
}

const exact = {
  name: 'STRING',
  size: 'REAL',
  people: 'BIGINT',
  day: 'DATE',
  hour: 'TIME',
  moment: 'DATETIME',
  rank: 'INTEGER',
}

describe('reads points and their field types from', () => {
  test('GeoJSON', async () => {
    expect(await datatypesOf('cities.geojson', Buffer.from(cities))).toEqual(exact)
  })

  test('GeoJSON without a name', async () => {
    expect(await datatypesOf('', Buffer.from(cities))).toEqual(exact)
  })

  test('newline-delimited GeoJSON', async () => {
    expect(await datatypesOf('cities.geojsonl', make('GeoJSONSeq', 'cities.geojsonl'))).toEqual(exact)
  })

  test('GeoPackage', async () => {
    expect(await datatypesOf('cities.gpkg', make('GPKG', 'cities.gpkg'))).toEqual({
      ...exact,
      hour: 'STRING',
    })
  })

  test('FlatGeobuf', async () => {
    const timestamps = { day: 'DATETIME', hour: 'DATETIME' } as const
    expect(await datatypesOf('cities.fgb', make('FlatGeobuf', 'cities.fgb'))).toEqual({
      ...exact,
      ...timestamps,
    })
  })

  test('KML', async () => {
    const fields = await datatypesOf('cities.kml', make('LIBKML', 'cities.kml'))
    expect(fields).toMatchObject({ Name: 'STRING' })
  })

  test('KMZ', async () => {
    const kmz = makeZip([{ name: 'doc.kml', content: make('LIBKML', 'doc.kml') }])
    expect(await datatypesOf('cities.kmz', kmz)).toMatchObject({ Name: 'STRING' })
  })

  test('GML', async () => {
    const fields = await datatypesOf('cities.gml', make('GML', 'cities.gml'))
    expect(fields).toMatchObject({ name: 'STRING', size: 'REAL', people: 'BIGINT', rank: 'INTEGER' })
  })

  test('MapInfo tables in an archive', async () => {
    const archive = makeZip(makeAll('MapInfo File', 'cities.tab', '-select', 'size,day,rank'))
    expect(await datatypesOf('cities.zip', archive)).toEqual({ size: 'REAL', day: 'DATE', rank: 'INTEGER' })
  })

  test('an Excel table with columns lon and lat', async () => {
    writeFileSync(join(folder, 'table.csv'), 'name,lon,lat,size,rank\nA,1.5,2,0.5,1\nB,2.5,3,1.5,2\n')
    const table = join(folder, 'table.xlsx')
    execFileSync('ogr2ogr', ['-f', 'XLSX', table, join(folder, 'table.csv'), '-oo', 'AUTODETECT_TYPE=YES'])
    const fields = await datatypesOf('table.xlsx', readFileSync(table))
    expect(fields).toEqual({ name: 'STRING', size: 'REAL', rank: 'INTEGER' })
  })

  test.each([
    ['Excel', 'xlsx'],
    ['OpenDocument', 'ods'],
  ])('an unnamed or misnamed %s table', async (format, extension) => {
    const source = join(folder, `unnamed-${extension}.csv`)
    writeFileSync(source, 'name,lon,lat\nA,1.5,2\nB,2.5,3\n')
    const table = join(folder, `unnamed.${extension}`)
    execFileSync('ogr2ogr', ['-f', extension.toUpperCase(), table, source])
    for (const name of ['', 'Places 1.5', 'places.zip'])
      expect(await datatypesOf(name, readFileSync(table)), format).toEqual({ name: 'STRING' })
  })

  test('an Excel table, reporting cells that are not coordinates', async () => {
    writeFileSync(join(folder, 'wrong.csv'), 'name,lon,lat\nA,1.5,2\nB,east,3\nC,,4\nD,"4,5",5\n')
    const table = join(folder, 'wrong.xlsx')
    execFileSync('ogr2ogr', ['-f', 'XLSX', table, join(folder, 'wrong.csv')])
    await expect(readFileAs('wrong.xlsx', readFileSync(table))).rejects.toMatchObject({
      detail:
        '- feature 2: lon: "east" is not a number\n- feature 3: field lon is empty\n- feature 4: lon: "4,5" is not a number',
    })
  })

  test('CSV with columns lon and lat and any separator', async () => {
    const semicolons = Buffer.from('name;lon;lat;code\nA;10.5;1;01\nB;11;2;X\n')
    for (const name of ['places.csv', '', 'Places 1.5'])
      expect(await datatypesOf(name, semicolons)).toEqual({ name: 'STRING', code: 'STRING' })
  })
})

describe('a Shapefile in an archive', () => {
  const shapefile = () =>
    makeAll('ESRI Shapefile', 'cities.shp', '-lco', 'ENCODING=CP1251', '-select', 'name,rank')
  const without = (...extensions: string[]) =>
    makeZip(shapefile().filter(({ name }) => !extensions.some((extension) => name.endsWith(extension))))

  test('is read in the encoding of its .cpg file', async () => {
    const { summary } = await readFileAs('cities.zip', without())
    expect(summary).toMatchObject({ format: 'ESRI Shapefile', layer: 'cities', rowCount: 2 })
  })

  test('is read in the requested encoding if it declares none', async () => {
    expect(
      (await readFileAs('cities.zip', without('.cpg'), { encoding: 'windows-1251' })).summary.rowCount,
    ).toBe(2)
  })

  test('is read in the requested encoding if its .cpg file is wrong', async () => {
    const files = shapefile().map((file) =>
      file.name.endsWith('.cpg') ? { ...file, content: 'UTF-8' } : file,
    )
    await expect(readFileAs('cities.zip', makeZip(files))).rejects.toMatchObject({
      code: 'source/bad-features',
    })
    const { summary } = await readFileAs('cities.zip', makeZip(files), { encoding: 'cp1251' })
    expect(summary.rowCount).toBe(2)
    // Clients send UTF-8 by default.
    expect((await readFileAs('cities.zip', without(), { encoding: 'utf-8' })).summary.rowCount).toBe(2)
  })

  test('is rejected if its strings are not UTF-8 and no encoding is declared', async () => {
    await expect(readFileAs('cities.zip', without('.cpg'))).rejects.toMatchObject({
      code: 'source/bad-features',
      detail: expect.stringContaining('feature 1: the value of field name is not UTF-8'),
      hint: expect.stringContaining('source.encoding'),
    })
  })

  test('is rejected without its .prj file', async () => {
    await expect(readFileAs('cities.zip', without('.prj'))).rejects.toMatchObject({
      hint: expect.stringContaining('put its .prj file beside it, or into the archive'),
      code: 'source/no-srs',
      message: expect.stringContaining('"cities"'),
    })
  })

  test('can be in a folder of the archive, with other files', async () => {
    const entries = shapefile().map(({ name, content }) => ({ name: `data/${name}`, content }))
    const archive = makeZip([
      ...entries,
      { name: 'data/readme.txt', content: 'hello' },
      { name: 'data/._cities.shp', content: '' },
    ])
    expect((await readFileAs('cities.zip', archive)).summary.rowCount).toBe(2)
  })

  test('is selected from others in the archive by layer name', async () => {
    const towns = shapefile().map(({ name, content }) => ({ name: name.replace('cities', 'towns'), content }))
    const archive = makeZip([...shapefile(), ...towns])
    await expect(readFileAs('all.zip', archive)).rejects.toMatchObject({
      code: 'source/layers',
      data: { layers: ['cities', 'towns'] },
    })
    expect((await readFileAs('all.zip', archive, { layer: 'towns' })).summary.layer).toBe('towns')
    await expect(readFileAs('all.zip', archive, { layer: 'roads' })).rejects.toMatchObject({
      code: 'source/layers',
      message: expect.stringContaining('no layer "roads"; its layers are cities, towns'),
    })
  })
})

describe('a table', () => {
  test('is read in the requested encoding', async () => {
    const content = Buffer.from([
      ...Buffer.from('name,lon,lat\n'),
      0xcc,
      0xee,
      0xf1,
      ...Buffer.from(',1,2\n'),
    ])
    expect((await readFileAs('places.csv', content, { encoding: 'cp1251' })).summary.rowCount).toBe(1)
    await expect(readFileAs('places.csv', content)).rejects.toMatchObject({ code: 'source/bad-features' })
    await expect(readFileAs('places.csv', content, { encoding: 'klingon' })).rejects.toMatchObject({
      code: 'request/invalid',
      message: expect.stringContaining('klingon'),
    })
  })

  test('with x and y is assumed to have longitude and latitude if possible, with a note', async () => {
    const { summary } = await readFileAs('places.csv', 'x,y\n50,60\n')
    expect(summary.notes).toEqual([expect.stringContaining('EPSG:4326')])
    await expect(readFileAs('places.csv', 'x,y\n500000,6000000\n')).rejects.toMatchObject({
      code: 'source/no-srs',
    })
  })

  test('with x and y has the reference system of its .prj file, in upper or lower case', async () => {
    const prj = execFileSync('gdalsrsinfo', ['-o', 'wkt1', 'EPSG:3857'])
    const archive = makeZip([
      { name: 'places.csv', content: 'x,y\n500000,6000000\n' },
      { name: 'PLACES.PRJ', content: prj },
    ])
    expect((await readFileAs('places.zip', archive)).summary).toMatchObject({ rowCount: 1, notes: [] })
  })

  test('with WKT gets its geometries', async () => {
    const { summary } = await readFileAs(
      'places.csv',
      'name,wkt\nA,"LINESTRING(0 0,1 1)"\nB,"MULTILINESTRING((0 0,1 1))"\n',
    )
    expect(summary).toMatchObject({ geometryType: 'MULTILINESTRING', rowCount: 2 })
  })

  test('keeps leading zeros, plus signs and digits beyond the precision of numbers', async () => {
    const header = 'code,phone,long,mixed,size,zone,day,note,lon,lat'
    const first = '007,+7495,99999999999999999999,9007199254740993,1e5,2020-01-02T10:00Z,2020-01-02,,1,2'
    const second = '010,-1,1,1.5,2,2020-01-02 11:00,2020-02-29,  ,1,2'
    const { summary } = await readFileAs('places.csv', `${header}\n${first}\n${second}\n`)
    expect(Object.fromEntries(summary.fields.map((field) => [field.name, field.datatype]))).toEqual({
      code: 'STRING',
      phone: 'STRING',
      long: 'STRING',
      mixed: 'STRING',
      size: 'REAL',
      zone: 'DATETIME',
      day: 'DATE',
      note: 'STRING',
    })
  })

  test('is rejected if a row has surplus cells that are not empty', async () => {
    expect((await readFileAs('places.csv', 'name,lon,lat\nA,1,2,,\n')).summary.rowCount).toBe(1)
    await expect(readFileAs('places.csv', 'name,lon,lat\nA,1,2\nB, C,3,4\n')).rejects.toMatchObject({
      detail: '- feature 2: lon: "C" is not a number',
    })
    await expect(readFileAs('places.csv', 'lon,lat,name\n1,2,A\n3,4,B, C\n')).rejects.toMatchObject({
      detail: '- feature 2: its row has more cells than the table has columns',
    })
  })

  test('keeps codes with letters after the first megabyte', async () => {
    const rows = Array.from({ length: 90_000 }, (_, index) => `${index},1,2`).join('\n')
    const { summary } = await readFileAs('places.csv', `code,lon,lat\n${rows}\nABC,1,2\n`)
    expect(summary).toMatchObject({ fields: [{ name: 'code', datatype: 'STRING' }], rowCount: 90_001 })
  })

  test('without coordinate columns is rejected, listing its columns', async () => {
    await expect(readFileAs('places.csv', 'name,code\nA,1\n')).rejects.toMatchObject({
      code: 'source/unreadable',
      message: expect.stringContaining('name, code'),
      hint: expect.stringContaining('lon and lat'),
    })
  })
})

test.each([
  ['CIRCULARSTRING', 'CIRCULARSTRING(0 0,1 1,2 0)', 'LINESTRING'],
  ['CURVEPOLYGON', 'CURVEPOLYGON(CIRCULARSTRING(0 0,1 1,2 0,1 -1,0 0))', 'POLYGON'],
  ['MULTISURFACE', 'MULTISURFACE(CURVEPOLYGON(CIRCULARSTRING(0 0,1 1,2 0,1 -1,0 0)))', 'MULTIPOLYGON'],
])('curves of type %s in a GeoPackage are converted to lines', async (type, wkt, geometryType) => {
  writeFileSync(join(folder, 'curves.csv'), `wkt,n\n"${wkt}",1\n`)
  const path = join(mkdtempSync(join(folder, 'curves-')), 'curves.gpkg')
  const options = ['-nlt', type, '-a_srs', 'EPSG:4326']
  execFileSync('ogr2ogr', ['-f', 'GPKG', path, join(folder, 'curves.csv'), ...options])
  const { summary, bytes } = await readFileAs('curves.gpkg', readFileSync(path))
  expect(summary).toMatchObject({ geometryType, rowCount: 1 })
  expect(bytes).toBeGreaterThan(16 * 40)
})

describe('unreadable files are rejected:', () => {
  test.each<[string, string, Uint8Array | string]>([
    ['an empty file', 'a.geojson', ''],
    ['random bytes', 'a.bin', Buffer.from([0, 1, 2, 3])],
    ['random bytes named .gpkg', 'a.gpkg', Buffer.from([0, 1, 2, 3])],
    ['broken JSON', 'a.geojson', '{"type": "FeatureCollection", "features": [{'],
    ['JSON of another kind', 'a.json', '{"hello": "world"}'],
    ['XML of another kind', 'a.gml', '<?xml version="1.0"?><hello/>'],
    ['a truncated GeoPackage', 'a.gpkg', 'SQLite format 3\0 and no more'],
    ['an archive without data', 'a.zip', makeZip([{ name: 'readme.txt', content: 'hello' }])],
    ['a virtual data set, which could refer to any file', 'a.vrt', '<OGRVRTDataSource></OGRVRTDataSource>'],
  ])('%s', async (_, name, content) => {
    await expect(readFileAs(name, content)).rejects.toMatchObject({
      code: 'source/unreadable',
      message: expect.not.stringContaining('Error opening dataset'),
    })
  })
})
