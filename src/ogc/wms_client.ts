import type { Capabilities } from '../contract/classes/wmsclient_connection.ts'
import { problem } from '../contract/problems.ts'
import { type FetchRequest, fetchExternal } from '../http/fetch_file.ts'
import { CapabilitiesFault, parseWmsCapabilities } from './wms_capabilities.ts'

/** A request for WMS capabilities. */
export interface CapabilitiesRequest extends Pick<FetchRequest, 'credentials' | 'allowPrivate' | 'signal'> {
  readonly url: string
  readonly version: string
}

const timeoutMs = 30_000
const limitBytes = 8 * 2 ** 20

/**
 * Fetches the capabilities of a WMS service.
 *
 * @throws {Problem} external/unreachable, external/answer, external/refused
 */
export async function fetchCapabilities({
  url,
  version,
  ...rest
}: CapabilitiesRequest): Promise<Capabilities> {
  const requestUrl = capabilitiesUrl(url, version)
  const { status, contentType, body } = await fetchExternal({
    ...rest,
    url: requestUrl,
    timeoutMs,
    limitBytes,
  })
  const xml = decode(body, contentType)
  try {
    if (status >= 200 && status < 300) return parseWmsCapabilities(xml)
  } catch (error) {
    if (!(error instanceof CapabilitiesFault)) throw error
    throw problem('external/answer', `${requestUrl.host} did not return WMS capabilities: ${error.message}.`)
  }
  throw problem(
    'external/answer',
    `${requestUrl.host} returned status ${status} instead of WMS capabilities.`,
  )
}

/** Adds the parameters of a GetCapabilities request to a URL, and keeps all others. */
export function capabilitiesUrl(url: string, version: string): URL {
  const requestUrl = new URL(url)
  const parameters = { service: 'WMS', request: 'GetCapabilities', version }
  for (const name of [...requestUrl.searchParams.keys()])
    if (Object.hasOwn(parameters, name.toLowerCase())) requestUrl.searchParams.delete(name)
  for (const [name, value] of Object.entries(parameters))
    requestUrl.searchParams.set(name.toUpperCase(), value)
  return requestUrl
}

/** Decodes a response by its byte order mark, the Content-Type header or the XML declaration. */
function decode(body: Uint8Array, contentType: string): string {
  const start = Buffer.from(body.subarray(0, 200)).toString('latin1')
  const mark = [
    ['\xfe\xff', 'utf-16be'],
    ['\xff\xfe', 'utf-16le'],
    ['\xef\xbb\xbf', 'utf-8'],
  ].find(([bytes = '']) => start.startsWith(bytes))?.[1]
  const header = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]
  const declared = /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w.:-]+)/.exec(start)?.[1]
  for (const name of [mark, header, declared, 'utf-8']) {
    const decoder = name === undefined ? undefined : findDecoder(name)
    if (decoder !== undefined) return decoder.decode(body)
  }
  return ''
}

function findDecoder(name: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(name)
  } catch {
    return undefined
  }
}
