import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PermissionMask } from '../../access/permission_mask.ts'
import { keyHeader } from '../../contract/bodies/idempotency.ts'
import {
  type BodyLimits,
  bodyLimitOf,
  formLimits,
  isResourceId,
  maxBodyValues,
  statementLimitOf,
  statementMsOf,
} from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { parseQuery, type RawQuery } from '../../contract/query.ts'
import type { BodyKind, RouteDescriptor } from '../../contract/route.ts'
import { maxFeatures } from '../../contract/routes/feature.ts'
import { type RouteName, routeOf } from '../../contract/routes.ts'
import { maxValuesIn } from '../../contract/schema/max_values.ts'
import { listSecrets, type Schema } from '../../contract/schema/schema.ts'
import { createValidatorCompiler } from '../../contract/schema/validate.ts'
import type { Log } from '../../core/log.ts'
import { isProblem } from '../../core/problem.ts'
import { isStorableText } from '../../core/storable.ts'
import { workFor } from '../../database/turns.ts'
import { depthHeader, workAtDepth } from '../../http/service_depth.ts'
import type { Caller } from '../auth/caller.ts'
import { networkOf } from '../auth/client_address.ts'
import { endedCookie, findAuthorization, findSessionSecret, sessionCookie } from '../auth/credentials.ts'
import { checkOrigin } from '../auth/origin.ts'
import type { ServerContext } from '../context.ts'
import { notFound, requirePermission } from '../resource/require_permission.ts'
import { sendAnswer } from './answer.ts'
import { checkFormat } from './catalog_service.ts'
import type { Answer, ApiRequest, Handler } from './handler.ts'
import { createIdempotency, type Idempotency, parseKey, unkeyed } from './idempotent_request.ts'
import { checkValue } from './invalid_request.ts'
import { readExactBody, readFormBody, readJsonBody } from './json_body.ts'
import type { QuickAnswers } from './quick_answers.ts'
import { dialectOf, plainAnswer } from './response_dialect.ts'

/** Facts of a request for its log line, collected while it is processed. */
export interface RequestFacts {
  /** Absent before the request is authenticated, and on routes that need no caller. */
  caller?: Caller
  /** Bytes of a streamed response sent so far. */
  sentBytes?: number
}

/** The application that an operation belongs to. */
interface OperationPlace {
  readonly context: ServerContext
  readonly quick: QuickAnswers
}

type Run = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/**
 * Creates the request handler of an operation. Its database statements are scheduled fairly: per user, for guests per
 * network. Signing in is apart from both: a user does not wait behind the guests of the same network.
 */
export function createOperation(name: RouteName, handler: Handler<RouteName>, place: OperationPlace): Run {
  const { context } = place
  const route = routeOf(name)
  const answer = createAnswer(name, handler, place)
  const statementMs = statementMsOf(route)
  return async (request, reply) => {
    const signal = signalOf(reply)
    const network = networkOf(request.ip)
    const signIn = `sign-in ${network}`
    const caller = route.isAnonymous
      ? anonymous
      : await workFor({ name: signIn, statementMs }, () => authenticate(context, request, reply))
    const guest = route.changesSession === true ? signIn : `network ${network}`
    const party = caller.isGuest ? guest : `user ${caller.id}`
    // Many clients may go away while their requests wait: the server owes them nothing.
    signal.throwIfAborted()
    const answerCaller = () =>
      workFor({ name: party, statementMs }, () => answer(request, reply, { caller, signal }))
    return workAtDepth(request.headers[depthHeader], answerCaller)
  }
}

/** Who requests, and a signal that aborts when the client disconnects. */
interface KnownClient {
  readonly caller: Caller
  readonly signal: AbortSignal
}

type AnswerCaller = (
  request: FastifyRequest,
  reply: FastifyReply,
  client: KnownClient,
) => Promise<FastifyReply>

