import type { Layer } from 'gdal-async'
import { startWktCheck } from '../../../geo/wkt_check.ts'
import type { ColumnUse } from '../../import/copy_row.ts'
import type { GdalModule } from '../../runner/gdal_module.ts'
import { readToEnd } from '../read_fault.ts'
import type { SourceColumns, SourceFile, SourceLayer } from '../source.ts'
import { defineSource, type FileProbe } from '../source_format.ts'
import { type CoordinateTable, findCoordinates, namesOf, openTable } from './coordinate_columns.ts'

/** Excel workbook. @see ECMA-376 part 2 */
export const xlsx = defineSource('XLSX', {
  recognizes: (probe) => !isOpenDocument(probe) && (isWorkbook(probe) || probe.extension === '.xlsx'),
  open: async (file, { gdal }) => openSheets(gdal, file, 'XLSX'),
})

/** OpenDocument spreadsheet. @see OpenDocument 1.3 part 2 */
export const ods = defineSource('ODS', {
  recognizes: (probe) => isOpenDocument(probe) || (probe.extension === '.ods' && !isWorkbook(probe)),
  open: async (file, { gdal }) => openSheets(gdal, file, 'ODS'),
})

function isOpenDocument({ start }: FileProbe): boolean {
  return start.includes('mimetypeapplication/vnd.oasis.opendocument.spreadsheet')
}

/** Searches the central directory at the end of an archive for a file name. */
function isWorkbook({ readEnd }: FileProbe): boolean {
  const end = readEnd()
  return end.includes('[Content_Types].xml') && end.includes('xl/workbook.xml')
}

function openSheets(gdal: GdalModule, file: SourceFile, driver: string): SourceLayer[] {
  const { path } = file
  const dataset = openTable(gdal, path, driver)
  // ODS is read when its sheets are first counted, and a sheet of XLSX when its rows are.
  readToEnd(gdal, file, () => dataset.layers.count())
  for (const { features } of dataset.layers) readToEnd(gdal, file, () => features.count(true))
  return findCoordinates(dataset, path).map((sheet) => ({
    ...openSheet(gdal, path, { ...sheet, roundsTimes: driver === 'XLSX' }),
    format: driver,
    degrees: sheet.columns.isLonLat ? 'declared' : 'guessed',
  }))
}

/** Formats a virtual layer over a sheet, since the driver does not support geometries. */
function openSheet(
  gdal: GdalModule,
  path: string,
  { layer, columns, roundsTimes }: CoordinateTable & Pick<SourceColumns, 'roundsTimes'>,
): Pick<SourceLayer, 'dataset' | 'layer' | 'name' | 'columns'> {
  const geometry =
    'wkt' in columns
      ? `encoding="WKT" field="${escapeXml(columns.wkt)}"`
      : `encoding="PointFromColumns" x="${escapeXml(columns.x)}" y="${escapeXml(columns.y)}"`
  // Coordinate cells are read as fields too, since a string that is not a number would be read as 0.
  const dataset = gdal.open(
    [
      '<OGRVRTDataSource><OGRVRTLayer name="table">',
      `<SrcDataSource relativeToVRT="0">${escapeXml(path)}</SrcDataSource>`,
      `<SrcLayer>${escapeXml(layer.name)}</SrcLayer>`,
      `<GeometryType>${'wkt' in columns ? 'wkbUnknown' : 'wkbPoint'}</GeometryType>`,
      `<GeometryField ${geometry}/>`,
      ...fieldsOf(layer),
      '</OGRVRTLayer></OGRVRTDataSource>',
    ].join(''),
    'r',
    'OGR_VRT',
  )
  const use = 'wkt' in columns ? 'GEOMETRY' : 'COORDINATE'
  const uses = new Map<string, ColumnUse>(namesOf(columns).map((name) => [name, use]))
  const wkt = startWktCheck()
  return {
    dataset,
    layer: dataset.layers.get(0),
    name: layer.name,
    columns: { uses, wkt, ...(roundsTimes ? { roundsTimes } : {}) },
  }
}

/** Declares the types of fields, which are strings in virtual layers by default. */
function fieldsOf(layer: Layer): string[] {
  return layer.fields.map(({ name, type }) => {
    const virtual = type.charAt(0).toUpperCase() + type.slice(1)
    return `<Field name="${escapeXml(name)}" type="${virtual}"/>`
  })
}

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
