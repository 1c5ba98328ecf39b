import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum number of requests of a connection that are processed or whose response has not been sent. */
export const maxPipelined = 8

/** Requests of a connection. */
interface Pipeline {
  unfinished: number
  /** Starts of the requests that were received and not yet started, in order. */
  readonly waiting: (() => void)[]
}

/**
 * Limits the requests that a client sends on a connection without reading the responses. Node parses all requests that
 * arrive together; those above the limit wait, and nothing more is read until they have been started.
 */
export function limitPipelining(handle: RequestListener): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>()
  return (request, response) => {
    const { socket } = request
    const pipeline = pipelines.get(socket) ?? createPipeline(socket)
    pipelines.set(socket, pipeline)
    pipeline.waiting.push(() => {
      pipeline.unfinished += 1
      response.once('close', () => {
        pipeline.unfinished -= 1
        startRequests(socket, pipeline)
      })
      handle(request, response)
    })
    startRequests(socket, pipeline)
  }
}

function createPipeline(socket: Socket): Pipeline {
  const pipeline: Pipeline = { unfinished: 0, waiting: [] }
  // Node resumes the socket, too, whenever the client has read a part of the responses.
  socket.on('resume', () => {
    if (pipeline.waiting.length > 0) socket.pause()
  })
  socket.once('close', () => pipeline.waiting.splice(0))
  return pipeline
}

function startRequests(socket: Socket, pipeline: Pipeline): void {
  const { waiting } = pipeline
  while (pipeline.unfinished < maxPipelined && !socket.destroyed) {
    const start = waiting.shift()
    if (start === undefined) break
    start()
  }
  const isWaiting = waiting.length > 0
  if (isWaiting === socket.isPaused() || socket.destroyed) return
  if (isWaiting) socket.pause()
  else socket.resume()
}
