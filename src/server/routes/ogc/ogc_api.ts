import { problem } from '../../../contract/problems.ts'
import type { ogcApiRoutes } from '../../../contract/routes/ogc_api.ts'
import { definitionDocument } from '../../../ogc/features_api/definition.ts'
import {
  collectionDocument,
  collectionsDocument,
  conformance,
  landingDocument,
  mediaTypes,
  queryablesDocument,
} from '../../../ogc/features_api/feature_api.ts'
import {
  tileMatrixSet,
  tileMatrixSetDocument,
  tileMatrixSetsDocument,
  tilesetDocument,
  tilesetsDocument,
} from '../../../ogc/features_api/tiles.ts'
import { retryOnSchemaChange } from '../../features/open_layer.ts'
import type { Answer, ApiRequest, Handlers } from '../../http/handler.ts'
import { answerTile, readTileRequest } from '../../map/vector_tile.ts'
import { htmlAnswer, jsonAnswer, readFormat } from '../../ogc_api/answer_document.ts'
import { answerItem, answerItems } from '../../ogc_api/items.ts'
import { findCollection, type OgcApiRequest, openApi, withDescriptions } from '../../ogc_api/open_api.ts'
import { documentPage } from '../../pages/ogc_api_page.ts'
import { addExtents } from '../../wfs/published_service.ts'

/** Operations of OGC API Features and Tiles. */
export const ogcApiHandlers: Handlers<keyof typeof ogcApiRoutes> = {
  'ogcapi.landing': async (request) => answerDocument(request, landingDocument(await openDescribed(request))),

  'ogcapi.definition': async (request) => {
    const document = definitionDocument(await openApi(request), request.context.version)
    return answerDocument(request, { title: 'Definition of the API', ...document }, mediaTypes.openapi)
  },

  'ogcapi.conformance': async (request) => {
    await openApi(request)
    return answerDocument(request, { title: 'Conformance classes', conformsTo: conformance })
  },

  'ogcapi.collections': async (request) => {
    const api = await openDescribed(request)
    const collections = await addExtents(request.context, api.collections)
    return answerDocument(request, { title: 'Collections', ...collectionsDocument({ ...api, collections }) })
  },

  'ogcapi.collection': async (request) => {
    const api = await openDescribed(request)
    const found = findCollection(api, request.params.collection)
    const [collection = found] = await addExtents(request.context, [found])
    return answerDocument(request, collectionDocument(api, collection))
  },

  'ogcapi.queryables': async (request) => {
    const api = await openApi(request)
    const collection = findCollection(api, request.params.collection)
    return answerDocument(request, queryablesDocument(api, collection), mediaTypes.schema)
  },

  'ogcapi.items': retryOnSchemaChange(answerItems),

  'ogcapi.item': retryOnSchemaChange(answerItem),

  'ogcapi.tile_matrix_sets': async (request) => {
    const document = tileMatrixSetsDocument(await openApi(request))
    return answerDocument(request, { title: 'Tile matrix sets', ...document })
  },

  'ogcapi.tile_matrix_set': async (request) => {
    await openApi(request)
    checkSet(request.params.set)
    return answerDocument(request, tileMatrixSetDocument())
  },

  'ogcapi.tilesets': async (request) => {
    const api = await openApi(request)
    const document = tilesetsDocument(api, findCollection(api, request.params.collection))
    return answerDocument(request, { title: 'Tilesets', ...document })
  },

  'ogcapi.tileset': async (request) => {
    const api = await openApi(request)
    const collection = findCollection(api, request.params.collection)
    checkSet(request.params.set)
    return answerDocument(request, tilesetDocument(api, collection))
  },

  'ogcapi.tile': retryOnSchemaChange(async (request) => {
    const { z, x, y, set, collection } = request.params
    const { id, layer } = findCollection(await openApi(request), collection)
    checkSet(set)
    // As the description of the tileset says: clients style the layer by this name.
    return answerTile(request, { ids: [layer.resourceId], layerName: id }, readTileRequest({ z, x, y }))
  }),
}

const openDescribed = async (request: OgcApiRequest) => withDescriptions(request, await openApi(request))

function checkSet(set: string): void {
  if (set !== tileMatrixSet)
    throw problem('request/not-found', `There is no tile matrix set "${set.slice(0, 80)}".`, {
      hint: `Use ${tileMatrixSet}.`,
    })
}

type DocumentRequest = Pick<ApiRequest, 'headers' | 'caller' | 'context' | 'url'> & {
  readonly query: { readonly f?: string | undefined }
}

/** Answers with a document, as JSON or as a page. */
function answerDocument(request: DocumentRequest, document: object, mediaType?: string): Answer {
  const format = readFormat(request.query.f, request.headers)
  return format === 'html' ? htmlAnswer(documentPage(request, document)) : jsonAnswer(document, mediaType)
}
