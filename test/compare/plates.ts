import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Issue } from '../../src/core/issue.ts'
import { encodePng } from '../../src/render/raster/png.ts'
import { createSurface } from '../../src/render/raster/surface.ts'
import type { Style } from '../../src/style/style_model.ts'
import { type GalleryData, geojsonOf } from '../support/gallery/gallery_data.ts'
import { drawPlate } from '../support/gallery/gallery_job.ts'
import {
  compareRgb,
  type Difference,
  differenceImage,
  type RgbImage,
  readRgb,
  rgbOf,
} from '../support/gallery/image_difference.ts'

/** A style over data, to be drawn by another program and by us. */
export interface Plate {
  /** Name of the style, and of its reference image. */
  readonly name: string
  readonly group: string
  readonly data: GalleryData
  readonly background: readonly [red: number, green: number, blue: number]
  /** Side of the blocks whose means are compared, in pixels. */
  readonly blockSize: number
  readonly style: Style
  readonly issues: readonly Issue[]
}

/** A plate that both have drawn. */
export interface ComparedPlate extends Plate {
  readonly difference: Difference
  /** Paths of the images, from the folder of the page. */
  readonly images: { readonly theirs: string; readonly ours: string; readonly difference: string }
}

/** Name of the files of a plate. */
export const fileOf = ({ name, data }: Pick<Plate, 'name' | 'data'>) => `${name}.${data.name}`

/** Writes the features of all plates as GeoJSON into a folder. */
export async function writeData(folder: string, plates: readonly Plate[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  const data = new Map(plates.map((plate) => [plate.data.name, plate.data]))
  for (const [name, one] of data) await writeFile(join(folder, `${name}.geojson`), geojsonOf(one))
}

/** Draws a plate, and compares it with the image `theirs` of the other program. */
export async function comparePlate(folder: string, plate: Plate, theirs: string): Promise<ComparedPlate> {
  const surface = await drawPlate(plate)
  const images = { theirs, ours: `${fileOf(plate)}.ours.png`, difference: `${fileOf(plate)}.difference.png` }
  const [reference, ours] = [await readRgb(join(folder, theirs)), rgbOf(surface)]
  await writeFile(join(folder, images.ours), encodePng(surface))
  await writeFile(join(folder, images.difference), encodeRgb(differenceImage(reference, ours)))
  return { ...plate, images, difference: compareRgb(reference, ours, plate) }
}

function encodeRgb({ width, height, bytes }: RgbImage): Buffer {
  const surface = createSurface(width, height)
  for (let at = 0; at < width * height; at += 1)
    surface.bytes.set([...bytes.subarray(3 * at, 3 * at + 3), 255], 4 * at)
  return encodePng(surface)
}
