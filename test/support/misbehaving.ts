import type { RequestListener, ServerResponse } from 'node:http'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliCompress, createDeflate, createGzip, createZstdCompress } from 'node:zlib'

/** Content encodings, and what compresses with them. */
export const encoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGzip,
  deflate: createDeflate,
  br: createBrotliCompress,
  zstd: createZstdCompress,
}

const block = Buffer.alloc(64 * 1024, ' ')

/** The signature of PNG. */
export const pngStart = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** The start of a vector tile: a layer with a name. */
export const vectorTileStart = Buffer.from('1a0e0a05726f6164737802288020', 'hex')

/** Sends a body that begins like an image. */
export const sendImage: RequestListener = (request, response) =>
  sendBody('image/png', pngStart)(request, response)

/** Repeats bytes for as long as they are read. */
function* repeat(bytes: Uint8Array, count = Number.POSITIVE_INFINITY): Generator<Uint8Array> {
  for (let at = 0; at < count; at += 1) yield bytes
}

function send(response: ServerResponse, steps: readonly Transform[], bytes: Iterable<Uint8Array>): void {
  const source = Readable.from(bytes, { objectMode: false })
  // Fails when the client closes the connection, which is expected.
  pipeline([source, ...steps, response], () => undefined)
}

/** Never responds. */
export const neverAnswer: RequestListener = () => undefined

/** Sends the start of a body, then nothing more, and keeps the connection open. */
export function stall(type: string, start = ''): RequestListener {
  return (_, response) => {
    response.writeHead(200, { 'content-type': type })
    response.write(start)
    response.flushHeaders()
  }
}

/** Sends a small piece in every turn of the event loop, without end. */
export function drip(type: string, piece = ' '): RequestListener {
  return (_, response) => {
    response.writeHead(200, { 'content-type': type })
    const next = () => {
      if (!response.destroyed) response.write(piece, () => setImmediate(next))
    }
    next()
  }
}

/** States a size of 10 GB and sends as much as is read. */
export function sendHuge(type: string, piece: Uint8Array = block): RequestListener {
  return (_, response) => {
    const sizeBytes = 10_000_000_000
    response.writeHead(200, { 'content-type': type, 'content-length': sizeBytes })
    send(response, [], repeat(piece))
  }
}

/** Sends a body without end, and without a size. */
export function sendEndless(type: string, piece: Uint8Array = block): RequestListener {
  return (_, response) => {
    response.writeHead(200, { 'content-type': type })
    send(response, [], repeat(piece))
  }
}

/** Compresses a body that decodes to 10 GB. */
export function sendBomb(type: string, encoding: string, start: Uint8Array = block): RequestListener {
  function* bytes() {
    yield start
    yield* repeat(block, 10e9 / block.length)
  }
  return (_, response) => {
    response.writeHead(200, { 'content-type': type, 'content-encoding': encoding })
    const encoder = encoders[encoding]
    if (encoder !== undefined) send(response, [encoder()], bytes())
  }
}

/** States a larger size than it sends, then closes the connection. */
export function truncate(type: string, start: string | Uint8Array): RequestListener {
  return (_, response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': start.length + 1000 })
    response.write(start, () => response.destroy())
  }
}

/** Redirects to a location, relative to the request. */
export function redirectTo(location: string): RequestListener {
  return (_, response) => {
    response.writeHead(302, { location }).end()
  }
}

/** Sends a complete response. */
export function sendBody(
  type: string,
  body: string | Uint8Array = '',
  { status = 200, encoding }: { readonly status?: number; readonly encoding?: string } = {},
): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) })
    response.end(body)
  }
}
