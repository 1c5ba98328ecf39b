import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { fastifyCors } from '@fastify/cors'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { replayedHeader } from '../../contract/bodies/idempotency.ts'
import { tus } from '../../contract/bodies/tus.ts'
import { problem } from '../../contract/problems.ts'
import { isExtraRoute, type ServiceProtocol } from '../../contract/route.ts'
import { type RouteName, routeOf } from '../../contract/routes.ts'
import type { Problem } from '../../core/problem.ts'
import type { ServerContext } from '../context.ts'
import { isTus, serverHeaders } from '../upload/tus_protocol.ts'
import { sendProblem } from './answer.ts'
import { addCatalogHeaders, answerOptions, catalogRoot, serviceHeaders } from './catalog_service.ts'
import { errorBody, getStatus, problemOf } from './error_body.ts'
import type { Handler } from './handler.ts'
import { limitPipelining } from './pipelining.ts'
import { createQuickAnswers, type QuickAnswers } from './quick_answers.ts'
import { createRefusalLog, isOverload } from './refusal_log.ts'
import { logAnswered, requestIdOf } from './request_log.ts'
import type { ResponseStyle } from './response_dialect.ts'
import { type KnownPath, listEndpoints, listPaths, type Offer } from './routing.ts'
import { createOperation, type RequestFacts } from './run_route.ts'
import { securityHeaders } from './security_headers.ts'
import { clientLimitsOf, limitSlowness } from './slow_client.ts'
import { addVary } from './vary.ts'
import { addWebFiles } from './web_files.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Path template of the contract. */
    template?: string
    /** Whether the path belongs to the catalog. */
    isCatalog?: boolean
    /** Format of errors other than that of the API. */
    errors?: ServiceProtocol | 'ogcapi' | undefined
  }
  interface FastifyRequest {
    facts: RequestFacts
  }
  interface FastifyInstance {
    responseStyle: ResponseStyle
    /** Path of the root of the catalog; undefined if the application does not have it. */
    catalogPath: string | undefined
  }
}

/** Finds the handler of a route. */
export type FindHandler = (name: RouteName) => Handler<RouteName>

