import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type LayerClient, openLayerClient } from '../../support/layer_client.ts'
import { onlyNew } from '../../support/only_new.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { findUnreferencedFiles } from '../../support/unreferenced_files.ts'
import { geojson, point } from '../../support/vector.ts'
import { makeZip } from '../../support/zip.ts'

const mif = `Version 450
Charset "Neutral"
Delimiter ","
CoordSys Earth Projection 1, 104
Columns 6
  name Char(20)
  size Integer
  width Float
  day Date
  hour Time
  moment DateTime
Data

Point 37 55
    Symbol (35,0,12)
Point 38 56
    Symbol (35,0,12)
`
const mid = `"Moscow, M",1,0.5,20200102,030405000,20200102030405000
"Tver",,1e3,,,
`
const pair = (geometries: Buffer | string, rows: Buffer | string) =>
  makeZip([
    { name: 'a.mif', content: geometries },
    { name: 'A.MID', content: rows },
  ])

/** Makes the files of a MapInfo table of points. */
function makeTable(count: number): ReadonlyMap<string, Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'landform-tab-'))
  try {
    const input = geojson(
      Array.from({ length: count }, (_, n) => ({ geometry: point(n / 10, n / 10), properties: { n } })),
    )
    execFileSync('ogr2ogr', ['-f', 'MapInfo File', join(folder, 'a.tab'), '/vsistdin/'], { input })
    return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const table = makeTable(3)
/** The table with one of its files cut, or without it. */
const tableWith = (changed: string, keep?: (size: number) => number) =>
  makeZip(
    [...table].flatMap(([name, content]) => {
      if (name !== changed) return [{ name, content }]
      return keep === undefined ? [] : [{ name, content: content.subarray(0, keep(content.length)) }]
    }),
  )
const half = (size: number) => size / 2
const latin = (text: string) => Buffer.from(text, 'latin1')

let server: TestServer
let client: LayerClient
beforeAll(async () => {
  server = await startTestServer('postgres')
  client = openLayerClient(server)
})
const findNewFiles = onlyNew(() => findUnreferencedFiles(server))
afterEach(async () => expect(await findNewFiles()).toEqual([]))
afterAll(() => server.stop())

test('MIF is loaded with all values, and an empty cell is null', async () => {
  const source = await client.upload('a.zip', pair(mif, mid))
  const layer = await client.create({ source, srs: { id: 3857 } })
  expect((await client.get(layer)).feature_layer.fields.map(({ datatype }) => datatype)).toEqual([
    ...['STRING', 'INTEGER', 'REAL', 'DATE', 'TIME', 'DATETIME'],
  ])
  expect((await client.features(layer)).map(({ fields }) => fields)).toEqual([
    {
      name: 'Moscow, M',
      size: 1,
      width: 0.5,
      day: '2020-01-02',
      hour: '03:04:05',
      moment: '2020-01-02T03:04:05',
    },
    { name: 'Tver', size: null, width: 1000, day: null, hour: null, moment: null },
  ])
})

test('strings of MIF are read in the encoding of the request if the file declares none', async () => {
  const upload = await client.upload('a.zip', pair(mif, latin(mid.replace('Tver', 'Orl\u00e9ans'))))
  const layer = await client.create({ source: { ...upload, encoding: 'cp1252' }, srs: { id: 3857 } })
  expect((await client.features(layer))[1]?.fields.name).toBe('Orléans')
})

test('deleted rows of a TAB are not features', async () => {
  const files = makeTable(300)
  const rows = files.get('a.dat') ?? Buffer.alloc(0)
  const [start, size] = [rows.readUInt16LE(8), rows.readUInt16LE(10)]
  for (const deleted of [0, 255, 256, 290]) {
    rows[start + deleted * size] = '*'.charCodeAt(0)
    files.get('a.id')?.writeUInt32LE(0, 4 * deleted)
  }
  const source = await client.upload(
    'a.zip',
    makeZip([...files].map(([name, content]) => ({ name, content }))),
  )
  const layer = await client.create({ source, srs: { id: 3857 } })
  expect(await client.features(layer)).toHaveLength(296)
})

describe('MapInfo files are refused if', () => {
  const rows = (from: string, to: string) => pair(mif, mid.replace(from, to))
  const shapes = (from: string, to: string) => pair(mif.replace(from, to), mid)

  test.each<[what: string, name: string, content: Buffer | string, words: string]>([
    ['a MIF comes without its MID', 'a.mif', mif, 'lacks .mid'],
    [
      'a coordinate is a letter',
      'a.zip',
      shapes('38 56', '38 x'),
      'a coordinate is not a number in line 16: "Point 38 x"',
    ],
    [
      'a letter follows a coordinate',
      'a.zip',
      shapes('38 56', '38x 56'),
      'a coordinate is not a number in line 16',
    ],
    [
      'an object is of no kind',
      'a.zip',
      shapes('Point 38', 'Blob 38'),
      '2 rows, but its .mif file has 1 objects',
    ],
    ['a geometry is missing', 'a.zip', shapes('Point 38 56', 'NONE'), 'feature 2: it has no geometry'],
    ['it does not say where it is', 'a.zip', shapes('CoordSys', '#'), 'no reference system'],
    [
      'a MID has too few rows',
      'a.zip',
      pair(mif, mid.slice(0, mid.indexOf('"Tver'))),
      '1 rows, but its .mif file has 2 objects',
    ],
    ['a MID has too many rows', 'a.zip', pair(mif, mid + mid), '4 rows, but its .mif file has 2 objects'],
    [
      'a MID is cut in a row',
      'a.zip',
      pair(mif, mid.slice(0, -4)),
      'row 2 of its .mid file has 3 cells, not 6',
    ],
    [
      'a whole number is a word',
      'a.zip',
      rows(',1,', ',one,'),
      'feature 1: size: "one" is not a valid INTEGER',
    ],
    [
      'a whole number is too large',
      'a.zip',
      rows(',1,', ',99999999999,'),
      'size: "99999999999" is not a valid INTEGER',
    ],
    ['a number is a word', 'a.zip', rows('0.5', 'half'), 'feature 1: width: "half" is not a valid REAL'],
    [
      'a day is none',
      'a.zip',
      rows('20200102,', '20200230,'),
      'feature 1: day: "2020-02-30" is not a valid DATE',
    ],
    ['an hour is none', 'a.zip', rows('030405000', '250000000'), 'hour: "25:00:00.000" is not a valid TIME'],
    [
      'texts are no UTF-8',
      'a.zip',
      pair(mif, latin(mid.replace('Tver', 'Orl\u00e9ans'))),
      'name is not UTF-8',
    ],
    [
      'texts are UTF-8, and the Charset is another',
      'a.zip',
      pair(mif.replace('Neutral', 'WindowsCyrillic'), mid.replace('Tver', 'Тверь')),
      'its encoding is UTF-8, but its Charset is WindowsCyrillic',
    ],
    ['a TAB comes alone', 'a.tab', table.get('a.tab') ?? '', 'lacks .dat and .map and .id'],
    ['a TAB comes without its ID', 'a.zip', tableWith('a.id'), 'lacks .id'],
    ['a TAB is cut', 'a.zip', tableWith('a.tab', half), 'cannot be read'],
    [
      'a DAT is cut',
      'a.zip',
      tableWith('a.dat', (size) => size - 3),
      'it is truncated after 2 of 3 features',
    ],
    ['a DAT is empty', 'a.zip', tableWith('a.dat', () => 0), 'its .dat file has no columns'],
    ['a MAP is cut', 'a.zip', tableWith('a.map', half), '0 of 3 features can be read'],
    ['an ID is cut', 'a.zip', tableWith('a.id', half), 'it is truncated after 1 of 3 features'],
  ])('%s', async (_, name, content, words) => {
    const source = await client.upload(name, content)
    const { status, message, detail } = await client.refuse('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Refused' },
      vector_layer: { source, srs: { id: 3857 } },
    })
    expect(status, message).toBe(422)
    expect(`${message}\n${detail}`).toContain(words)
  })
})
