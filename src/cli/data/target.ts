import { extname } from 'node:path'
import {
  type ExportFormat,
  type ExportFormatName,
  exportFormatNames,
  exportFormats,
} from '../../contract/formats/export_formats.ts'
import { problem } from '../../contract/problems.ts'
import { findHint } from '../../core/suggest.ts'

/** Format of an exported file. */
export interface ExportTarget {
  readonly format: ExportFormatName
  readonly isZipped: boolean
}

/** Options that determine the format. */
export interface ExportOptions {
  /** Path, or `-` for standard output. */
  readonly output: string
  readonly format?: string | undefined
  readonly isZipped: boolean
}

/** Standard output, as a path. */
export const standardOutput = '-'

/**
 * Finds the format of a file by the option, else by its name: `roads.gpkg`, or `roads.gpkg.zip` for an archive. Formats
 * of several files are always archives: `roads.shp.zip`.
 *
 * @throws {Problem} usage/bad-argument
 */
export function chooseTarget({ output, format: wanted, isZipped }: ExportOptions): ExportTarget {
  const isPacked = /\.zip$/i.test(output)
  const extension = extname(output.replace(/\.zip$/i, ''))
    .slice(1)
    .toLowerCase()
  const format = wanted === undefined ? formatOf(output, extension) : findFormat(wanted)
  const { extension: own, isSeveral }: ExportFormat = exportFormats[format]
  const isFile = output !== standardOutput
  if (isFile && !isPacked && (isSeveral || isZipped))
    throw problem(
      'usage/bad-argument',
      isSeveral
        ? `Cannot write ${format} to "${output}": the format has several files and requires a ZIP archive.`
        : `Cannot write a ZIP archive to "${output}".`,
      { hint: `Name it ${output.replace(/\.[^./]*$/, '')}.${own}.zip.` },
    )
  const said = formatsOf(extension)
  if (isFile && said.length > 0 && !said.includes(format))
    throw problem(
      'usage/bad-argument',
      `The extension of "${output}" is that of ${said.join(' or ')}, not of ${format}.`,
      {
        hint: `Use the extension .${own}, or omit --format.`,
      },
    )
  return { format, isZipped: isPacked || isZipped || isSeveral === true }
}

const formatsOf = (extension: string) =>
  exportFormatNames.filter((name) => exportFormats[name].extension === extension)

function formatOf(output: string, extension: string): ExportFormatName {
  const [format] = formatsOf(extension)
  if (format !== undefined) return format
  const known = [...new Set(exportFormatNames.map((name) => `.${exportFormats[name].extension}`))]
  throw problem(
    'usage/bad-argument',
    output === standardOutput
      ? 'Standard output requires a format.'
      : `Cannot determine the format of "${output}" from its name.`,
    { hint: `Set --format, or use one of the extensions ${known.join(', ')}.` },
  )
}

/** Finds a format by its name, ignoring case, or by its file extension. */
function findFormat(wanted: string): ExportFormatName {
  const lower = wanted.toLowerCase()
  const found = exportFormatNames.find((name) => name.toLowerCase() === lower) ?? formatsOf(lower)[0]
  if (found !== undefined) return found
  throw problem('usage/bad-argument', `Unknown format "${wanted}".`, {
    hint: findHint(wanted, exportFormatNames) ?? `Use one of ${exportFormatNames.join(', ')}.`,
  })
}
