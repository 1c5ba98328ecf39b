import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import helmet from 'helmet'

/** Content security policy of responses that are not pages: no scripts, resources or frames. Pages set their own. */
const denyAll = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    frameAncestors: ["'none'"],
  },
}

const setHeaders = helmet({
  contentSecurityPolicy: denyAll,
  // Other sites embed tiles and maps. Pages that must not be framed say so in their own policy.
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  crossOriginOpenerPolicy: false,
  frameguard: false,
  originAgentCluster: false,
  dnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
  referrerPolicy: { policy: 'same-origin' },
  // HSTS affects the whole host, so the operator sets it at the proxy that terminates TLS.
  hsts: false,
})

/** Returns the security headers of every response. They are the same for all requests, so helmet is asked once. */
export function securityHeaders(): Readonly<Record<string, string>> {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  setHeaders(request, response, () => undefined)
  const headers = Object.entries(response.getHeaders())
  return Object.fromEntries(headers.map(([name, value]) => [name, String(value)]))
}
