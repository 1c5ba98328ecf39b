/**
 * Draws the gallery of styles with QGIS and with our renderer, and writes a page with both and their difference.
 * `npm run compare:qgis` draws all; `npm run compare:qgis -- line_offset` only the entries whose names contain a word.
 * With `--update`, the images of QGIS become the reference images of the tests.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gallery } from '../support/gallery/gallery.ts'
import { worldData } from '../support/gallery/world_data.ts'
import { percent, printPage, summarize } from './page.ts'
import { comparePlate, writeData } from './plates.ts'
import { drawWithQgis, platesOf, qgisImage } from './run_qgis.ts'
import { updateReferences } from './update_references.ts'

const folder = fileURLToPath(new URL('../../.cache/compare/', import.meta.url))

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const entries = gallery.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
const world = worldData()
const plates = entries.flatMap((entry) => platesOf(entry, world))
await writeData(folder, plates)
const version = await drawWithQgis(folder, plates)
const compared = []
for (const plate of plates) compared.push(await comparePlate(folder, plate, qgisImage(plate)))

for (const { name, data, difference, issues } of compared.toSorted(
  (a, b) => b.difference.share - a.difference.share,
))
  console.log(
    `${name.padEnd(34)} ${data.name.padEnd(18)} ${percent(difference.share).padStart(8)} ${difference.mean.toFixed(2).padStart(7)} ${issues.map(({ message }) => message).join('; ')}`,
  )
for (const { group, count, share, worst } of summarize(compared))
  console.log(`${group}: ${count} images, off ${percent(share)} (median), ${percent(worst)} (most)`)

if (process.argv.includes('--update') && words.length === 0) await updateReferences(folder, version, compared)
const page = join(folder, 'index.html')
await writeFile(page, printPage([{ program: `QGIS ${version}`, plates: compared }]))
console.log(page)
