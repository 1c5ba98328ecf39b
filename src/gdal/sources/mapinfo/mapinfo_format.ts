import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gatherCompanions } from '../companions.ts'
import { openWithGdal, unreadable } from '../open_with_gdal.ts'
import { defineSource } from '../source_format.ts'
import { prepareMif } from './mif.ts'
import { countRows, isNative, isSeamless } from './tab.ts'

const drivers = ['MapInfo File']

/** Table of MapInfo. @see https://gdal.org/drivers/vector/mitab.html */
export const mapinfoTable = defineSource('MapInfoTable', {
  async open(given, { gdal }) {
    const text = readFileSync(given.path, 'latin1')
    if (isSeamless(text)) throw unreadable(given, 'it refers to other files')
    if (!isNative(text)) return openWithGdal(gdal, given, drivers)
    const file = gatherCompanions(given, 'MapInfoTable')
    const total = countRows(file)
    const layers = await openWithGdal(gdal, file, drivers)
    return layers.map((layer) => ({ ...layer, check: { total } }))
  },
})

/** Interchange file of MapInfo. @see https://gdal.org/drivers/vector/mitab.html */
export const mapinfoInterchange = defineSource('MapInfoInterchange', {
  async open(given, { gdal, job: { folder, encoding } }) {
    const gathered = gatherCompanions(given, 'MapInfoInterchange')
    const { file, declared } = await prepareMif(gathered, {
      folder: mkdtempSync(join(folder, 'mif-')),
      encoding,
    })
    const layers = await openWithGdal(gdal, file, drivers)
    return layers.map((layer) => ({ ...layer, columns: { declared } }))
  },
})
