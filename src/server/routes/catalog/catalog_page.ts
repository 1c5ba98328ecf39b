import {
  cumulativeStatuses,
  type GeoserviceItem,
  type GeoserviceStatus,
  geoserviceTypes,
} from '../../../contract/catalog/catalog.ts'
import { problem } from '../../../contract/problems.ts'
import { catalogPageLength, type catalogPageRoutes, uncheckedStatus } from '../../../contract/routes/page.ts'
import { isProblem, type Problem } from '../../../core/problem.ts'
import { findIconImage } from '../../../store/catalog/catalog_icon.ts'
import { listGeoserviceRecords } from '../../../store/catalog/catalog_record.ts'
import { listStatuses } from '../../../store/catalog/geoservice_status.ts'
import { countChecksByDay } from '../../../store/catalog/uptime.ts'
import { defaultIcon } from '../../catalog/default_icon.ts'
import { isEditor } from '../../catalog/editor.ts'
import { found, readGeoservice } from '../../catalog/geoservice_detail.ts'
import { answerIcon } from '../../catalog/icon_answer.ts'
import { readFilter, readPage } from '../../catalog/list_geoservices.ts'
import { invalidParameter } from '../../catalog/parameter.ts'
import type { ServerContext } from '../../context.ts'
import { wantsJson } from '../../http/answer.ts'
import { getStatus } from '../../http/error_body.ts'
import type { Answer, ApiRequest, Handlers } from '../../http/handler.ts'
import { findWebFile } from '../../http/web_files.ts'
import { catalogPageHeaders, hasCatalog, previewOrigins } from '../../pages/catalog_frame.ts'
import { type CatalogPage, catalogPage } from '../../pages/catalog_page.ts'
import { geoservicePage, type Management, unknownGeoservicePage } from '../../pages/geoservice_page.ts'
import { firstDay } from '../../pages/uptime_chart.ts'

/** Pages of the catalog of geoservices. They read the data on the server, wherever the catalog itself is. */
export const catalogPageHandlers: Handlers<keyof typeof catalogPageRoutes> = {
  'page.catalog': async (request) => {
    requireCatalog(request.context)
    return showCatalog(request)
  },

  'page.geoservice': async (request) => {
    requireCatalog(request.context)
    return showGeoservice(request)
  },

  'page.geoservice_record': async ({ context, params }) => {
    requireCatalog(context)
    return { json: await readGeoservice(context.database, params.id) }
  },

  'page.catalog_icon': async (request) => {
    const { context, params } = request
    requireCatalog(context)
    if (params.icon === 'default') return answerIcon(request, defaultIcon)
    return answerIcon(
      request,
      await found(Number(params.icon), (id) => findIconImage(context.database, id, 'drawn')),
    )
  },
}

/** @throws {Problem} request/not-found if the server does not have the catalog */
function requireCatalog(context: ServerContext): void {
  if (!hasCatalog(context)) throw problem('request/not-found', 'This server does not have the catalog.')
}

async function showCatalog(request: ApiRequest<'page.catalog'>): Promise<Answer> {
  const { caller, query } = request
  const { search = '', type = '', epsg = '', cumulative_status = '', offset = 0 } = query
  const shown = {
    caller,
    query: { search, type, epsg, cumulative_status },
    offset,
    script: await findWebFile('catalog.js', request.context.log),
  }
  try {
    return page(catalogPage({ ...shown, ...(await readList(request, offset)) }))
  } catch (error) {
    if (!isProblem(error, 'request/invalid')) throw error
    const fault = faultText(error)
    return {
      ...page(catalogPage({ ...shown, count: 0, services: [], fault })),
      status: getStatus(error),
    }
  }
}

const faultText = ({ message, data }: Problem): string =>
  (data as { location?: readonly unknown[] }).location?.[1] === 'epsg'
    ? 'The EPSG code is not a number.'
    : message

async function readList(
  { context, query }: ApiRequest<'page.catalog'>,
  offset: number,
): Promise<Pick<CatalogPage, 'count' | 'services'>> {
  const { search, type, epsg, cumulative_status: status } = query
  checkChoice('type', geoserviceTypes, type)
  checkChoice('cumulative_status', [...cumulativeStatuses, uncheckedStatus], status)
  const filter =
    status === uncheckedStatus
      ? { ...readFilter({ search, type, epsg }), status: null }
      : readFilter({ search, type, epsg, cumulative_status: status })
  const { count, records } = await readPage(context.database, filter, { limit: catalogPageLength, offset })
  return { count, services: records.map((record) => JSON.parse(record) as GeoserviceItem) }
}

/** @throws {Problem} request/invalid if a condition has a value that the form does not offer */
function checkChoice(name: 'type' | 'cumulative_status', choices: readonly string[], value = ''): void {
  if (value === '' || choices.includes(value)) return
  const label = name === 'type' ? 'type' : 'status'
  throw invalidParameter(name, `The ${label} ${JSON.stringify(value.slice(0, 100))} is unknown.`)
}

const shownChecks = 20

async function showGeoservice(request: ApiRequest<'page.geoservice'>): Promise<Answer> {
  const { context, caller, params } = request
  const { database } = context
  const { id } = params
  const service = await readGeoservice(database, id).catch((error: unknown) => {
    // Programs read the error itself.
    if (!isProblem(error, 'request/not-found') || wantsJson(`/catalog/${id}/`, request.headers)) throw error
    return undefined
  })
  if (service === undefined) return { ...page(unknownGeoservicePage(caller, id)), status: 404 }
  const now = new Date()
  const newestFirst = [{ by: 'check_at', isDescending: true }] as const
  const records = await listStatuses(database, { geoservice: id, order: newestFirst }, { limit: shownChecks })
  const html = geoservicePage({
    caller,
    service,
    checks: records.map((record) => JSON.parse(record) as GeoserviceStatus),
    days: await countChecksByDay(database, id, firstDay(now)),
    now,
    management: await readManagement(request),
    script: await findWebFile('geoservice.js', context.log),
  })
  return page(html, catalogPageHeaders(previewOrigins(service)))
}

/** Keys and manifests are shown to editors of the catalog only. */
async function readManagement(request: ApiRequest<'page.geoservice'>): Promise<Management | undefined> {
  const { context, caller, params } = request
  if (caller.isGuest || !(await isEditor(request))) return undefined
  const [record] = await listGeoserviceRecords(context.database, [params.id])
  return record && { keyname: record.keyname ?? null, manifest: record.manifest ?? null }
}

function page(html: string, headers = catalogPageHeaders()): Answer {
  return { bytes: Buffer.from(html), mediaType: 'text/html; charset=utf-8', headers }
}
