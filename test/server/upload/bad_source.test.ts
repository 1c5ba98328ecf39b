import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listFeatureTables } from '../../support/import.ts'
import { type LayerClient, openLayerClient } from '../../support/layer_client.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { makeShapefile } from '../../support/shapefile.ts'
import { findUnreferencedFiles } from '../../support/unreferenced_files.ts'
import { geojson, point, polygon } from '../../support/vector.ts'
import { makeZip, type ZipEntry } from '../../support/zip.ts'

const utf8 = makeShapefile('UTF-8')
const cp1251 = makeShapefile('CP1251')

type Change = (content: Buffer) => Buffer | string

/** An archive of files of which one is another, or none. */
function archive(files: readonly ZipEntry[], extension: string, change?: Change): Buffer {
  const isMeant = ({ name }: ZipEntry) => name.endsWith(extension)
  const kept = change === undefined ? files.filter((file) => !isMeant(file)) : files
  return makeZip(
    kept.map((file) =>
      isMeant(file) && change !== undefined ? { ...file, content: change(file.content as Buffer) } : file,
    ),
  )
}

/** An archive that says another check sum of its first file, in both places where it says one. */
function withWrongSum(zip: Buffer, name: string): Buffer {
  const wrong = Buffer.from(zip)
  for (const at of [wrong.indexOf(name) - 16, wrong.lastIndexOf(name) - 30]) wrong.writeUInt32LE(7, at)
  return wrong
}

const whole = makeZip(utf8)
const cut = (bytes: number) => (content: Buffer) => content.subarray(0, content.length - bytes)
const pointAt = (x: number | string, y: number | string) =>
  geojson([{ geometry: point(1, 2) }, { geometry: { type: 'Point', coordinates: [-77, -88] } }])
    .replace('-77', String(x))
    .replace('-88', String(y))
const shape = (geometry: object) => geojson([{ geometry: point(1, 2) }, { geometry }])
const property = (a: unknown) => geojson([{ geometry: point(1, 2), properties: { a } }])
const numbers = (...cells: string[]) => `n,lon,lat\n1,1,2\n${cells.map((cell) => `${cell},1,2\n`).join('')}`
const wide = Array.from({ length: 1700 }, (_, index) => `c${index}`).join(',')
const byNumber = { fid_source: 'FIELD', fid_field: 'n' }
const cast = { cast_geometry_type: 'POINT' }

type Bad = [what: string, name: string, content: Buffer | string, words: string, options?: object]

const archives: readonly Bad[] = [
  ['an archive that ends early', 'a.zip', whole.subarray(0, whole.length / 2), 'truncated'],
  ['an archive with a wrong check sum', 'a.zip', withWrongSum(whole, utf8[0]?.name ?? ''), 'is damaged'],
  [
    'an archive in an archive',
    'a.zip',
    makeZip([{ name: 'b.zip', content: whole }]),
    'has no file of a supported',
  ],
  ['two Shapefiles', 'a.zip', makeZip([...utf8, ...renamed(utf8)]), 'has 2 layers: towns, villages'],
  ['a Shapefile without .shx', 'a.zip', archive(utf8, '.shx'), 'lacks .shx'],
  ['a Shapefile without .dbf', 'a.zip', archive(utf8, '.dbf'), 'lacks .dbf'],
  ['a Shapefile without .prj', 'a.zip', archive(utf8, '.prj'), 'no reference system'],
  ['a Shapefile with nonsense in .prj', 'a.zip', archive(utf8, '.prj', () => 'hello'), 'no reference system'],
  ['a .shp that ends early', 'a.zip', archive(utf8, '.shp', cut(20)), 'feature 2: it has no geometry'],
  ['a .dbf that ends early', 'a.zip', archive(utf8, '.dbf', cut(90)), 'of 2 features can be read'],
  ['a .shp alone', 'a.shp', utf8.find(({ name }) => name.endsWith('.shp'))?.content as Buffer, 'lacks .shx'],
  ['a picture called Shapefile', 'a.shp', Buffer.from('89504e470d0a1a0a', 'hex'), 'lacks .shx'],
  ['a text called archive', 'a.zip', 'hello', 'its format is not supported'],
]

const texts: readonly Bad[] = [
  ['a .cpg that says UTF-8 of CP1251', 'a.zip', archive(cp1251, '.cpg', () => 'UTF-8'), 'is not UTF-8'],
  ['CP1251 of which nothing is said', 'a.zip', archive(cp1251, '.cpg'), 'is not UTF-8'],
  ['a table in UTF-16', 'a.csv', Buffer.from('\ufefflon,lat\n1,2\n', 'utf16le'), 'it has U+0000 at byte 4'],
  ['a quote that is never closed', 'a.csv', 'lon,lat,a\n1,2,"x\n3,4,y\n', 'it has an unclosed quote'],
  ['more cells than columns', 'a.csv', 'lon,lat,a\n1,2,x\n1,2,x,y\n', 'feature 2: its row has more cells'],
  [
    '30 February',
    'a.geojson',
    geojson([{ geometry: point(1, 2), properties: { d: '2019-02-30' } }]),
    'is not a valid DATE',
  ],
  ['U+0000 in a table', 'a.csv', 'lon,lat,a\n1,2,x\0y\n', 'it has U+0000 at byte 16'],
  ['U+0000 in GeoJSON', 'a.geojson', property('x\0y'), 'it has U+0000 at byte'],
  [
    'a whole number of more than 64 bits',
    'a.geojson',
    property(1).replace('1}', '9223372036854775808}'),
    'feature 1: the value of field a does not fit into 64 bits',
  ],
  ['more columns than a table has', 'a.csv', `lon,lat,${wide}\n1,2\n`, 'has 1700 fields'],
]

