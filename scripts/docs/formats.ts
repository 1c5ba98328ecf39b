import { datatypeCodecs, daySeconds, type FieldScalar } from '../../src/contract/datatype_codec.ts'
import {
  type ExportFormat,
  exportEncodings,
  exportFormats,
} from '../../src/contract/formats/export_formats.ts'
import { type SourceFormatFacts, sourceFormatList } from '../../src/contract/formats/source_formats.ts'
import { type Datatype, datatypes } from '../../src/contract/geometry.ts'
import { maxPositions, maxValuesBytes } from '../../src/contract/limits.ts'
import { formatCode, formatCodes, formatTable, joinParts } from './markdown.ts'

/** A value of each datatype. */
const examples: Readonly<Record<Datatype, FieldScalar>> = {
  INTEGER: 7,
  BIGINT: 2n ** 53n + 1n,
  REAL: 1.5,
  STRING: 'text',
  DATE: 7335,
  TIME: 34_200,
  DATETIME: 7335 * daySeconds + 34_200,
}

/** Prints the page of the file formats. */
export function printFormats(): string {
  return joinParts(
    '# File formats',
    '## Formats that layers are loaded from',
    'The content determines the format where it is unambiguous, otherwise the extension. A format of several files is uploaded as one zip archive; `landform data import` and `apply` pack the files themselves.',
    formatTable(
      ['Format', 'Extensions', 'Required files', 'Optional files', 'Limits'],
      sourceFormatList.map(printSource),
    ),
    '## Formats that layers are exported to',
    '`landform data export` chooses the format by the file extension; `--format` takes the name of the format. *Reference system* is the EPSG code of the coordinates unless another one is requested.',
    formatTable(
      ['Format', 'Extension', 'Files', 'Reference system', 'Encodings', 'Limits', 'Media type'],
      Object.entries<ExportFormat>(exportFormats).map(printExport),
    ),
    '## Values in strings',
    'A string becomes a value in the same way everywhere: in tables and other files whose fields have declared datatypes, pipelines, requests, filters, changed datatypes and keys of features. White space around the value is ignored. Empty cells are null, in tables without declared datatypes, too. `true` and `false` are not numbers.',
    `The values of a feature that is loaded from a file have ${maxValuesBytes / 2 ** 20} MiB together at most, as has a cell of a CSV file, and its geometry has ${maxPositions.toLocaleString('en-US')} positions at most. A file with a larger cell is refused before it is read; a larger feature is reported.`,
    formatTable(
      ['Datatype', 'Strings', 'Printed, for example'],
      datatypes.map((datatype) => {
        const { accepted, print } = datatypeCodecs[datatype]
        return [datatype, accepted, formatCode(print(examples[datatype]))]
      }),
    ),
    'If no datatype is declared, a column of a text table has the datatype that represents all of its strings as they are: numbers with leading zeros, dates with slashes and single digits stay strings. GeoJSON strings are dates with slashes, too, as in GDAL.',
    'Data that a format cannot represent, such as long field names in a Shapefile, is reported in the header `landform-notes` of the response, and by `landform data export`.',
  )
}

function printSource({
  title,
  extensions,
  sharedExtensions = [],
  archiveExtensions = [],
  required = [],
  optional = [],
  limits = '',
}: SourceFormatFacts): string[] {
  return [
    title,
    formatCodes([...extensions, ...sharedExtensions, ...archiveExtensions]),
    formatCodes(required),
    formatCodes(optional),
    limits,
  ]
}

function printExport([name, format]: [string, ExportFormat]): string[] {
  const { extension, mediaType, isSeveral, srs, isFixed, hasEncodings } = format
  return [
    formatCode(name),
    formatCode(`.${extension}`),
    isSeveral ? 'several, always zipped' : 'one',
    srs === undefined ? 'of the layer' : `${srs}${isFixed ? ', fixed' : ''}`,
    hasEncodings ? exportEncodings.join(', ') : 'UTF-8',
    listExportLimits(format).join('; '),
    formatCode(mediaType),
  ]
}

function listExportLimits({
  asText = [],
  geometry,
  families,
  isGeometryOnly,
  limits = {},
}: ExportFormat): string[] {
  const { textBytes, nameLength, digits, isNullZero, firstDay } = limits
  return [
    ...(textBytes === undefined ? [] : [`strings up to ${textBytes} bytes`]),
    ...(nameLength === undefined ? [] : [`field names up to ${nameLength} characters`]),
    ...(digits === undefined ? [] : [`BIGINT exact to ${digits} digits`]),
    ...(isNullZero ? ['null numbers become 0'] : []),
    ...(firstDay === undefined ? [] : [`dates from ${firstDay}`]),
    ...(asText.length === 0 ? [] : [`${asText.join(', ')} as strings`]),
    ...(geometry === 'text' ? ['geometry as WKT'] : []),
    ...(geometry === 'needed' ? ['no features without geometry'] : []),
    ...(families === undefined ? [] : [`only ${families.join(', ')}`]),
    ...(isGeometryOnly ? ['no attributes'] : []),
  ]
}
