import { fastifyCors } from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import helmet from 'helmet'
import { replayedHeader } from '../../contract/idempotency.ts'
import { tus } from '../../contract/tus.ts'

/** Answers that are no page: nothing in them runs, loads or is framed. A page brings its own policy. */
const nothingRuns = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    frameAncestors: ["'none'"],
  },
}

/** Adds to every answer what browsers are to be told about safety. */
export function addSecurityHeaders(app: FastifyInstance): void {
  // Made once: the plugin for fastify makes it anew for every request.
  const setHeaders = helmet({
    contentSecurityPolicy: nothingRuns,
    // Maps are made of tiles of other sites, and are framed by them: what may not be, says so by its policy.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    crossOriginOpenerPolicy: false,
    frameguard: false,
    originAgentCluster: false,
    dnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    referrerPolicy: { policy: 'same-origin' },
    // Whether all of a host is to be reached by https is for whoever runs it to say, at the proxy that has the keys.
    hsts: false,
  })
  app.addHook('onRequest', (request, reply, done) => setHeaders(request.raw, reply.raw, () => done()))
}

/** Answer headers that scripts of other sites may read. */
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

/** Lets pages of other sites ask. A preflight of a stranger is answered as if there were none. */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  void app.register(fastifyCors, {
    delegator: (request, done) =>
      done(null, {
        origin: origins.includes(request.headers.origin ?? ''),
        credentials: true,
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        exposedHeaders: exposed,
        maxAge: preflightSeconds,
        preflight: request.headers['access-control-request-method'] !== undefined,
      }),
  })
}
