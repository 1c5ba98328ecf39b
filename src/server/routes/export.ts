import type { DirectFormatName, ExportFormatName } from '../../contract/formats/export_formats.ts'
import { type PackedFile, zip } from '../../files/zip.ts'
import { geometryProblem } from '../../store/feature/feature_sql.ts'
import { findResourceNames } from '../../store/resource/resource_name.ts'
import { type ExportOptions, readExportOptions } from '../export/export_options.ts'
import { type ExportedFiles, exportFiles } from '../export/gdal_export.ts'
import { sendFiles } from '../export/send_export.ts'
import { type ExportSource, writeGeojson, writeTable } from '../export/text_export.ts'
import { type OpenLayer, openLayer, retryOnSchemaChange } from '../features/open_layer.ts'
import type { Answer, ApiRequest, Handlers } from '../http/handler.ts'

/** Operations that export layers as files. */
export const exportHandlers: Handlers<'feature.export' | 'feature.geojson'> = {
  'feature.geojson': retryOnSchemaChange(async (request) => {
    const opened = await openLayer(request.context, request.params.id)
    const { srs } = opened.layer
    const query = { format: 'GeoJSON', srs, zipped: false } as const
    return exportLayer(
      request,
      opened,
      await readExportOptions(opened.database, opened.layer, { query, more: [] }),
    )
  }),

  'feature.export': retryOnSchemaChange(async (request) => {
    const opened = await openLayer(request.context, request.params.id)
    return exportLayer(request, opened, await readExportOptions(opened.database, opened.layer, request))
  }),
}

type Request = Pick<ApiRequest<'feature.export'>, 'context' | 'params' | 'headers' | 'raw' | 'signal'>

async function exportLayer(request: Request, opened: OpenLayer, options: ExportOptions): Promise<Answer> {
  // HEAD only checks whether the export is possible.
  if (request.raw.method === 'HEAD') return sendFiles(request, options, noFiles)
  const output = await writeFiles(request, opened, options).catch((error: unknown) => {
    throw geometryProblem(error)
  })
  return sendFiles(request, options, output)
}

async function writeFiles(
  request: Request,
  opened: OpenLayer,
  options: ExportOptions,
): Promise<ExportedFiles> {
  const { context, params, signal } = request
  const { formatName, format } = options
  const name = (await findResourceNames(context.database, [params.id])).get(params.id)
  const layerName = name?.displayName ?? String(params.id)
  const stem = fileStem(name?.keyname ?? layerName) ?? String(params.id)
  const source = { ...opened, stem, folder: context.temporaryFolder, signal }
  if (isDirect(formatName)) return withoutNotes(await directWriters[formatName](source, options))
  const fileName = `${stem}.${format.extension}`
  const { archived } = format
  const output = await exportFiles({
    source,
    options,
    format: formatName,
    layerName,
    fileName: archived ?? fileName,
  })
  if (archived === undefined) return output
  return { files: [{ name: fileName, content: zip(output.files) }], notes: output.notes }
}

/** Returns a name that every file system accepts; undefined if nothing of the text remains. */
function fileStem(text: string): string | undefined {
  const stem = text.replaceAll(/[^\p{L}\p{N}_-]+/gu, '_').replaceAll(/^_+|_+$/g, '')
  return stem === '' ? undefined : [...stem].slice(0, maxStemLength).join('')
}

/** Keeps names in any script below the 255 bytes of file systems. */
const maxStemLength = 50

const directWriters: Readonly<
  Record<DirectFormatName, (source: ExportSource, options: ExportOptions) => Promise<PackedFile[]>>
> = { GeoJSON: writeGeojson, CSV: writeTable, CSV_MSEXCEL: writeTable }

const isDirect = (name: ExportFormatName): name is DirectFormatName => name in directWriters

const withoutNotes = (files: readonly PackedFile[]): ExportedFiles => ({ files, notes: [] })
const noFiles = withoutNotes([])
