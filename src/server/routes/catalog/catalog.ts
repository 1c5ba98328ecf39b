import type { catalogRoutes } from '../../../contract/routes/catalog.ts'
import { countIcons, findIcon, findIconImage, listIcons } from '../../../store/catalog/catalog_icon.ts'
import { isGeoservice } from '../../../store/catalog/geoservice.ts'
import {
  countStatuses,
  findStatus,
  listStatuses,
  statusOrders,
} from '../../../store/catalog/geoservice_status.ts'
import { defaultIcon } from '../../catalog/default_icon.ts'
import { found, readGeoservice } from '../../catalog/geoservice_detail.ts'
import { answerIcon } from '../../catalog/icon_answer.ts'
import { jsonText } from '../../catalog/json_text.ts'
import { listGeoservices } from '../../catalog/list_geoservices.ts'
import { pageOf, pageOfStatuses, writePage } from '../../catalog/page.ts'
import { idOf, orderOf, type Parameters, searchOf, statusOf, unknownChoice } from '../../catalog/parameter.ts'
import { urlTemplates } from '../../catalog/url_templates.ts'
import type { Answer, ApiRequest, Handlers } from '../../http/handler.ts'

/** Operations of the catalog service. */
export const catalogHandlers: Handlers<keyof typeof catalogRoutes> = {
  'catalog.root': async ({ url }) => {
    return { json: urlTemplates(url.replace(/\?.*$/s, '').replace(/\/+$/, '')) }
  },

  'catalog.geoservices': listGeoservices,

  'catalog.geoservice': async ({ context, params }) => ({
    json: await readGeoservice(context.database, params.id),
  }),

  'catalog.statuses': listStatusPage,

  'catalog.status': async ({ context, params }) =>
    jsonText(await found(params.id, (id) => findStatus(context.database, id))),

  'catalog.icons': listIconPage,

  'catalog.icon': async ({ context, params }) =>
    jsonText(await found(params.id, (id) => findIcon(context.database, id))),

  'catalog.default_icon': async (request) => answerIcon(request, defaultIcon),

  'catalog.icon_content': async (request) => {
    const { context, params } = request
    return answerIcon(request, await found(params.id, (id) => findIconImage(context.database, id, 'drawn')))
  },
}

async function listStatusPage({
  context,
  url,
  query,
}: ApiRequest<'catalog.statuses'>): Promise<Answer<never>> {
  const { database } = context
  const page = pageOfStatuses(query)
  const geoservice = idOf(query, 'geoservice')
  if (geoservice !== undefined && !(await isGeoservice(database, geoservice)))
    throw unknownChoice('geoservice')
  const filter = { geoservice, status: statusOf(query), order: orderOf(query, statusOrders) }
  const count = await countStatuses(database, filter)
  const records = await listStatuses(database, filter, page)
  return jsonText(writePage({ url, page, count, records }))
}

async function listIconPage({ context, url, query }: ApiRequest<'catalog.icons'>): Promise<Answer<never>> {
  const { database } = context
  const page = pageOf(query as Parameters)
  const search = searchOf(query)
  const records = await listIcons(database, search, page ?? {})
  if (page === undefined) return jsonText(`[${records.join(',')}]`)
  const count = await countIcons(database, search)
  return jsonText(writePage({ url, page, count, records }))
}
