import { mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import type { Dataset, Layer } from 'gdal-async'
import { sourceFormats } from '../../../contract/formats/source_formats.ts'
import { startWktCheck } from '../../../geo/wkt_check.ts'
import type { ColumnUse } from '../../import/copy_row.ts'
import type { GdalModule } from '../../runner/gdal_module.ts'
import { referenceSystemOf } from '../reference_system.ts'
import type { GeometryReason, SourceFile, SourceLayer } from '../source.ts'
import { defineSource, type FileProbe, hasExtension, type Opening } from '../source_format.ts'
import { refuseNul } from '../text/plain_text.ts'
import { recodeIfNeeded } from '../text/recode.ts'
import { type CoordinateColumns, findCoordinates, namesOf, openTable } from './coordinate_columns.ts'
import { copyWithSurplus, surplusColumn } from './csv_copy.ts'
import { refuseLongRows } from './csv_size.ts'

/** CSV file with coordinate columns. @see https://gdal.org/drivers/vector/csv.html */
export const csv = defineSource('CSV', {
  recognizes: (probe) => hasExtension(sourceFormats.CSV, probe) || isUnnamedText(probe),
  async open(given, opening) {
    const { file, strings } = await recodeIfNeeded(given, opening.job)
    refuseNul(file, (piece) => piece.indexOf(0))
    refuseLongRows(file)
    const { columns, ...source } = openCsv(file, opening)
    return [{ ...source, columns: { ...columns, ...(strings === undefined ? {} : { strings }) } }]
  },
})

/** Files without extension and without a format recognized by content are CSV. */
function isUnnamedText({ start, text, extension }: FileProbe): boolean {
  return extension === '' && text !== '' && !start.includes('\0')
}

/** Opens a CSV file so that GDAL ignores none of its content. */
function openCsv({ path }: SourceFile, { gdal, job: { folder } }: Opening): SourceLayer {
  const [found] = findCoordinates(openTable(gdal, path, 'CSV'), path)
  if (found === undefined) throw new Error('a table of text has one layer')
  const { columns } = found
  const copy = join(mkdtempSync(join(folder, 'table-')), basename(path))
  const isCopied = copyWithSurplus(path, copy)
  const whole = isCopied ? copy : path
  // Columns named longitude and latitude imply their reference system.
  if (isCopied && !columns.isLonLat) linkReferenceSystem(path, copy)
  const dataset = openWithGeometry(gdal, whole, columns)
  const uses = new Map<string, ColumnUse>(isCopied ? [[surplusColumn, 'SURPLUS']] : [])
  if ('wkt' in columns) uses.set(columns.wkt, 'GEOMETRY')
  const wkt = startWktCheck()
  // Opened a second time, to count the rows while the layer is read.
  const plain = openTable(gdal, whole, 'CSV').layers.get(0)
  const layer = dataset.layers.get(0)
  return {
    ...{ dataset, layer, name: basename(path, extname(path)), format: 'CSV' },
    ...(referenceSystemOf(layer) === null ? { degrees: columns.isLonLat ? 'declared' : 'guessed' } : {}),
    columns: { uses, wkt, infersDatatypes: true },
    check: {
      count: () => plain.features.countAsync(true),
      startReasons: () => startCellReasons(plain, namesOf(columns)),
    },
  }
}

/** Links the .prj file of a table next to its copy, where the driver expects it. */
function linkReferenceSystem(path: string, copy: string): void {
  const stem = (file: string) => file.slice(0, -extname(file).length)
  const wanted = `${basename(stem(path))}.prj`.toLowerCase()
  const found = readdirSync(dirname(path)).find((name) => name.toLowerCase() === wanted)
  if (found !== undefined) symlinkSync(join(dirname(path), found), `${stem(copy)}.prj`)
}

function openWithGeometry(gdal: GdalModule, path: string, columns: CoordinateColumns): Dataset {
  const geometry =
    'wkt' in columns
      ? { GEOM_POSSIBLE_NAMES: columns.wkt }
      : { X_POSSIBLE_NAMES: columns.x, Y_POSSIBLE_NAMES: columns.y }
  return gdal.drivers.get('CSV').open(path, 'r', {
    ...geometry,
    // If GDAL parses only the start of a string, the rest must be reported.
    KEEP_GEOM_COLUMNS: 'wkt' in columns ? 'YES' : 'NO',
    // Datatypes are guessed after all strings were read.
    AUTODETECT_TYPE: 'NO',
  })
}

/** Creates a function that explains by the coordinate cells why rows have no geometry. */
function startCellReasons(plain: Layer, columns: readonly string[]): GeometryReason {
  const rows = plain.features[Symbol.iterator]()
  let at = 0
  return (number) => {
    let row = rows.next()
    for (at += 1; at < number && !row.done; at++) row = rows.next()
    if (row.done) return undefined
    const cells = columns.map((name) => ({ name, text: String(row.value.fields.get(name) ?? '').trim() }))
    const wrong = cells.find(({ text }) => text !== '' && (cells.length === 1 || !isNumber(text)))
    if (wrong === undefined) return undefined
    const text = JSON.stringify(wrong.text.slice(0, maxShownLength))
    return `${wrong.name}: ${text} is not a ${cells.length === 1 ? 'valid geometry' : 'number'}`
  }
}

const maxShownLength = 80

function isNumber(text: string): boolean {
  return /^[-+]?(\d+[.,]?\d*|[.,]\d+)([eE][-+]?\d+)?$/.test(text)
}