/** Creates the function that checks permissions, parses and validates a request, then calls the handler. */
function createAnswer(
  name: RouteName,
  handler: Handler<RouteName>,
  { context, quick }: OperationPlace,
): AnswerCaller {
  const route = routeOf(name)
  const checkBody = bodyChecker(route)
  const limits = bodyLimitsOf(route, context.bodyLimitBytes)
  return async (request, reply, { caller, signal }) => {
    if (caller.medium === 'session' || route.changesSession) checkOrigin(originOf(request, context))
    const params = readParams(route, request.params as Record<string, string>)
    const mask = await checkPermission(context, caller, { route, params })
    signal.throwIfAborted()
    if (route.forUsers === true && caller.isGuest)
      throw problem('access/denied', `Guests cannot use ${route.method} ${route.path}.`, { hint: 'Sign in.' })
    const { named, more } = readQuery(route, request.query as RawQuery)
    if (route.service === 'catalog') checkFormat(route, request.headers.accept, named)
    const body = await readBody(route, request, limits)
    checkBody(body)
    const idempotency = idempotencyOf(route, request, { context, caller })
    const own = { mask, params, query: named, more, body, idempotency, signal }
    let isDone = false
    try {
      const before = hasParsedBody(route) ? await idempotency.begin(body) : undefined
      const answer =
        before ?? (await handler({ ...requestOf(request, { context, caller }), ...own } as ApiRequest))
      isDone = true
      rememberUrl(quick, request, answer)
      return sendAnswer(reply, context.plain ? plainAnswer(name, answer) : answer)
    } catch (error) {
      throw isProblem(error, 'database/timeout') ? statementTimeout(route, context, error) : error
    } finally {
      await idempotency.end(isDone)
    }
  }
}

function rememberUrl(quick: QuickAnswers, request: FastifyRequest, { again }: Answer): void {
  if (again !== undefined && request.method === 'GET')
    quick.remember(request.url, { template: request.routeOptions.config.template, again })
}

/** Creates a timeout error that states the limit. */
function statementTimeout(route: RouteDescriptor, { database }: ServerContext, cause: unknown) {
  const seconds = statementLimitOf(route)[database.driver]
  const message = `A database statement took longer than ${seconds} s, the limit of ${route.method} ${route.path}.`
  return problem('database/timeout', message, { cause })
}

interface RouteParams {
  readonly route: RouteDescriptor
  readonly params: Record<string, unknown>
}

async function checkPermission(
  context: ServerContext,
  caller: Caller,
  { route: { permission }, params: { id } }: RouteParams,
): Promise<PermissionMask> {
  if (permission === undefined || typeof id !== 'number') return 0
  const masks = await requirePermission(context, caller, { ids: [id], permission })
  return masks.get(id) ?? 0
}

const anonymous: Caller = {
  id: -1,
  keyname: 'anonymous',
  displayName: 'Anonymous',
  principalIds: [],
  superuser: false,
  isAdministrator: false,
  isGuest: true,
  language: 'en',
  credential: '',
  medium: null,
}

async function authenticate(
  { authenticator }: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller> {
  const authorization = findAuthorization(request.raw)
  const secure = isSecure(request)
  const session = findSessionSecret({ cookie: request.headers.cookie, secure })
  const identified = await authenticator
    .authenticate({ session, authorization, address: request.ip })
    .catch((error: unknown) => {
      // Deletes the cookie, so that the browser sends the next request as a guest.
      if (isProblem(error, 'auth/session-ended')) reply.header('set-cookie', endedCookie(secure))
      throw error
    })
  const { caller, prolongedSeconds: seconds } = identified
  if (session !== undefined && seconds !== undefined)
    reply.header('set-cookie', sessionCookie(session, { seconds, secure }))
  request.facts.caller = caller
  return caller
}

function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https'
}

function originOf({ method, headers, host }: FastifyRequest, { corsOrigins: allowed }: ServerContext) {
  const fetchSite = headers['sec-fetch-site']
  return { method, origin: headers.origin, fetchSite: fetchSite?.toString(), host, allowed }
}

interface CallerContext {
  readonly context: ServerContext
  readonly caller: Caller
}

