import { type ExportFormatName, exportFormats } from '../../contract/export_formats.ts'
import { problem } from '../../contract/problems.ts'
import { geometryProblem } from '../../store/feature/geometry.ts'
import { type ExportOrder, readOrder } from '../export/order.ts'
import { sendFiles } from '../export/send.ts'
import { type ExportSource, writeGeojson, writeTable } from '../export/text.ts'
import type { PackedFile } from '../export/zip.ts'
import { openLayer } from '../features/layer.ts'
import type { Answer, ApiRequest, Handlers } from '../handler.ts'

/** Operations that give layers as files. */
export const exportHandlers: Handlers<'feature.export' | 'feature.geojson'> = {
  'feature.geojson': async (request) => {
    const opened = await openLayer(request.context, request.params.id)
    const { srs } = opened.layer
    const query = { format: 'GeoJSON', srs, zipped: false } as const
    return exportLayer(request, opened, await readOrder(opened.database, opened.layer, { query, more: [] }))
  },

  'feature.export': async (request) => {
    const opened = await openLayer(request.context, request.params.id)
    return exportLayer(request, opened, await readOrder(opened.database, opened.layer, request))
  },
}

type Writer = (source: ExportSource, order: ExportOrder) => Promise<PackedFile[]>

const writers: Partial<Readonly<Record<ExportFormatName, Writer>>> = {
  GeoJSON: writeGeojson,
  CSV: writeTable,
  CSV_MSEXCEL: writeTable,
}

async function exportLayer(
  request: Pick<ApiRequest<'feature.export'>, 'context' | 'params' | 'headers' | 'raw' | 'signal'>,
  opened: Awaited<ReturnType<typeof openLayer>>,
  order: ExportOrder,
): Promise<Answer> {
  const { context, params, raw, signal } = request
  // HEAD wants to know whether it can be had, and no more.
  if (raw.method === 'HEAD') return sendFiles(request, order, [])
  const write = writers[order.formatName]
  if (write === undefined)
    throw problem('request/not-built', `Exports as ${order.formatName} are not offered by this version.`, {
      data: { formats: Object.keys(exportFormats).filter((name) => Object.hasOwn(writers, name)) },
    })
  const source = { ...opened, id: params.id, folder: context.temporaryFolder, signal }
  const files = await write(source, order).catch((error: unknown) => {
    throw geometryProblem(error)
  })
  return sendFiles(request, order, files)
}