/** HTTP status by error code of the HTTP parser; 400 for all others. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Creates an HTTP application: every route of its services under all its paths. */
export function createApp(
  context: ServerContext,
  findHandler: FindHandler,
  offer: Offer = { resources: true, catalog: '' },
): FastifyInstance {
  const quick = createQuickAnswers(context)
  const app = fastify({
    logger: false,
    bodyLimit: Number.MAX_SAFE_INTEGER,
    genReqId: requestIdOf,
    serverFactory: (handle) => createHttpServer(handle, quick),
    forceCloseConnections: 'idle',
    // While the server stops, requests on open connections are still processed, then the connection closes.
    return503OnClosing: false,
    trustProxy: context.trustedProxies.length > 0 && [...context.trustedProxies],
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 255 },
    clientErrorHandler: (error, socket) => answerClientError(error, socket, randomUUID()),
    frameworkErrors: (error, _request, reply) => sendProblem(reply as FastifyReply, problemOf(error)),
  })
  disableBodyParsing(app)
  addSecurityHeaders(app)
  addCors(app, context.corsOrigins)
  app.decorateRequest('facts')
  app.decorate('responseStyle', { dialect: context.dialect, plain: context.plain })
  app.decorate('catalogPath', offer.catalog === undefined ? undefined : `${offer.catalog}${catalogRoot}`)
  app.addHook('onRequest', async (request, reply) => {
    request.facts = {}
    // Fastify rejects an invalid Content-Type, which no operation needs.
    if (!/^[\w.+-]+\/[\w.+-]+/.test(request.headers['content-type'] ?? 'a/b'))
      delete request.raw.headers['content-type']
    limitSlowness(
      {
        request: request.raw,
        response: reply.raw,
        refuse: (fault) => sendProblem(reply.header('connection', 'close'), fault),
      },
      clientLimitsOf(context),
    )
    reply.header('x-request-id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => logRequest(context, request, reply))
  const report = createReporter(context)
  app.setErrorHandler((error, request, reply) => report({ error, request, reply }))
  app.setNotFoundHandler((request, reply) =>
    sendProblem(reply, problem('request/not-found', `No route matches ${pathOf(request)}.`)),
  )
  addEndpoints(app, context, { findHandler, offer, quick })
  if (offer.resources) addWebFiles(app)
  return app
}

/** Maximum size of a request head, in bytes. Large, because query strings may contain geometries. */
const maxHeaderBytes = 64 * 1024

function createHttpServer(handle: RequestListener, quick: QuickAnswers): Server {
  // Uploads of large files may take long; slow clients are disconnected by their rate.
  const limits = { maxHeaderSize: maxHeaderBytes, keepAliveTimeout: 65_000, requestTimeout: 0 }
  const listener = quick.before(handle, () => server.listening)
  const server = createServer(limits, limitPipelining(listener))
  return server
}

interface EndpointOptions {
  readonly findHandler: FindHandler
  readonly offer: Offer
  readonly quick: QuickAnswers
}

function addEndpoints(
  app: FastifyInstance,
  context: ServerContext,
  { findHandler, offer, quick }: EndpointOptions,
): void {
  const offered = listEndpoints(offer).filter(({ name }) => !(context.plain && isExtraRoute(routeOf(name))))
  for (const { name, method, url, template } of offered) {
    const run = createOperation(name, findHandler(name), { context, quick })
    const { service, errors } = routeOf(name)
    const isCatalog = service === 'catalog'
    const uploading = template.startsWith(uploadPath) ? addTusHeaders : []
    const onRequest = isCatalog ? addCatalogHeaders : uploading
    app.route({ method, url, config: { template, isCatalog, errors }, onRequest, handler: run })
  }
  const optionsOf = (template: string) =>
    template.startsWith(uploadPath)
      ? { 'tus-resumable': tus.version, ...serverHeaders(context.uploadLimitBytes) }
      : {}
  for (const path of listPaths(offered)) addOtherMethods(app, path, optionsOf)
}

const uploadPath = '/api/component/file_upload/'

async function addTusHeaders({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (isTus(headers)) reply.headers({ 'tus-resumable': tus.version, 'tus-version': tus.version })
}

/** Adds the other methods of a path: OPTIONS returns the allowed methods, the rest returns 405. */
function addOtherMethods(
  app: FastifyInstance,
  { url, template, allowed, others, name }: KnownPath,
  optionsOf: (template: string) => Record<string, string>,
): void {
  const allow = [...allowed, 'OPTIONS'].join(', ')
  const { service, summary } = routeOf(name)
  app.route({
    method: [...others],
    url,
    config: { template, isCatalog: service === 'catalog' },
    handler: (request, reply) => {
      reply.header('allow', allow)
      if (request.method === 'OPTIONS' && service === 'catalog')
        return answerOptions(reply.headers(serviceHeaders), { allow, summary })
      if (request.method === 'OPTIONS') return reply.headers(optionsOf(template)).status(204).send()
      const message = `${pathOf(request)} does not support ${request.method}; allowed methods: ${allow}.`
      return sendProblem(reply, problem('request/method', message))
    },
  })
}

// Operations read their body themselves: JSON regardless of Content-Type, files as streams.
function disableBodyParsing(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? url
}

interface Failure {
  readonly error: unknown
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Creates the function that logs a failure of the server, and responds. */
function createReporter({ log }: ServerContext): (failure: Failure) => FastifyReply {
  const logRefusal = createRefusalLog(log)
  return ({ error, request, reply }) => {
    const fault = problemOf(error)
    // Discards the rest of the body: a client that is still sending does not read the response.
    request.raw.resume()
    const { id, method, routeOptions } = request
    const facts = { request_id: id, code: fault.code, error: fault.cause ?? error }
    if (isOverload(fault)) logRefusal({ id, method, template: routeOptions.config.template, fault })
    else if (getStatus(fault) >= 500 && getStatus(fault) !== 501) log.error(facts, 'request failed')
    return sendProblem(reply, fault)
  }
}

function logRequest({ log }: ServerContext, request: FastifyRequest, reply: FastifyReply): void {
  const { id, method, facts, routeOptions } = request
  logAnswered(log, {
    ...{ id, method, status: reply.statusCode, milliseconds: reply.elapsedTime },
    template: routeOptions.config.template,
    user: facts?.caller?.keyname,
    bytes: facts?.sentBytes ?? Number(reply.getHeader('content-length') ?? 0),
  })
}

/** Adds the security headers to every response. */
function addSecurityHeaders(app: FastifyInstance): void {
  const headers = securityHeaders()
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}

/** Response headers that scripts of allowed origins may read. */
const exposed = [
  'ETag',
  'Retry-After',
  'X-Request-Id',
  'Content-Disposition',
  'Location',
  replayedHeader,
  ...tus.exposed,
]
const preflightSeconds = 3600

/** Allows cross-origin requests from the configured origins. */
function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  void app.register(fastifyCors, {
    delegator: (request, done) =>
      done(null, {
        origin:
          request.routeOptions.config.isCatalog !== true && origins.includes(request.headers.origin ?? ''),
        credentials: true,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        exposedHeaders: exposed,
        maxAge: preflightSeconds,
        preflight:
          request.routeOptions.config.isCatalog !== true &&
          request.headers['access-control-request-method'] !== undefined,
      }),
  })
  // At the end, since responses set their own: that of an origin must not be cached for others, nor that without one.
  app.addHook('onSend', async (request, reply) => {
    if (request.routeOptions.config.isCatalog === true) return
    reply.header('vary', addVary(reply.getHeader('vary')?.toString(), 'Origin'))
  })
}

/** Sends a JSON error for a request that the HTTP parser rejects, and closes the connection. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = statuses[error.code ?? ''] ?? 400
  const reason = STATUS_CODES[status] ?? ''
  const body = JSON.stringify(errorBody(malformed(error, status), requestId))
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function malformed({ code }: NodeJS.ErrnoException, status: number): Problem {
  // Usually a name that is not percent-encoded: the HTTP parser accepts ASCII only.
  if (code === 'HPE_INVALID_URL')
    return problem('request/malformed', 'The request URL contains invalid characters.', {
      hint: 'Percent-encode them, for example with curl -G --data-urlencode "fld_name=Łódź".',
    })
  const message = `Cannot parse the HTTP request: ${STATUS_CODES[status]}.`
  return problem('request/malformed', message, { status })
}
