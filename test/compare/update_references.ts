import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { smallData } from '../support/gallery/gallery_data.ts'
import type { Difference } from '../support/gallery/image_difference.ts'
import type { ComparedPlate } from './plates.ts'

const references = fileURLToPath(new URL('../fixtures/gallery/', import.meta.url))

/** Stores the images of the small geometries as references of the tests, with the differences that they accept. */
export async function updateReferences(
  folder: string,
  version: string,
  plates: readonly ComparedPlate[],
): Promise<void> {
  const small = plates.filter(({ data }) => data === smallData(data.family))
  const images: [name: string, accepted: Difference][] = []
  for (const { name, images: files, difference } of small) {
    const image = sharp(await readFile(join(folder, files.theirs))).removeAlpha()
    await writeFile(join(references, `${name}.png`), await image.png({ palette: true, dither: 0 }).toBuffer())
    images.push([name, acceptedOf(difference)])
  }
  const path = join(references, 'qgis.json')
  // Where only some styles are drawn, the others stay.
  const known = JSON.parse(await readFile(path, 'utf8')) as { images: Record<string, Difference> }
  const all = Object.entries({ ...known.images, ...Object.fromEntries(images) })
  const sorted = all.sort(([a], [b]) => (a < b ? -1 : 1))
  const manifest = { qgis: version, images: Object.fromEntries(sorted) }
  await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Accepts a little more than the measured difference: palettes and floating point numbers change pixels slightly. */
function acceptedOf({ share, mean }: Difference): Difference {
  const up = (value: number, digits: number) => Math.ceil(value * 10 ** digits) / 10 ** digits
  return { share: up(share * 1.05 + 0.001, 3), mean: up(mean * 1.05 + 0.3, 1) }
}
