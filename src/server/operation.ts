import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PermissionMask } from '../access/mask.ts'
import type { Dialect } from '../contract/dialect.ts'
import { problem } from '../contract/problems.ts'
import { parseQuery, type RawQuery } from '../contract/query.ts'
import type { RouteDescriptor } from '../contract/route.ts'
import { type RouteName, routeOf } from '../contract/routes.ts'
import { createValidatorCompiler } from '../contract/validate.ts'
import type { Log } from '../core/log.ts'
import { isResourceId } from '../store/resource_id.ts'
import { sendAnswer } from './answer.ts'
import type { Authenticator } from './auth/authenticate.ts'
import { hasBody, readJsonBody } from './body.ts'
import type { Caller } from './caller.ts'
import type { ServerContext } from './context.ts'
import type { ApiRequest } from './handler.ts'
import { checkValue } from './invalid.ts'
import { checkStorable, isStorableText } from './json_values.ts'
import { notFound, requirePermission } from './permit.ts'
import { handlerOf } from './routes/table.ts'

/** What a request learns about itself on its way, for the log line. */
export interface RequestFacts {
  user?: string
  /** Bytes of a streamed answer, so far. */
  sentBytes?: number
}

/** What operations need besides the request. */
export interface Operations {
  readonly context: ServerContext
  readonly authenticator: Authenticator
}

type Run = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** Makes the function that does one operation: who asks, may he, what is asked, then the handler. */
export function createOperation(name: RouteName, { context, authenticator }: Operations): Run {
  const route = routeOf(name)
  const handler = handlerOf(name)
  const checkBody = bodyChecker(route)
  return async (request, reply) => {
    const caller = asksNobody.has(name) ? nobody : await authenticate(authenticator, request)
    const params = readParams(route, request.params as Record<string, string>)
    const mask = await checkPermission(context, caller, { route, params })
    const { named, more } = readQuery(route, request.query as RawQuery)
    const body = await readBody(route, request, context.bodyLimitBytes)
    checkBody(body)
    const answer = await handler({
      ...requestOf(request, { context, caller }),
      mask,
      params,
      query: named,
      more,
      body,
      signal: signalOf(reply),
    } as ApiRequest)
    return sendAnswer(reply, answer)
  }
}

interface Asked {
  readonly route: RouteDescriptor
  readonly params: Record<string, unknown>
}

async function checkPermission(
  context: ServerContext,
  caller: Caller,
  { route: { permission }, params: { id } }: Asked,
): Promise<PermissionMask> {
  if (permission === undefined || typeof id !== 'number') return 0
  const masks = await requirePermission(context, caller, { ids: [id], permission })
  return masks.get(id) ?? 0
}

/** Operations that answer though the database, and with it every user, is away. */
const asksNobody: ReadonlySet<RouteName> = new Set<RouteName>(['instance.alive', 'instance.ready'])

const nobody: Caller = {
  id: -1,
  keyname: 'nobody',
  displayName: 'Nobody',
  principalIds: [],
  superuser: false,
  isAdministrator: false,
  isGuest: true,
  language: 'en',
}

async function authenticate(authenticator: Authenticator, request: FastifyRequest): Promise<Caller> {
  const { authorization } = request.headers
  const caller = await authenticator.authenticate({ authorization, address: request.ip })
  request.facts.user = caller.keyname
  return caller
}

function requestOf(
  request: FastifyRequest,
  { context, caller }: { readonly context: ServerContext; readonly caller: Caller },
) {
  const log: Log = context.log.child({ request_id: request.id })
  return {
    context,
    caller,
    log,
    id: request.id,
    dialect: dialectOf(request, context.dialect),
    headers: request.headers,
    raw: request.raw,
  }
}

function dialectOf({ headers }: FastifyRequest, fallback: Dialect): Dialect {
  const asked = headers['x-api-dialect']
  if (asked === 'ngw') return 'sister'
  return asked === 'document' ? 'document' : fallback
}

function readParams(route: RouteDescriptor, texts: Record<string, string>): Record<string, unknown> {
  const entries = Object.entries(route.params?.properties ?? {}).map(([name, schema]) => {
    const text = texts[name] ?? ''
    const isInteger = (schema as { type?: string }).type === 'integer'
    return [name, isInteger ? Number(text) : text] as const
  })
  const params = Object.fromEntries(entries)
  // No database could hold it, so no resource has it.
  if (typeof params.id === 'number' && !isResourceId(params.id)) throw notFound(params.id)
  return params
}

function readQuery(route: RouteDescriptor, raw: RawQuery): ReturnType<typeof parseQuery> {
  for (const [name, value] of Object.entries(raw))
    if (!isStorableText(String(value)))
      throw problem('request/invalid', `Parameter "${name}" holds a NUL, or half of a surrogate pair.`, {
        data: { location: ['query', name] },
      })
  return parseQuery(route, raw)
}

/** Operations whose body is no JSON read it themselves. */
async function readBody(
  route: RouteDescriptor,
  request: FastifyRequest,
  limitBytes: number,
): Promise<unknown> {
  const { bodyKind = 'json' } = route
  if (bodyKind !== 'json') return undefined
  if (!hasBody(request.raw)) return undefined
  const body = await readJsonBody(request.raw, limitBytes)
  checkStorable(body)
  return body
}

const compile = createValidatorCompiler({ faults: 'first' })

function bodyChecker({ body: schema, bodyKind = 'json' }: RouteDescriptor): (body: unknown) => void {
  if (schema === undefined || bodyKind !== 'json') return () => undefined
  const validate = compile(schema)
  return (body) => checkValue(validate, body)
}

/** Aborted when the client goes away before the answer is complete. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort(problem('request/aborted', 'The client went away.'))
  })
  return controller.signal
}
