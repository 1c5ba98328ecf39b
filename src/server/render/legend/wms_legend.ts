import { getLegendGraphicUrl } from '../../../ogc/wms_request.ts'
import type { JobWindow } from '../../../render/image/draw_job.ts'
import type { RenderSource } from '../../../store/classes/render_source.ts'
import { findResourceNames } from '../../../store/resource/resource_name.ts'
import type { ServerContext } from '../../context.ts'
import { openWmsLayers, type WmsLayer } from '../sources/wms_source.ts'
import type { Legend } from './legend_content.ts'

/** Maximum number of layers of a service of which one legend consists; the others are left out. */
const maxPictures = 20

/** Opens the legends of layers of web map services, which the services draw. */
export async function openWmsLegends(
  context: ServerContext,
  resources: readonly RenderSource[],
): Promise<Map<number, Legend>> {
  if (resources.length === 0) return new Map()
  const ids = resources.map(({ id }) => id)
  const layers = await openWmsLayers(context, ids)
  const names = await findResourceNames(context.database, ids)
  return new Map(
    resources.flatMap(({ id, version }): [number, Legend][] => {
      const layer = layers.get(id)
      if (layer === undefined) return []
      const { row, connection, period } = layer
      const title = names.get(id)?.displayName ?? ''
      const legend: Legend = {
        // The password is encrypted.
        key: ['wms', id, version, row, connection, period, title],
        ...{ title, family: 'POLYGON', opacity: 1, entries: [] },
        fetchPictures: (signal) => fetchPictures(context, layer, signal),
      }
      return [[id, legend]]
    }),
  )
}

/** Fetches a picture for each layer of the service that is drawn, since GetLegendGraphic has one layer. */
async function fetchPictures(
  { externalImages }: ServerContext,
  { row, connection, credentials, period }: WmsLayer,
  signal: AbortSignal,
): Promise<readonly JobWindow[]> {
  const { url, version } = connection
  const names = row.wmslayers.split(',').filter((name) => name !== '')
  const pictures = await Promise.all(
    names.slice(0, maxPictures).map((layer) =>
      externalImages.get({
        url: getLegendGraphicUrl({ url, version, layer, vendor: row.vendor_params }),
        ...{ credentials: credentials(), period, mayBeAbsent: false, signal },
      }),
    ),
  )
  return pictures.filter((picture) => picture !== undefined)
}
