import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { cellsOfCity, cityColumns, citySource, csvLine } from './cities.ts'

/** Fields of the cities, as a layer has them; the coordinates become the geometry. */
export const cityFields = [
  { keyname: 'geonameid', datatype: 'INTEGER' },
  { keyname: 'name', datatype: 'STRING' },
  { keyname: 'asciiname', datatype: 'STRING' },
  { keyname: 'alternatenames', datatype: 'STRING' },
  { keyname: 'feature_class', datatype: 'STRING' },
  { keyname: 'feature_code', datatype: 'STRING' },
  { keyname: 'country_code', datatype: 'STRING' },
  { keyname: 'cc2', datatype: 'STRING' },
  { keyname: 'admin1', datatype: 'STRING' },
  { keyname: 'admin2', datatype: 'STRING' },
  { keyname: 'admin3', datatype: 'STRING' },
  { keyname: 'admin4', datatype: 'STRING' },
  { keyname: 'population', datatype: 'BIGINT' },
  { keyname: 'elevation', datatype: 'INTEGER' },
  { keyname: 'dem', datatype: 'REAL' },
  { keyname: 'timezone', datatype: 'STRING' },
  { keyname: 'modification_date', datatype: 'DATE' },
] as const

/** Ways in which a row is bad: cells by column, or what follows upon the last one. */
const faults: readonly Readonly<Record<string, string>>[] = [
  { population: 'unknown' },
  { population: '12,5' },
  { population: '99999999999999999999' },
  { population: '1200 people' },
  { elevation: '3000000000' },
  { elevation: '12.5' },
  { dem: 'n/a' },
  { dem: '1e400' },
  { modification_date: 'yesterday' },
  { modification_date: '2019-02-30' },
  { modification_date: '14.05.2019' },
  { latitude: 'north' },
  { latitude: '95' },
  { longitude: '' },
  { longitude: '', latitude: '' },
  { longitude: '12°30′' },
  { beyond: 'one cell too many' },
]

/** Every how many rows one is bad. */
const badEvery = 100

/** Writes the cities as a table of which one row in a hundred is bad; gives the ids of those. */
export async function writeBadCities(path: string): Promise<ReadonlySet<number>> {
  const bad = new Set<number>()
  await pipeline(() => rowsOf(bad), createWriteStream(path))
  return bad
}

async function* rowsOf(bad: Set<number>): AsyncGenerator<string> {
  yield csvLine(cityColumns)
  let row = 0
  for await (const line of createInterface({ input: createReadStream(citySource) })) {
    row += 1
    const cells = cellsOfCity(line)
    const fault = row % badEvery === 0 ? faults[(row / badEvery) % faults.length] : undefined
    if (fault === undefined) {
      yield csvLine(cells)
      continue
    }
    bad.add(Number(cells[0]))
    const { beyond, ...wrong } = fault
    const broken = cells.map((cell, at) => wrong[cityColumns[at] ?? ''] ?? cell)
    yield csvLine(beyond === undefined ? broken : [...broken, beyond])
  }
}
