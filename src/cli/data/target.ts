import { extname } from 'node:path'
import {
  type ExportFormat,
  type ExportFormatName,
  exportFormatNames,
  exportFormats,
} from '../../contract/export_formats.ts'
import { problem } from '../../contract/problems.ts'
import { findHint } from '../../core/suggest.ts'

/** What a layer is written as. */
export interface ExportTarget {
  readonly format: ExportFormatName
  readonly isZipped: boolean
}

/** What was said about it. */
export interface ExportWishes {
  /** Path, or `-` for standard output. */
  readonly output: string
  readonly format?: string | undefined
  readonly isZipped: boolean
}

/** Standard output, as a path. */
export const standardOutput = '-'

/**
 * Finds the format of a file by what is said, else by its name: `roads.gpkg`, packed `roads.gpkg.zip`. Formats of several
 * files are always packed: `roads.shp.zip`.
 *
 * @throws {Problem} usage/bad-argument
 */
export function chooseTarget({ output, format: wanted, isZipped }: ExportWishes): ExportTarget {
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
        ? `${format} is several files, which come packed: "${output}" would be none of them.`
        : `"${output}" does not say that it is packed.`,
      { hint: `Name it ${output.replace(/\.[^./]*$/, '')}.${own}.zip.` },
    )
  const said = formatsOf(extension)
  if (isFile && said.length > 0 && !said.includes(format))
    throw problem(
      'usage/bad-argument',
      `"${output}" is the name of ${said.join(' or ')}, not of ${format}.`,
      {
        hint: `Name it .${own}, or leave --format out.`,
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
      ? 'Nothing says which format standard output is to have.'
      : `The name "${output}" does not say which format it is.`,
    { hint: `Say --format, or end the name with one of ${known.join(', ')}.` },
  )
}

/** By name, whatever the case, or by the ending of its files. */
function findFormat(wanted: string): ExportFormatName {
  const lower = wanted.toLowerCase()
  const found = exportFormatNames.find((name) => name.toLowerCase() === lower) ?? formatsOf(lower)[0]
  if (found !== undefined) return found
  throw problem('usage/bad-argument', `There is no format "${wanted}".`, {
    hint: findHint(wanted, exportFormatNames) ?? `There are ${exportFormatNames.join(', ')}.`,
  })
}
