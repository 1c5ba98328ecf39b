import type { GeoserviceType } from '../contract/catalog/catalog.ts'
import { isTileImage, isVectorTile, tileSignatureBytes } from '../contract/formats/tile_format.ts'
import { countOf } from '../core/count.ts'
import type { ExternalStream } from '../http/external_client.ts'
import { CapabilitiesFault } from '../ogc/capabilities_xml.ts'
import { readLayerNames } from '../ogc/layer_names.ts'
import type { CheckTarget } from '../store/catalog/check_target.ts'
import {
  faulty,
  mediaTypeOf,
  type RememberedBody,
  readStart,
  rememberStart,
  type Verdict,
  works,
} from './check_verdict.ts'
import { findGeojsonStreamFault, NotJsonFault, showPath } from './geojson_stream.ts'

/** A response whose body is remembered. */
type Received = Omit<ExternalStream, 'body'> & RememberedBody

type Check = (target: CheckTarget, response: Received) => Promise<Verdict>

/** Maximum size of a decoded body. Of tiles only the start is read. */
export const limitBytes: Readonly<Record<GeoserviceType, number>> = {
  tms: Number.POSITIVE_INFINITY,
  wms: 32 * 2 ** 20,
  wfs: 32 * 2 ** 20,
  geojson: 64 * 2 ** 20,
}

/**
 * Reads the response of a service and judges it.
 *
 * @throws {Problem} external/unreachable, external/answer, pipeline/interrupted, while the body is read
 */
export async function checkResponse(target: CheckTarget, response: ExternalStream): Promise<Verdict> {
  const remembered = rememberStart(response.body, response.contentType)
  const verdict = await checks[target.type](target, { ...response, ...remembered })
  return verdict.status === 'works' ? works : { ...verdict, response: await remembered.readText() }
}

const checks: Readonly<Record<GeoserviceType, Check>> = {
  tms: checkTile,
  wms: withinLimit(checkWms),
  wfs: withinLimit(checkWfs),
  geojson: withinLimit(checkGeojson),
}

/** Refuses a body that is too large before it is read, if the service states its size. */
function withinLimit(check: Check): Check {
  return async (target, response) => {
    const { contentLength = 0, status } = response
    const limit = limitBytes[target.type]
    if (status !== 200 || contentLength <= limit) return check(target, response)
    return faulty(
      'problematic',
      'invalid response',
      `The response has ${contentLength} bytes, more than the limit of ${limit}.`,
    )
  }
}

const vectorTileTypes = ['application/vnd.mapbox-vector-tile', 'application/x-protobuf']

async function checkTile(_: CheckTarget, response: Received): Promise<Verdict> {
  const { status, contentType } = response
  const type = mediaTypeOf(contentType)
  // Without content: the tile is empty.
  if (status === 204) return works
  if (status === 200 && vectorTileTypes.includes(type))
    return isVectorTile(await readSignature(response)) ? works : notTile('a vector tile')
  if (status === 200 && type.startsWith('image/') && type !== 'image/svg+xml')
    return isTileImage(await readSignature(response)) ? works : notTile('an image')
  await readStart(response)
  if (status !== 200) return wrongStatus('problematic', status)
  const shown = contentType === '' ? 'no media type' : `the media type ${JSON.stringify(contentType)}`
  return faulty('problematic', 'invalid response', `The response has ${shown}, not that of a tile.`)
}

/** Reads the bytes that tell the format of a tile, and no more. */
async function readSignature({ body }: Received): Promise<Uint8Array> {
  let start = Buffer.of()
  for await (const chunk of body) {
    start = Buffer.concat([start, chunk.subarray(0, tileSignatureBytes)])
    if (start.length >= tileSignatureBytes) break
  }
  return start
}

/** The verdict on content of another format than the media type states. */
function notTile(format: string): Verdict {
  return faulty('problematic', 'invalid response', `The content of the response is not ${format}.`)
}

async function checkWms({ layers }: CheckTarget, response: Received): Promise<Verdict> {
  const wanted = new Set(splitNames(layers ?? ''))
  const missing = new Set(wanted)
  const fault = await readCapabilities('wms', response, (name) => missing.delete(name))
  if (fault !== undefined) return fault
  if (missing.size === 0) return works
  const status = missing.size === wanted.size ? 'failed' : 'problematic'
  const names = [...missing].join(', ')
  return faulty(status, 'missing layer', `The service lacks ${countOf(missing.size, 'layer')}: ${names}.`)
}

async function checkWfs({ layer }: CheckTarget, response: Received): Promise<Verdict> {
  const wanted = layer?.trim() ?? ''
  let isListed = wanted === ''
  const fault = await readCapabilities('wfs', response, (name) => {
    isListed ||= isSameType(wanted, name)
  })
  if (fault !== undefined) return fault
  return isListed
    ? works
    : faulty('problematic', 'missing layer', `The service lacks the feature type ${wanted}.`)
}

async function readCapabilities(
  service: 'wms' | 'wfs',
  response: Received,
  addName: (name: string) => void,
): Promise<Verdict | undefined> {
  if (response.status !== 200) {
    await readStart(response)
    return wrongStatus('failed', response.status)
  }
  try {
    await readLayerNames(service, response, addName)
    return undefined
  } catch (error) {
    if (!(error instanceof CapabilitiesFault)) throw error
    const document = `${service.toUpperCase()} capabilities`
    return faulty('failed', 'invalid response', `The response is not ${document}: ${error.message}.`)
  }
}

async function checkGeojson(_: CheckTarget, response: Received): Promise<Verdict> {
  if (response.status !== 200) {
    await readStart(response)
    return wrongStatus('problematic', response.status)
  }
  try {
    const fault = await findGeojsonStreamFault(response.body)
    if (fault === undefined) return works
    const message = `The response is not valid GeoJSON: ${fault.reason} - at ${showPath(fault.path)}`
    return faulty('problematic', 'invalid response', message)
  } catch (error) {
    if (!(error instanceof NotJsonFault)) throw error
    return faulty('failed', 'invalid response', `The response is not JSON: ${error.message}.`)
  }
}

function wrongStatus(status: 'failed' | 'problematic', code: number): Verdict {
  return faulty(status, 'invalid response', `The service responded with status ${code} instead of 200.`)
}

function splitNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Compares names of feature types; a prefix counts if both have one. */
function isSameType(one: string, other: string): boolean {
  const [first, second] = [one.split(':'), other.split(':')]
  return one === other || (first.at(-1) === second.at(-1) && (first.length === 1 || second.length === 1))
}
