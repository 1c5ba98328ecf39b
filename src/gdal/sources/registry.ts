import type { SourceFormatName } from '../../contract/formats/source_formats.ts'
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
const registry: { readonly [Name in SourceFormatName]: SourceFormat<Name> } = {
  GeoPackage: geopackage,
  FlatGeobuf: flatgeobuf,
  GeoJSON: geojson,
  XLSX: xlsx,
  ODS: ods,
  KML: kml,
  GPX: gpx,
  GML: gml,
  Shapefile: shapefile,
  MapInfoTable: mapinfoTable,
  MapInfoInterchange: mapinfoInterchange,
  CSV: csv,
}

/** Source formats in order of precedence. */
export const formats: readonly SourceFormat[] = Object.values(registry)
