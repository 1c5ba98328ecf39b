import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readQml } from '../../src/style/qml/qml_read.ts'
import { gallery } from '../support/gallery/gallery.ts'
import { smallData } from '../support/gallery/gallery_data.ts'
import { drawPlate } from '../support/gallery/gallery_job.ts'
import { compareRgb, type Difference, readRgb, rgbOf } from '../support/gallery/image_difference.ts'

const folder = new URL('../fixtures/gallery/', import.meta.url)

/** Version of QGIS that drew the reference images, and the largest accepted difference of each. */
interface Manifest {
  readonly qgis: string
  readonly images: Readonly<Record<string, Difference>>
}

const manifest = JSON.parse(readFileSync(new URL('qgis.json', folder), 'utf8')) as Manifest

test('every style of the gallery has a reference image, and every reference image a style', () => {
  expect(gallery.map(({ name }) => name).toSorted()).toEqual(Object.keys(manifest.images).toSorted())
})

test.each(gallery)('$name is drawn as by QGIS, within its tolerance', async (entry) => {
  const { name, qml, family, background = [255, 255, 255], blockSize = 1 } = entry
  const { style, issues } = readQml(qml)
  expect(issues).toEqual([])
  if (style === undefined) throw new Error(`${name} has no style`)
  const ours = rgbOf(await drawPlate({ data: smallData(family), style, background }))
  const reference = await readRgb(readFileSync(new URL(`${name}.png`, folder)))
  const difference = compareRgb(reference, ours, { background, blockSize })
  const most = manifest.images[name]
  expect(difference.share).toBeLessThanOrEqual(most?.share ?? 0)
  expect(difference.mean).toBeLessThanOrEqual(most?.mean ?? 0)
})
