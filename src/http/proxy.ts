import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { problem } from '../contract/problems.ts'

/** HTTP proxies by protocol of the server. */
export interface ProxySettings {
  /** URL of the proxy for `http:` servers. */
  readonly http?: string
  /** URL of the proxy for `https:` servers; defaults to `http`. */
  readonly https?: string
  /** Hosts that bypass the proxy, comma-separated: names, suffixes such as `.example.org`, or `*`. */
  readonly except?: string
}

/**
 * Reads the proxies from the environment like curl: HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in lower or upper case.
 * Undefined if no proxy is set.
 *
 * @throws {Problem} usage/bad-argument if a proxy is not a valid URL
 */
export function readProxySettings(
  env: Readonly<Record<string, string | undefined>>,
): ProxySettings | undefined {
  const read = (name: string) => env[name] || env[name.toUpperCase()] || undefined
  const http = read('http_proxy')
  const https = read('https_proxy')
  const except = read('no_proxy')
  if (http !== undefined) checkProxy('HTTP_PROXY', http)
  if (https !== undefined) checkProxy('HTTPS_PROXY', https)
  if (http === undefined && https === undefined) return undefined
  return { ...(http ? { http } : {}), ...(https ? { https } : {}), ...(except ? { except } : {}) }
}

// The message omits the value, which may contain a password.
function checkProxy(name: string, text: string): void {
  if (URL.canParse(text) && /^(https?|socks5?):/.test(text)) return
  throw problem('usage/bad-argument', `${name} is not a proxy URL.`, {
    hint: 'Use a URL such as http://proxy.example.org:3128.',
  })
}

/** Creates the undici dispatcher: direct, or through proxies. */
export function createDispatcher(options: Agent.Options, proxy: ProxySettings | undefined): Dispatcher {
  if (proxy === undefined) return new Agent(options)
  const { http = '', https = '', except = '' } = proxy
  // Empty strings keep undici from reading the environment of the process.
  return new EnvHttpProxyAgent({ ...options, httpProxy: http, httpsProxy: https, noProxy: except })
}
