import { gatherCompanions } from '../companions.ts'
import { openWithGdal } from '../open_with_gdal.ts'
import { defineSource } from '../source_format.ts'
import { findShapefileStrings } from './dbf_encoding.ts'

/** Shapefile. @see ESRI Shapefile Technical Description, July 1998 */
export const shapefile = defineSource('Shapefile', {
  async open(given, { gdal, job: { encoding } }) {
    const file = gatherCompanions(given, 'Shapefile')
    const { gdalEncoding, strings } = findShapefileStrings(file, encoding)
    gdal.config.set('SHAPE_ENCODING', gdalEncoding)
    const layers = await openWithGdal(gdal, file, ['ESRI Shapefile'])
    return layers.map((layer) => (strings === undefined ? layer : { ...layer, columns: { strings } }))
  },
})
