import { isResourceId } from '../../../contract/limits.ts'
import type { catalogEditorRoutes } from '../../../contract/routes/catalog.ts'
import { findIconImage } from '../../../store/catalog/catalog_icon.ts'
import { listGeoserviceRecords, listIconRecords } from '../../../store/catalog/catalog_record.ts'
import { listNamingBaseMaps } from '../../../store/catalog/tile_service.ts'
import { recordNotFound } from '../../catalog/catalog_operation.ts'
import { changeCatalog } from '../../catalog/change_catalog.ts'
import { checkNow } from '../../catalog/check_now.ts'
import { requireEditor } from '../../catalog/editor.ts'
import type { Handlers } from '../../http/handler.ts'
import { anyMediaType } from '../../http/media_type.ts'

/** Operations of editors of the catalog. */
export const catalogEditorHandlers: Handlers<keyof typeof catalogEditorRoutes> = {
  'catalog.records': async (request) => {
    await requireEditor(request)
    const { database } = request.context
    return database.transaction(
      async (tx) => {
        const baseMaps = await listNamingBaseMaps(tx)
        const geoservices = (await listGeoserviceRecords(tx)).map((record) => {
          const naming = baseMaps.get(record.id)
          return naming === undefined ? record : { ...record, base_maps: naming }
        })
        return { json: { icons: await listIconRecords(tx), geoservices } }
      },
      { readOnly: true, isolation: 'repeatable read', signal: request.signal },
    )
  },

  'catalog.batch': async (request) => ({
    json: { results: await changeCatalog(request, request.body.operations) },
  }),

  'catalog.check': async (request) => ({
    stream: await checkNow(request),
    mediaType: 'application/x-ndjson',
  }),

  'catalog.icon_image': async (request) => {
    await requireEditor(request)
    const { context, params } = request
    const icon = isResourceId(params.id)
      ? await findIconImage(context.database, params.id, 'image')
      : undefined
    if (icon === undefined) throw recordNotFound('icon', params.id)
    return { bytes: icon.image, mediaType: anyMediaType, headers: attachment }
  },
}

/** Browsers never display a stored image: a drawing may have scripts. */
const attachment = {
  'content-disposition': 'attachment',
  'content-security-policy': "default-src 'none'; sandbox",
}
