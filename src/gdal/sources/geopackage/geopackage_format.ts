import { openWithGdal } from '../open_with_gdal.ts'
import { defineSource } from '../source_format.ts'
import { compareTable, openExactly } from './exact_table.ts'

/** GeoPackage. @see https://www.geopackage.org/spec120 */
export const geopackage = defineSource('GeoPackage', {
  recognizes: ({ start }) => start.startsWith('SQLite format 3\0'),
  async open(file, { gdal, job: { folder } }) {
    const layers = await openWithGdal(gdal, file, ['GPKG'])
    return layers.map((source) => {
      const check = {
        compare: () => compareTable(gdal, source),
        openExactly: () => openExactly(gdal, source, folder),
      }
      return { ...source, check }
    })
  },
})
