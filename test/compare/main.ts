/**
 * Draws the gallery of styles with QGIS, MapServer and our renderer, and writes a page with the images and their differences.
 * `npm run compare:qgis` draws all; `npm run compare:qgis -- line_offset` only the entries whose names contain a word.
 * With `--update`, the images of QGIS become the reference images of the tests.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gallery } from '../support/gallery/gallery.ts'
import { mapserverEntries } from '../support/gallery/mapserver_entries.ts'
import { worldData } from '../support/gallery/world_data.ts'
import { drawWithMapserver } from '../support/mapserver_image.ts'
import { percent, printPage, summarize } from './page.ts'
import { type ComparedPlate, comparePlate, writeData } from './plates.ts'
import { mapserverPlatesOf, mapserverVersion } from './run_mapserver.ts'
import { drawWithQgis, platesOf, qgisImage } from './run_qgis.ts'
import { updateReferences } from './update_references.ts'

const folder = fileURLToPath(new URL('../../.cache/compare/', import.meta.url))

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const isWanted = ({ name }: { readonly name: string }) =>
  words.length === 0 || words.some((word) => name.includes(word))

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const world = worldData()

async function compareQgis(): Promise<{ readonly version: string; readonly plates: ComparedPlate[] }> {
  const plates = gallery.filter(isWanted).flatMap((entry) => platesOf(entry, world))
  await writeData(folder, plates)
  const version = await drawWithQgis(folder, plates)
  const compared = []
  for (const plate of plates) compared.push(await comparePlate(folder, plate, qgisImage(plate)))
  return { version, plates: compared }
}

async function compareMapserver(): Promise<ComparedPlate[]> {
  const plates = mapserverEntries.filter(isWanted).flatMap((entry) => mapserverPlatesOf(entry, world))
  await writeData(folder, plates)
  const compared = []
  for (const plate of plates) {
    const theirs = await drawWithMapserver(folder, plate.entry, plate.data)
    compared.push(await comparePlate(folder, plate, theirs))
  }
  return compared
}

function print(plates: readonly ComparedPlate[]): void {
  for (const { name, data, difference } of plates.toSorted((a, b) => b.difference.share - a.difference.share))
    console.log(
      `${name.padEnd(34)} ${data.name.padEnd(18)} ${percent(difference.share).padStart(8)} ${difference.mean.toFixed(2).padStart(7)}`,
    )
  for (const { group, count, share, worst } of summarize(plates))
    console.log(`${group}: ${count} images, off ${percent(share)} (median), ${percent(worst)} (most)`)
}

const qgis = await compareQgis()
const mapserver = await compareMapserver()
print(qgis.plates)
print(mapserver)
if (process.argv.includes('--update')) await updateReferences(folder, qgis.version, qgis.plates)
const page = join(folder, 'index.html')
const parts = [
  { program: `QGIS ${qgis.version}`, plates: qgis.plates },
  { program: `MapServer ${mapserverVersion()}`, plates: mapserver },
]
await writeFile(page, printPage(parts))
console.log(page)
