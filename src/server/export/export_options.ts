import {
  type ExportEncoding,
  type ExportFormat,
  type ExportFormatName,
  exportEncodings,
  exportFormatNames,
  exportFormats,
} from '../../contract/formats/export_formats.ts'
import { geometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import { findHint } from '../../core/suggest.ts'
import { uniqueName } from '../../core/unique_name.ts'
import type { Queryable } from '../../database/database.ts'
import type { ExportColumn, ExportSelection } from '../../store/feature/export_rows.ts'
import { requireSrs } from '../../store/feature/feature_sql.ts'
import { idType } from '../../store/feature/feature_table.ts'
import { checkText } from '../../store/feature/field_value.ts'
import type { Layer, LayerField } from '../../store/layer/stored_layer.ts'
import { readFilter } from '../features/feature_query.ts'
import type { ApiRequest } from '../http/handler.ts'

/** Selection and format of an export. */
export interface ExportOptions extends ExportSelection {
  readonly formatName: ExportFormatName
  readonly format: ExportFormat
  readonly isZipped: boolean
  readonly encoding: ExportEncoding
}

type Query = ApiRequest<'feature.export'>['query']

/**
 * Reads the options of an export from a request.
 *
 * @throws {Problem} request/invalid with the parameter, feature/invalid
 */
export async function readExportOptions(
  tx: Queryable,
  layer: Layer,
  { query, more }: Pick<ApiRequest<'feature.export'>, 'query' | 'more'>,
): Promise<ExportOptions> {
  const formatName = readFormat(query)
  const format: ExportFormat = exportFormats[formatName]
  checkFamily(formatName, layer)
  const srs = readSrs(formatName, query, layer)
  for (const code of new Set([srs, query.intersects_srs ?? srs]))
    if (code !== layer.srs) await requireSrs(tx, code)
  return {
    formatName,
    format,
    srs,
    columns: readColumns(layer, query),
    filter: readFilter({ query, more }),
    isZipped: format.isSeveral === true || (query.zipped ?? true),
    encoding: readEncoding(formatName, query),
  }
}

function readFormat({ format }: Query): ExportFormatName {
  if (format !== undefined) return format
  throw refused('format', `is missing: expected one of ${exportFormatNames.join(', ')}`)
}

function checkFamily(formatName: ExportFormatName, { geometryType }: Layer): void {
  const { families }: ExportFormat = exportFormats[formatName]
  if (families === undefined || families.includes(geometryParts(geometryType).family)) return
  throw refused(
    'format',
    `is ${formatName}, which supports ${families.join(' and ')} geometries, but the layer has ${geometryType}`,
  )
}

function readSrs(formatName: ExportFormatName, query: Query, layer: Layer): number {
  const { srs: defaultSrs = layer.srs, isFixed }: ExportFormat = exportFormats[formatName]
  const { srs = defaultSrs } = query
  if (isFixed && srs !== defaultSrs)
    throw refused('srs', `is ${srs}, but ${formatName} is always in EPSG:${defaultSrs}`)
  return srs
}

function readEncoding(formatName: ExportFormatName, { encoding = '' }: Query): ExportEncoding {
  const { hasEncodings }: ExportFormat = exportFormats[formatName]
  const page = /^(?:utf-?8)?$|^(?:cp|windows)?[-_ ]?(1251)$/i.exec(encoding)
  if (page === null)
    throw refused('encoding', `is "${encoding}": expected one of ${exportEncodings.join(', ')}`)
  if (page[1] !== undefined && hasEncodings !== true)
    throw refused('encoding', `is "${encoding}", but ${formatName} is always in UTF-8`)
  return page[1] === undefined ? 'UTF-8' : 'CP1251'
}

function readColumns(layer: Layer, { fid, fields: names, display_name: isDisplayed = false }: Query) {
  const fields = names === undefined ? layer.fields : new Set(names.map((name) => findField(layer, name)))
  const columns = nameColumns([...fields], isDisplayed)
  if (fid === undefined || fid === '') return columns
  checkText({ keyname: 'fid' }, fid)
  // Column names are case-insensitive in half of the formats.
  const existing = columns.find(({ name }) => name.toLowerCase() === fid.toLowerCase())
  if (existing !== undefined) throw refused('fid', `is "${fid}", which is already a field`)
  const datatype = idType(layer) === 'bigint' ? 'BIGINT' : 'INTEGER'
  return [{ name: fid, datatype, field: undefined } as const, ...columns]
}

function findField({ fields }: Layer, name: string): LayerField {
  const found = fields.find(({ keyname }) => keyname === name) ?? fields.find(({ id }) => String(id) === name)
  if (found !== undefined) return found
  const known = fields.map(({ keyname }) => keyname)
  throw refused('fields', `has "${name}", which is not a field of the layer`, findHint(name, known))
}

// Display names may repeat; column names may not.
function nameColumns(fields: readonly LayerField[], isDisplayed: boolean): ExportColumn[] {
  const taken = new Set<string>()
  return fields.map((field) => {
    const base = isDisplayed ? field.displayName : field.keyname
    const name = uniqueName(base, { isTaken: (other) => taken.has(other), firstNumber: 2 })
    taken.add(name)
    return { name, datatype: field.datatype, field }
  })
}

function refused(parameter: string, message: string, hint?: string): Problem {
  return problem('request/invalid', `Parameter "${parameter}" ${message}.`, {
    data: { location: ['query', parameter] },
    ...(hint === undefined ? {} : { hint }),
  })
}
