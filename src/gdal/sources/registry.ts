import { flatgeobuf } from './flatgeobuf/flatgeobuf_format.ts'
import { geojson } from './geojson/geojson_format.ts'
import { geopackage } from './geopackage/geopackage_format.ts'
import { mapinfoInterchange } from './mapinfo/mif_format.ts'
import { mapinfoTable } from './mapinfo/tab_format.ts'
import { shapefile } from './shapefile/shapefile_format.ts'
import type { SourceFormat } from './source_format.ts'
import { csv } from './table/csv_format.ts'
import { ods, xlsx } from './table/sheet_format.ts'
import { gml, gpx, kml } from './xml/xml_format.ts'

/** Source formats in order of precedence: formats recognized by content precede those recognized by name. */
export const formats: readonly SourceFormat[] = [
  ...[geopackage, flatgeobuf, geojson, xlsx, ods, kml, gpx, gml],
  ...[shapefile, mapinfoTable, mapinfoInterchange, csv],
]
