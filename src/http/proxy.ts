import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { problem } from '../contract/problems.ts'

/** Proxies between here and the servers. */
export interface ProxySettings {
  /** Address of the proxy to `http:` servers. */
  readonly http?: string
  /** Address of the proxy to `https:` servers; that to `http:` servers where absent. */
  readonly https?: string
  /** Hosts that are reached without a proxy: names, their ends such as `.example.org`, or `*`, between commas. */
  readonly except?: string
}

/**
 * Reads the proxies that the environment names, as curl does: HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in small letters or
 * capitals. Undefined where it names none.
 *
 * @throws {Problem} usage/bad-argument where a proxy has no address
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

// What it says is not shown: proxies have passwords.
function checkProxy(name: string, text: string): void {
  if (URL.canParse(text) && /^(https?|socks5?):/.test(text)) return
  throw problem('usage/bad-argument', `${name} is no address of a proxy.`, {
    hint: 'Write it like http://proxy.example.org:3128.',
  })
}

/** Makes what requests go out by: straight, or through proxies. */
export function createDispatcher(options: Agent.Options, proxy: ProxySettings | undefined): Dispatcher {
  if (proxy === undefined) return new Agent(options)
  const { http = '', https = '', except = '' } = proxy
  // Whatever is given here is not looked up in the environment of the process.
  return new EnvHttpProxyAgent({ ...options, httpProxy: http, httpsProxy: https, noProxy: except })
}
