import { bodyLimitOf, statementMsOf } from '../../../contract/limits.ts'
import type { wfsRoutes } from '../../../contract/routes/wfs.ts'
import { routes } from '../../../contract/routes.ts'
import { workWithin } from '../../../database/turns.ts'
import { collectParameters } from '../../../ogc/key_value_pairs.ts'
import { decodeText } from '../../../ogc/text_encoding.ts'
import { capabilitiesDocument } from '../../../ogc/wfs/capabilities.ts'
import { findFeatureType } from '../../../ogc/wfs/feature_type.ts'
import { parseKvp } from '../../../ogc/wfs/parse_kvp.ts'
import { checkService, parseXmlRequest } from '../../../ogc/wfs/parse_xml.ts'
import { schemaDocument } from '../../../ogc/wfs/schema_document.ts'
import { storedQueryDescriptions, storedQueryList } from '../../../ogc/wfs/stored_queries.ts'
import {
  checkTransaction,
  isTransactionContainer,
  readAction,
  type TransactionAction,
} from '../../../ogc/wfs/transaction_action.ts'
import { transactionResponse } from '../../../ogc/wfs/transaction_response.ts'
import { faultVersion, readVersion, type WfsProtocol } from '../../../ogc/wfs/wfs_protocol.ts'
import type { WfsRequest } from '../../../ogc/wfs/wfs_request.ts'
import type { WfsService } from '../../../ogc/wfs/wfs_service.ts'
import { createXmlTreeReader, type XmlItem, type XmlNode, type XmlTreeReader } from '../../../ogc/xml_tree.ts'
import { retryOnSchemaChange } from '../../features/open_layer.ts'
import type { Answer, ApiRequest, Handlers } from '../../http/handler.ts'
import { requirePermission } from '../../resource/require_permission.ts'
import { spoolBody } from '../../stream/spool.ts'
import { getFeature } from '../../wfs/get_feature.ts'
import { openService, withAbstracts, withExtents } from '../../wfs/published_service.ts'
import { runTransaction } from '../../wfs/transaction.ts'
import { findErrorAnswer, versionOf } from '../../wfs/wfs_error.ts'

type WfsHttpRequest = ApiRequest<keyof typeof wfsRoutes>

/** Maximum size of a request other than a transaction, and of an action of a transaction, in characters. */
const maxItemLength = 16 * 2 ** 20

/** Operations of WFS services. */
export const wfsHandlers: Handlers<keyof typeof wfsRoutes> = {
  'wfs.get': (request) =>
    reportFaults(
      request,
      () => versionOf(request.url),
      async () => answerRequest(request, parseKvp(collectParameters(request.more))),
    ),

  'wfs.post': async (request) => {
    const reader = createXmlTreeReader({ isContainer: isTransactionContainer, maxItemLength })
    const version = () => faultVersion(reader.root?.attributes.get('version'))
    return reportFaults(request, version, () => answerBody(request, reader))
  },
}

async function answerBody(request: WfsHttpRequest, reader: XmlTreeReader): Promise<Answer> {
  const { context, raw, headers, caller, params } = request
  // Before the body is received.
  await requirePermission(context, caller, { ids: [params.id], permission: 'service.connect' })
  // Receives the complete body before a transaction, so that a slow client does not hold locks.
  await using body = await spoolBody(raw, {
    folder: context.temporaryFolder,
    limitBytes: bodyLimitOf(routes['wfs.post'], context.bodyLimitBytes),
  })
  const items = readItems(reader, decodeText(body.chunks(), headers['content-type'] ?? ''))
  const first = await items.next()
  // Waits here, because the body is released when this function returns.
  if (first.done === true) return await answerTransaction(request, first.value, readActions(first, items))
  const [transaction] = first.value.containers
  if (transaction !== undefined)
    return await answerTransaction(request, transaction, readActions(first, items))
  // The end of the document must be well-formed, too.
  await items.next()
  const wanted = parseXmlRequest(first.value.node)
  // Only transactions may take as long as the operation.
  return workWithin(statementMsOf(routes['wfs.get']), () => answerRequest(request, wanted))
}

/** Reads the items of a document; returns its root. */
async function* readItems(
  reader: XmlTreeReader,
  pieces: AsyncIterable<string>,
): AsyncGenerator<XmlItem, XmlNode> {
  for await (const piece of pieces) yield* reader.write(piece)
  return reader.end()
}

async function* readActions(
  first: IteratorResult<XmlItem, XmlNode>,
  items: AsyncIterator<XmlItem, XmlNode>,
): AsyncGenerator<TransactionAction> {
  for (let next = first; next.done !== true; next = await items.next()) {
    const action = readAction(next.value)
    if (action !== undefined) yield action
  }
}

async function answerTransaction(
  request: WfsHttpRequest,
  root: XmlNode,
  actions: AsyncGenerator<TransactionAction>,
): Promise<Answer> {
  checkService(root)
  checkTransaction(root)
  const protocol = readVersion(root.attributes.get('version'))
  const service = await openService(request)
  return xmlAnswer(
    transactionResponse(await runTransaction({ http: request, service, protocol, actions }), protocol),
  )
}

/** Answers a request other than a transaction. */
async function answerRequest(request: WfsHttpRequest, wanted: WfsRequest): Promise<Answer> {
  const read = retryOnSchemaChange(async (wanted: WfsRequest) => {
    const service = await openService(request)
    return answerOperation(request, service, wanted)
  })
  return read(wanted)
}

async function answerOperation(
  request: WfsHttpRequest,
  service: WfsService,
  wanted: WfsRequest,
): Promise<Answer> {
  const { protocol } = wanted
  switch (wanted.operation) {
    case 'GetCapabilities':
      return xmlAnswer(
        capabilitiesDocument(
          await withAbstracts(request, await withExtents(request.context, service)),
          protocol,
        ),
      )
    case 'DescribeFeatureType': {
      const { typeNames } = wanted
      const types = new Set(typeNames.map((name) => findFeatureType(service.types, name)))
      return xmlAnswer(schemaDocument(service, protocol, types.size === 0 ? service.types : [...types]))
    }
    case 'GetFeature':
      return getFeature(request, service, wanted)
    case 'ListStoredQueries':
      return xmlAnswer(storedQueryList(service, protocol))
    case 'DescribeStoredQueries':
      return xmlAnswer(storedQueryDescriptions(service, protocol, wanted.ids))
  }
}

const xmlAnswer = (text: string): Answer => ({
  bytes: Buffer.from(text),
  mediaType: 'text/xml; charset=utf-8',
})

/** Answers refused requests with an exception report of their version. */
async function reportFaults(
  request: WfsHttpRequest,
  findVersion: () => WfsProtocol,
  work: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    const { id: requestId, caller } = request
    const answer = findErrorAnswer(error, { protocol: findVersion(), requestId, isGuest: caller.isGuest })
    if (answer === undefined) throw error
    // The rest of a refused body is discarded: a client that is still sending does not read the response.
    request.raw.resume()
    return answer
  }
}
