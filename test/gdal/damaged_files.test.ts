import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isProblem } from '../../src/core/problem.ts'
import { readFileAs } from '../support/vector.ts'
import { makeZip } from '../support/zip.ts'

const rowCount = 3000

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'landform-damaged-'))
  const rows = Array.from({ length: rowCount }, (_, row) => `${row % 180},${row % 80},name of row ${row}\n`)
  writeFileSync(join(folder, 'rows.csv'), `lon,lat,name\n${rows.join('')}`)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes the rows in another format with ogr2ogr; returns the content of all files it wrote. */
function writeRows(format: string, file: string, options: readonly string[]): Map<string, Buffer> {
  const target = mkdtempSync(join(folder, 'written-'))
  const source = ['-oo', 'X_POSSIBLE_NAMES=lon', '-oo', 'Y_POSSIBLE_NAMES=lat', '-a_srs', 'EPSG:4326']
  execFileSync(
    'ogr2ogr',
    ['-f', format, join(target, file), join(folder, 'rows.csv'), ...source, ...options],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  return new Map(readdirSync(target).map((name) => [name, readFileSync(join(target, name))]))
}

const middle = (bytes: Buffer) => Math.floor(bytes.length / 2)
const truncate = (bytes: Buffer) => bytes.subarray(0, middle(bytes))
const overwrite = (bytes: Buffer) => Buffer.from(bytes).fill(0xff, middle(bytes), middle(bytes) + 64)

/** Returns the number of rows that were loaded or reported as bad; undefined if the source was refused. */
async function countRows(files: ReadonlyMap<string, Buffer>, layer: string | undefined) {
  const [[name, content] = ['', Buffer.alloc(0)]] = files
  const pack = [...files].map(([file, bytes]) => ({ name: file, content: bytes }))
  const source = files.size === 1 ? ([name, content] as const) : (['rows.zip', makeZip(pack)] as const)
  try {
    const { summary } = await readFileAs(...source, { layer, skipErrors: true })
    return summary.rowCount + summary.badCount
  } catch (error) {
    if (isProblem(error) && error.code.startsWith('source/')) return undefined
    throw error
  }
}

describe.each([
  ['GPKG', 'a.gpkg'],
  ['ESRI Shapefile', 'a.shp'],
  ['FlatGeobuf', 'a.fgb'],
  ['KML', 'a.kml'],
  ['GML', 'a.gml'],
  ['GPX', 'a.gpx', 'waypoints', '-select', 'name'],
  ['MapInfo File', 'a.tab'],
  ['MapInfo File', 'a.mif'],
  ['XLSX', 'a.xlsx'],
  ['ODS', 'a.ods'],
  ['GeoJSON', 'a.geojson'],
  ['GeoJSONSeq', 'a.geojsonl'],
])('%s: %s', (format, file, layer?: string, ...options: string[]) => {
  test('loads, reports or refuses every row of a damaged file', async () => {
    const files = writeRows(format, file, options)
    expect(await countRows(files, layer)).toBe(rowCount)
    for (const damage of [truncate, overwrite]) {
      for (const [name, bytes] of files) {
        const count = await countRows(new Map([...files, [name, damage(bytes)]]), layer)
        expect([undefined, rowCount], `${damage.name} ${name}`).toContain(count)
      }
    }
  })
})
