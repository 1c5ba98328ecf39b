import { isProblem } from '../../core/problem.ts'
import type { LegendSize, WmsService } from '../../ogc/wms/wms_service.ts'
import type { ServerContext } from '../context.ts'
import { drawLegend, openLegends } from '../render/legend/legend.ts'
import type { Legend } from '../render/legend/legend_content.ts'

/** Size of a legend that is not known before another service draws it: that of a symbol with its name. */
const usualSize: LegendSize = { width: 200, height: 24 }

/** Adds the sizes of legends to the layers that have one. Legends of other services are not requested for it. */
export async function withLegendSizes(
  context: ServerContext,
  service: WmsService,
  signal: AbortSignal,
): Promise<WmsService> {
  const ids = [...new Set(service.layers.map(({ resourceId }) => resourceId))]
  const found = new Map<number, LegendSize>()
  // One after the other, so that images of maps have their turn between them.
  for (const [id, legend] of await openLegends(context, ids))
    found.set(id, await findSize(context, legend, signal))
  const layers = service.layers.map((layer) => ({ ...layer, legendSize: found.get(layer.resourceId) }))
  return { ...service, layers }
}

async function findSize(context: ServerContext, legend: Legend, signal: AbortSignal): Promise<LegendSize> {
  if (legend.fetchPictures !== undefined) return usualSize
  const key = JSON.stringify(legend.key)
  const { legendSizes } = context.layerCaches
  const known = legendSizes.get(key)
  if (known !== undefined) return known
  try {
    const { bytes } = await drawLegend(context, legend, { form: { kind: 'image', scale: 1 }, signal })
    const size = sizeOfPng(bytes)
    legendSizes.set(key, size)
    return size
  } catch (error) {
    // A legend that is not drawn does not keep the service from being described.
    if (isProblem(error, 'server/internal'))
      context.log.error({ error: error.cause ?? error }, 'the size of a legend is not known')
    else if (!isProblem(error) || !error.code.startsWith('render/')) throw error
    return usualSize
  }
}

/** Reads the size of a PNG from its header. @see PNG (Third Edition) clause 11.2.1 */
function sizeOfPng({ buffer, byteOffset }: Uint8Array): LegendSize {
  const view = new DataView(buffer, byteOffset)
  return { width: view.getUint32(16), height: view.getUint32(20) }
}
