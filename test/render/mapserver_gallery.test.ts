import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readMapserverXml } from '../../src/style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../src/style/mapserver/mapserver_style.ts'
import { geojsonOf, smallData } from '../support/gallery/gallery_data.ts'
import { drawPlate } from '../support/gallery/gallery_job.ts'
import { compareRgb, readRgb, rgbOf } from '../support/gallery/image_difference.ts'
import { mapserverEntries, shapeDefinitions } from '../support/gallery/mapserver_entries.ts'
import { drawWithMapserver } from '../support/mapserver_image.ts'

const folder = mkdtempSync(join(tmpdir(), 'landform-gallery-'))
afterAll(() => rmSync(folder, { recursive: true }))

for (const family of ['POINT', 'LINESTRING', 'POLYGON'] as const) {
  const data = smallData(family)
  writeFileSync(join(folder, `${data.name}.geojson`), geojsonOf(data))
}

test.each(mapserverEntries)('$name is drawn as by MapServer, within its tolerance', async (entry) => {
  const { family, layer, blockSize = 1, accepted = 0.01 } = entry
  const { style, issues } = readMapserverXml(`<map><layer>${layer}</layer>${shapeDefinitions}</map>`)
  expect(issues).toEqual([])
  const data = smallData(family)
  const background = [255, 255, 255] as const
  const model = styleOfMapserver(style ?? { rules: [] }, family)
  const ours = rgbOf(await drawPlate({ data, style: model, background }))
  const theirs = await readRgb(join(folder, await drawWithMapserver(folder, entry, data)))
  const { share, mean } = compareRgb(theirs, ours, { background, blockSize })
  expect(share).toBeLessThanOrEqual(accepted)
  expect(mean).toBeLessThanOrEqual(10)
})
