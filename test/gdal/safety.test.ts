import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readVector } from '../../src/gdal/read_vector.ts'
import { openTrap } from '../support/trap.ts'
import { discardRows, geojson, plainRules, point, readFileAs } from '../support/vector.ts'
import { makeZip } from '../support/zip.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'landform-safety-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

test('no file makes GDAL access the network', async () => {
  const { address, requests, close } = await openTrap()
  const gml = `<?xml version="1.0"?>
    <!DOCTYPE x [<!ENTITY far SYSTEM "${address}/entity">]>
    <ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml"
      xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
      xsi:schemaLocation="http://ogr.maptools.org/ ${address}/schema.xsd">
      <gml:featureMember><ogr:place gml:id="a"><ogr:shape><gml:Point srsName="${address}/srs">
        <gml:coordinates>1,2</gml:coordinates></gml:Point></ogr:shape>
        <ogr:other xlink:href="${address}/feature#b"/></ogr:place></gml:featureMember>
    </ogr:FeatureCollection>`
  const kml = `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>
    <NetworkLink><Link><href>${address}/link.kml</href></Link></NetworkLink>
    <Placemark><styleUrl>${address}/style.kml#a</styleUrl><Point><coordinates>1,2</coordinates></Point></Placemark>
    </Document></kml>`
  const crs = { type: 'link', properties: { href: `${address}/crs`, type: 'ogcwkt' } }
  const json = JSON.stringify({ ...JSON.parse(geojson([{ geometry: point(1, 2) }])), crs })
  await Promise.allSettled([
    readFileAs('a.gml', gml),
    readFileAs('a.kml', kml),
    readFileAs('a.geojson', json),
  ])
  close()
  expect(requests).toEqual([])
})

test('a MapInfo table that refers to other files is rejected', async () => {
  execFileSync('ogr2ogr', ['-f', 'MapInfo File', join(folder, 'a.tab'), '/vsistdin/'], {
    input: geojson([{ geometry: point(1, 2), properties: { name: 'A' } }]),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const files = readdirSync(folder).map((name) => ({ name, content: readFileSync(join(folder, name)) }))
  const metadata = 'begin_metadata\n"\\IsSeamless" = "TRUE"\nend_metadata\n'
  const seamless = files.map(({ name, content }) =>
    name.endsWith('.tab') ? { name, content: content + metadata } : { name, content },
  )
  expect((await readFileAs('a.zip', makeZip(files))).summary.rowCount).toBe(1)
  await expect(readFileAs('a.zip', makeZip(seamless))).rejects.toMatchObject({
    code: 'source/unreadable',
    message: expect.stringContaining('refers to other files'),
  })
})

test('reading a GeoPackage with a write-ahead log does not change it or create other files', async () => {
  const path = join(folder, 'blob')
  execFileSync('ogr2ogr', ['-f', 'GPKG', path, '/vsistdin/'], {
    input: geojson([{ geometry: point(1, 2), properties: { name: 'A' } }]),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; create table notes (text text)')
  database.close()
  const before = readFileSync(path)
  const job = join(folder, 'job')
  mkdirSync(job)
  const wishes = { encoding: undefined, layer: undefined, wanted: undefined, srs: 3857 }
  const limits = { unpackLimitBytes: 1 << 30, pieceBytes: 1 << 20 }
  const order = { ...plainRules, ...wishes, ...limits, path, name: 'a.gpkg', folder: job }
  const { rowCount } = await readVector(order, discardRows)
  expect(rowCount).toBe(1)
  rmSync(job, { recursive: true })
  expect(readdirSync(folder)).toEqual(['blob'])
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a file name cannot escape the folder of the job', async () => {
  const content = geojson([{ geometry: point(1, 2) }])
  for (const name of [
    '../../../tmp/a.geojson',
    '/etc/passwd',
    '..',
    'a\0b.geojson',
    '-f.geojson',
    'x'.repeat(5000),
  ]) {
    expect((await readFileAs(name, content)).summary.rowCount).toBe(1)
  }
})

test('a layer name that looks like an option is accepted', async () => {
  writeFileSync(join(folder, 'a.geojson'), geojson([{ geometry: point(1, 2), properties: { name: 'A' } }]))
  const target = join(folder, 'a.gpkg')
  execFileSync('ogr2ogr', ['-f', 'GPKG', target, join(folder, 'a.geojson')])
  const database = new DatabaseSync(target)
  database.exec('update gpkg_contents set identifier = table_name')
  database.close()
  execFileSync('ogrinfo', [target, '-sql', 'alter table a rename to "-sql"'], { stdio: 'ignore' })
  const { summary } = await readFileAs('a.gpkg', readFileSync(target))
  expect(summary).toMatchObject({
    layer: '-sql',
    rowCount: 1,
    fields: [{ name: 'name', datatype: 'STRING' }],
  })
})