function idempotencyOf(
  { takesKey, response }: RouteDescriptor,
  request: FastifyRequest,
  callerContext: CallerContext,
): Idempotency {
  const key =
    takesKey === true && !callerContext.context.plain ? parseKey(request.headers[keyHeader]) : undefined
  if (key === undefined) return unkeyed
  const target = `${request.method} ${request.url}`
  return createIdempotency({
    ...callerContext,
    key,
    target,
    secretNames: listSecrets((response ?? {}) as Schema),
  })
}

function requestOf(request: FastifyRequest, { context, caller }: CallerContext) {
  const log: Log = context.log.child({ request_id: request.id })
  return {
    context,
    caller,
    log,
    id: request.id,
    dialect: dialectOf(request.headers, context.dialect),
    address: request.ip,
    url: `${request.protocol}://${request.host}${request.url}`,
    secure: isSecure(request),
    headers: context.plain ? { ...request.headers, 'if-match': undefined } : request.headers,
    raw: request.raw,
  }
}

function readParams(route: RouteDescriptor, texts: Record<string, string>): Record<string, unknown> {
  const entries = Object.entries(route.params?.properties ?? {}).map(([name, schema]) => {
    // Fastify names the wildcard parameter `*`.
    const text = texts[name] ?? texts['*'] ?? ''
    if (!isStorableText(text))
      throw problem(
        'request/not-found',
        `Path parameter "${name}" contains a NUL character or an unpaired surrogate.`,
      )
    const isInteger = (schema as { type?: string }).type === 'integer'
    return [name, isInteger ? Number(text) : text] as const
  })
  const params = Object.fromEntries(entries)
  // Out of range of the id column, so the resource cannot exist.
  const { id } = params
  if (route.path.includes('/resource/{id}') && typeof id === 'number' && !isResourceId(id))
    throw notFound(id, texts.id)
  return params
}

function readQuery(route: RouteDescriptor, raw: RawQuery): ReturnType<typeof parseQuery> {
  for (const [name, value] of Object.entries(raw))
    if (!isStorableText(name) || !isStorableText(String(value)))
      throw problem(
        'request/invalid',
        `Parameter ${JSON.stringify(name)} contains a NUL character or an unpaired surrogate.`,
        {
          data: { location: ['query', name] },
        },
      )
  return parseQuery(route, raw)
}

const parsedKinds: readonly BodyKind[] = ['json', 'form']

function hasParsedBody({ bodyKind = 'json' }: RouteDescriptor): boolean {
  return parsedKinds.includes(bodyKind)
}

/** Values that a body may have beyond those of its schema: members that clients send and the server ignores. */
const spareValues = 1000

/** Values that a body without a schema may have: those of the features to delete, whose ids are read. */
const unboundValues = 10 * maxFeatures

function bodyLimitsOf(route: RouteDescriptor, largeBytes: number | undefined): BodyLimits {
  const { body, bodyKind } = route
  const schemaValues = body === undefined ? unboundValues : maxValuesIn(body as Schema) + spareValues
  const values = Math.min(schemaValues, maxBodyValues(route, largeBytes))
  return {
    bytes: bodyLimitOf(route, largeBytes),
    values: bodyKind === 'form' ? formLimits.fields : values,
  }
}

/** Reads a JSON or form body. Operations with other bodies read them themselves. */
async function readBody(
  route: RouteDescriptor,
  request: FastifyRequest,
  limits: BodyLimits,
): Promise<unknown> {
  if (!hasParsedBody(route)) return undefined
  const readJson = route.hasLongNumbers === true ? readExactBody : readJsonBody
  const read = route.bodyKind === 'form' ? readFormBody : readJson
  return read(request.raw, limits)
}

const compile = createValidatorCompiler({ faults: 'first' })

function bodyChecker(route: RouteDescriptor): (body: unknown) => void {
  const { body: schema } = route
  if (schema === undefined || !hasParsedBody(route)) return () => undefined
  const validate = compile(schema)
  return (body) => checkValue(validate, body)
}

/** Creates a signal that aborts when the client disconnects before the response, or its own request, is complete. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished || !reply.request.raw.complete)
      controller.abort(problem('request/aborted', 'The client disconnected.'))
  })
  return controller.signal
}
