import { LRUCache } from 'lru-cache'
import { maxServiceDepth } from '../../../contract/limits.ts'
import { problem } from '../../../contract/problems.ts'
import { isProblem, type Problem } from '../../../core/problem.ts'
import { currentParty, Turns } from '../../../database/turns.ts'
import type { Credentials } from '../../../http/authorize.ts'
import {
  createExternalClient,
  type ExternalClient,
  type FailureReason,
} from '../../../http/external_client.ts'
import { currentDepth } from '../../../http/service_depth.ts'
import { findServiceException } from '../../../ogc/service_exception.ts'
import { decodeText } from '../../../ogc/text_encoding.ts'
import { decodeImage, findImageFormat, type ImageSize } from '../../../render/external_image.ts'
import type { JobWindow } from '../../../render/image/draw_job.ts'
import { createImageCache } from '../image_cache.ts'
import { type QuotedRequest, redactAnswer } from '../redact_answer.ts'

/** A request for an image of another service. */
export interface ExternalImageRequest {
  readonly url: URL
  /** Address of the service, as its connection states it: a service that does not respond delays only its own requests. */
  readonly service: string
  /** The layer or base map that shows the image: it takes a part of the requests to its host. */
  readonly resource: number
  readonly credentials: Credentials | undefined
  /** Period in which a cached image may be returned, see `imagePeriod`; undefined fetches the image again. */
  readonly period: string | undefined
  /** Whether the service may have no image, such as a tile outside of its area. */
  readonly mayBeAbsent: boolean
  /** Size of the image; another one is refused. */
  readonly size?: ImageSize
  readonly signal: AbortSignal
}

/** A response to a request for a document. */
export interface ExternalDocument {
  readonly contentType: string
  readonly text: string
}

/** Images of other services. */
export interface ExternalImages {
  /**
   * Fetches an image, or returns a cached one. Requests for the same image share the work. Undefined if the service has no
   * image there.
   *
   * @throws {Problem} external/unreachable, external/answer, external/refused; the reason of the signal
   */
  get(request: ExternalImageRequest): Promise<JobWindow | undefined>
  /**
   * Fetches a text.
   *
   * @throws {Problem} external/unreachable, external/answer, external/refused
   */
  getText(request: Target): Promise<ExternalDocument>
  /** Closes all connections. */
  close(): Promise<void>
}

/** Limits of requests to other services. */
export interface ExternalLimits {
  readonly timeoutMs: number
  /** Maximum size of a response. */
  readonly imageBytes: number
  readonly cacheBytes: number
  /** Maximum number of requests to a host at the same time. */
  readonly requests: number
  /** Time in which a service that cannot be reached is not asked again. */
  readonly restMs: number
}

const defaultLimits: ExternalLimits = {
  timeoutMs: 20_000,
  imageBytes: 32 * 2 ** 20,
  cacheBytes: 64 * 2 ** 20,
  requests: 6,
  restMs: 5000,
}

/** Numbers of requests to a host that are reserved for other callers, and for other resources: those of the same caller, too. */
const reserved = { caller: 1, resource: 2 } as const

/** Time to live of images of other services. */
export const imageTtlMs = 10 * 60_000

/**
 * Returns a name of the period of a resource that contains a time. Images are fetched once a period, so that none is older
 * than its time to live. Periods of resources begin at different times.
 */
export function imagePeriod(resourceId: number, nowMs: number = Date.now()): string {
  const offset = (resourceId * 7919) % imageTtlMs
  return `${resourceId}/${Math.floor((nowMs + offset) / imageTtlMs)}`
}

/**
 * Creates a client and an empty cache.
 *
 * @param allowsPrivate tells whether a URL may lead to a private network
 */
export function createExternalImages(
  allowsPrivate: (url: URL) => boolean,
  given: Partial<ExternalLimits> = {},
): ExternalImages {
  const limits = { ...defaultLimits, ...given }
  const client = createExternalClient({
    // Less than that of the request, so that a host that cannot be reached differs from a slow service.
    connectTimeoutMs: limits.timeoutMs / 2,
    allowsPrivate,
  })
  const cache = createImageCache(limits.cacheBytes)
  const decoded = new WeakMap<Uint8Array, JobWindow>()

  const receive = createReceiver(client, limits)
  return {
    async get(request) {
      const { url, service, resource, credentials, period, signal } = request
      const download = async (stop: AbortSignal) => {
        const received = await receive({ url, service, resource, credentials, signal: stop })
        const isEmpty = await checkImage(received, request)
        const bytes = new Uint8Array(isEmpty ? [] : received.bytes)
        // Checked before it is cached.
        if (!isEmpty) decoded.set(bytes, await decode(bytes, request))
        return { bytes, isEmpty }
      }
      const account = [credentials?.login, credentials?.password]
      // A service that shows itself would wait for its own image.
      const key = JSON.stringify([url.href, ...account, period, currentDepth()])
      const { bytes, isEmpty } =
        period === undefined ? await download(signal) : await cache.get(key, signal, download)
      if (isEmpty) return undefined
      // Pixels are handed over to the thread that draws, so that requests cannot share them.
      const own = decoded.get(bytes)
      decoded.delete(bytes)
      return own ?? decode(bytes, request)
    },
    async getText(request) {
      const { status, contentType, bytes } = await receive(request)
      const text = await textOf({ contentType, bytes })
      checkText({ status, text }, request)
      return { contentType, text }
    },
    close: () => client.close(),
  }
}