const shapes: readonly Bad[] = [
  ['NaN', 'a.geojson', pointAt('NaN', 1), 'feature 2'],
  ['infinity', 'a.geojson', pointAt('Infinity', 1), 'feature 2'],
  ['coordinates without end', 'a.geojson', pointAt('1e300', 1), 'outside the bounds of the reference system'],
  ['a latitude above the pole', 'a.geojson', pointAt(0, 90.5), 'outside the bounds of the reference system'],
  ['a longitude twice around', 'a.geojson', pointAt(725, 0), 'outside the bounds of the reference system'],
  [
    'coordinates that are texts',
    'a.geojson',
    pointAt('"east"', 0),
    'feature 2: a coordinate is not a number: "east"',
  ],
  [
    'a line among points',
    'a.geojson',
    shape({
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    }),
    'not a POINT',
    cast,
  ],
  ['an empty geometry', 'a.geojson', shape({ type: 'MultiPoint', coordinates: [] }), 'it has no geometry'],
  [
    'a type that there is not',
    'a.geojson',
    shape({ type: 'Blob', coordinates: [1, 2] }),
    'it has no geometry',
  ],
  [
    'a collection',
    'a.geojson',
    shape({ type: 'GeometryCollection', geometries: [point(1, 2)] }),
    'a collection',
    cast,
  ],
  [
    'a ring of two positions',
    'a.geojson',
    geojson([
      {
        geometry: polygon([
          [0, 0],
          [1, 1],
        ]),
      },
    ]),
    'not closed',
  ],
  [
    'polygons for a layer of points',
    'a.geojson',
    geojson([
      {
        geometry: polygon([
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ]),
      },
    ]),
    'the layer has geometry type POINT',
  ],
  ['a curve that nothing declares', 'a.csv', 'wkt,n\n"CIRCULARSTRING(0 0,1 1,2 0)",1\n', 'it is a curve'],
  [
    'text that is no geometry',
    'a.csv',
    'wkt,n\nPOINT(1 2),1\nhello,2\n',
    'feature 2: wkt: "hello" is not a valid geometry',
  ],
  ['no features at all', 'a.geojson', geojson([]), 'has no features'],
]

const ids: readonly Bad[] = [
  ['an id twice', 'a.csv', numbers('5', '5'), 'not unique: 5 (2 times)', byNumber],
  ['no id', 'a.csv', numbers(''), 'feature 2', byNumber],
  [
    'a fraction for an id',
    'a.csv',
    numbers('1.5'),
    'feature 2: the value of field n is not an integer',
    byNumber,
  ],
  ['a text for an id', 'a.csv', numbers('x'), 'feature 2: the value of field n is not an integer', byNumber],
  ['an id of more than 32 bits', 'a.csv', numbers('3000000000'), 'does not fit into 32 bits', byNumber],
  ['a field for ids that is not there', 'a.csv', numbers(), 'no field m', { ...byNumber, fid_field: 'm' }],
]

function renamed(files: readonly ZipEntry[]): ZipEntry[] {
  return files.map((file) => ({ ...file, name: file.name.replace('towns', 'villages') }))
}

describe('replacing features leaves the layer unchanged, and nothing behind, if the source is', () => {
  let server: TestServer
  let client: LayerClient
  let id: number

  const look = async () => ({
    layer: await client.get(id),
    features: await client.features(id),
    tables: await listFeatureTables(server.database),
    lost: await findUnreferencedFiles(server),
  })

  beforeAll(async () => {
    server = await startTestServer('postgres')
    client = openLayerClient(server)
    const source = await client.upload(
      'a.geojson',
      geojson([{ geometry: point(1, 2), properties: { a: 'x' } }]),
    )
    id = await client.create({ srs: { id: 3857 }, source })
    expect(await look()).toMatchObject({ lost: [] })
  })
  afterAll(() => server.stop())

  test.each<Bad>([...archives, ...texts, ...shapes, ...ids])(
    '%s',
    async (_, name, content, words, options = {}) => {
      const source = await client.upload(name, content)
      const before = await look()
      const { status, message, detail } = await client.refuse('PUT', `/api/resource/${id}`, {
        vector_layer: { source, ...options },
      })
      expect(status, message).toBe(422)
      expect(`${message}\n${detail}`).toContain(words)
      expect(await look()).toEqual(before)
    },
  )
})
