import type { Capabilities } from '../contract/classes/wmsclient_connection.ts'
import { problem } from '../contract/problems.ts'
import { type FetchRequest, fetchExternal } from '../http/fetch.ts'
import { CapabilitiesFault, parseWmsCapabilities } from './wms_capabilities.ts'

/** Where a WMS service is asked, and how. */
export interface WmsQuestion extends Pick<FetchRequest, 'credentials' | 'allowPrivate' | 'signal'> {
  readonly url: string
  readonly version: string
}

const timeoutMs = 30_000
const limitBytes = 8 * 2 ** 20

/**
 * Asks a WMS service what it offers.
 *
 * @throws {Problem} external/unreachable, external/answer, external/refused
 */
export async function fetchCapabilities({ url, version, ...rest }: WmsQuestion): Promise<Capabilities> {
  const asked = capabilitiesUrl(url, version)
  const { status, contentType, body } = await fetchExternal({ ...rest, url: asked, timeoutMs, limitBytes })
  const xml = decode(body, contentType)
  try {
    if (status >= 200 && status < 300) return parseWmsCapabilities(xml)
  } catch (error) {
    if (!(error instanceof CapabilitiesFault)) throw error
    throw problem('external/answer', `${asked.host} gives no capabilities of a WMS: ${error.message}.`)
  }
  throw problem('external/answer', `${asked.host} answers with status ${status} instead of capabilities.`)
}

/** Adds the words of the request to an address; what it has besides them stays. */
export function capabilitiesUrl(url: string, version: string): URL {
  const asked = new URL(url)
  const words = { service: 'WMS', request: 'GetCapabilities', version }
  for (const name of [...asked.searchParams.keys()])
    if (Object.hasOwn(words, name.toLowerCase())) asked.searchParams.delete(name)
  for (const [name, value] of Object.entries(words)) asked.searchParams.set(name.toUpperCase(), value)
  return asked
}

/** Reads bytes as the text they are: by their mark, the header, or what the XML says of itself. */
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
