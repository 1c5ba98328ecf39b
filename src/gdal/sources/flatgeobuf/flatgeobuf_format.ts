import { openWithGdal } from '../open_with_gdal.ts'
import { defineSource } from '../source_format.ts'

/** FlatGeobuf. @see https://flatgeobuf.org */
export const flatgeobuf = defineSource('FlatGeobuf', {
  recognizes: ({ start }) => start.startsWith('fgb\u0003fgb'),
  open: (file, { gdal }) => openWithGdal(gdal, file, ['FlatGeobuf']),
})
