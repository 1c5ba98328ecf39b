import type { Capabilities } from '../contract/classes/wmsclient_connection.ts'
import { problem } from '../contract/problems.ts'
import { type FetchRequest, fetchExternal } from '../http/fetch_file.ts'
import { capabilitiesUrl } from './capabilities_url.ts'
import { CapabilitiesFault } from './capabilities_xml.ts'
import { decodeText } from './text_encoding.ts'
import { parseWmsCapabilities } from './wms_capabilities.ts'

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
  const requestUrl = capabilitiesUrl(url, { service: 'WMS', version })
  const { status, contentType, body } = await fetchExternal({
    ...rest,
    url: requestUrl,
    timeoutMs,
    limitBytes,
  })
  const xml = (await Array.fromAsync(decodeText([body], contentType))).join('')
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