type Target = Pick<ExternalImageRequest, 'url' | 'service' | 'resource' | 'credentials' | 'signal'>

/**
 * Returns a function that sends requests: a few at a time to a host, of which a caller and a resource take a part, so that slow
 * images leave requests to the others; none to a host that was not reached a moment ago, and none to a service that did not
 * respond a moment ago.
 */
function createReceiver(client: ExternalClient, limits: ExternalLimits) {
  const hosts = new LRUCache<string, Turns>({ max: 200 })
  const failures = new LRUCache<string, Problem>({ max: 200, ttl: limits.restMs })
  const { requests: atOnce } = limits
  const perParty = Math.max(1, atOnce - reserved.caller)
  const perTable = Math.max(1, atOnce - reserved.resource)

  async function send({ url, service, credentials, signal }: Target, depth: number): Promise<Received> {
    const failure = failures.get(hostKey(url)) ?? failures.get(serviceKey(service, credentials))
    if (failure !== undefined) throw failure
    const { timeoutMs, imageBytes: limitBytes } = limits
    const options = { url, credentials, signal, timeoutMs, limitBytes, depth: depth + 1 }
    return client.get(options, async ({ status, contentType, body }) => ({
      status,
      contentType,
      bytes: Buffer.concat(await Array.fromAsync(body)),
    }))
  }

  return async (target: Target): Promise<Received> => {
    const { url, service, resource, credentials, signal } = target
    const depth = currentDepth()
    if (depth >= maxServiceDepth) throw tooDeep(url)
    // A request of this server to itself waits for those that it makes: in one queue, it would wait for those behind it.
    const name = JSON.stringify([url.host, depth])
    const turns = hosts.get(name) ?? new Turns({ atOnce, perParty, perTable })
    hosts.set(name, turns)
    let endTurn = () => {}
    try {
      endTurn = await turns.take(currentParty()?.name, signal, { table: String(resource) })
      return await send(target, depth)
    } catch (error) {
      signal.throwIfAborted()
      const reason = isProblem(error, 'external/unreachable') ? reasonOf(error) : undefined
      if (reason === 'connection') failures.set(hostKey(url), error as Problem)
      // Other requests to the host, such as those of other connections, may succeed.
      if (reason === 'timeout') failures.set(serviceKey(service, credentials), error as Problem)
      throw error
    } finally {
      endTurn()
    }
  }
}

function tooDeep({ host }: URL): Problem {
  const message = `${host} was not asked: ${maxServiceDepth} services show one another already.`
  return problem('external/answer', message, {
    hint: 'Show the service of the lowest level instead; a service cannot show itself.',
  })
}

const reasonOf = ({ data }: Problem) => (data as { readonly reason?: FailureReason }).reason

const hostKey = ({ host }: URL) => JSON.stringify([host])
const serviceKey = (service: string, credentials: Credentials | undefined) =>
  JSON.stringify([service, credentials?.login, credentials?.password])

/** Decodes an image, and checks its size. */
async function decode(
  bytes: Uint8Array,
  { url, size }: Pick<ExternalImageRequest, 'url' | 'size'>,
): Promise<JobWindow> {
  const image = await decodeImage(bytes)
  if (image === undefined)
    throw problem(
      'external/answer',
      `${url.host} returned a damaged or too large ${findImageFormat(bytes)} image.`,
    )
  if (size === undefined || (image.width === size.width && image.height === size.height)) return image
  throw problem(
    'external/answer',
    `${url.host} returned an image of ${image.width} × ${image.height} pixels instead of ${size.width} × ${size.height}.`,
  )
}

interface Received {
  readonly status: number
  readonly contentType: string
  readonly bytes: Buffer
}

/** Maximum size of a response that is read as a text. */
const textBytes = 2 ** 20

async function textOf({ contentType, bytes }: Pick<Received, 'contentType' | 'bytes'>): Promise<string> {
  return (await Array.fromAsync(decodeText([bytes.subarray(0, textBytes)], contentType))).join('')
}

/** Checks that a response is an image; returns whether there is none. */
async function checkImage(
  received: Received,
  request: Pick<ExternalImageRequest, 'url' | 'credentials' | 'mayBeAbsent'>,
): Promise<boolean> {
  const { url, mayBeAbsent } = request
  const { status, contentType, bytes } = received
  if (mayBeAbsent && (status === 404 || status === 204)) return true
  if (status >= 200 && status < 300 && findImageFormat(bytes) !== undefined) return false
  if (findImageFormat(bytes) === undefined) checkText({ status, text: await textOf(received) }, request)
  if (status < 200 || status >= 300)
    throw problem('external/answer', `${url.host} returned status ${status} instead of an image.`)
  const [type] = contentType.split(';')
  throw problem(
    'external/answer',
    `${url.host} did not return an image: the content of its response of type ${JSON.stringify(type)} is neither PNG, JPEG, WebP, GIF nor TIFF.`,
  )
}

function checkText(
  { status, text }: { readonly status: number; readonly text: string },
  request: QuotedRequest,
): void {
  const { host } = request.url
  const exception = text.trimStart().startsWith('<') ? findServiceException(text) : undefined
  if (exception !== undefined)
    throw problem(
      'external/answer',
      `${host} returned an exception: ${redactAnswer(exception, request) || 'without details'}`,
    )
  if (status < 200 || status >= 300) throw problem('external/answer', `${host} returned status ${status}.`)
}
