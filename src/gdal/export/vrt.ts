import type { GeometryParts } from '../../contract/geometry.ts'
import type { JobColumn } from './export_job.ts'
import { ogrFieldTypes } from './field_type.ts'

/** Description of the intermediate file for GDAL. */
export interface VrtLayer {
  readonly path: string
  /** Name of the layer in the file. */
  readonly name: string
  /** EPSG code. */
  readonly srs: number
  readonly geometry: GeometryParts
  /** Name of the id column. */
  readonly idColumn: string
  readonly columns: readonly JobColumn[]
}

/** Formats a virtual layer over the intermediate file, with its id column and exact field types. @see https://gdal.org/drivers/vector/vrt.html */
export function formatVrt({ path, name, srs, geometry, idColumn, columns }: VrtLayer): string {
  const { family, isMulti, hasZ } = geometry
  const type = `wkb${isMulti ? 'Multi' : ''}${names[family]}${hasZ ? '25D' : ''}`
  const fields = columns.map(
    ({ name: field, datatype }) =>
      `<Field name="${escapeXml(field)}" src="${escapeXml(field)}" type="${ogrFieldTypes[datatype]}"/>`,
  )
  return `<OGRVRTDataSource><OGRVRTLayer name="${escapeXml(name)}"><SrcDataSource>${escapeXml(path)}</SrcDataSource>
<SrcLayer>${escapeXml(name)}</SrcLayer><FID>${escapeXml(idColumn)}</FID><GeometryType>${type}</GeometryType>
<LayerSRS>EPSG:${srs}</LayerSRS>${fields.join('')}</OGRVRTLayer></OGRVRTDataSource>`
}

const names = { POINT: 'Point', LINESTRING: 'LineString', POLYGON: 'Polygon' } as const

function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[\t\n\r]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
