import { DecoratorHandler, type Dispatcher } from 'undici'

/** Thrown when a response exceeds the size limit of its request. */
export class TooLargeError extends Error {
  readonly code = 'LANDFORM_ANSWER_TOO_LARGE'
  readonly limitBytes: number

  constructor(limitBytes: number) {
    super(`The response exceeds ${limitBytes} bytes.`)
    this.limitBytes = limitBytes
  }
}

/** Dispatch option that `limitSize` reads. */
export interface LimitOptions {
  /** Maximum size of the response body; unlimited if absent. */
  readonly maxResponseBytes?: number
}

/** Aborts a response whose body exceeds the limit of its request. */
export function limitSize(): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { maxResponseBytes } = options as LimitOptions
    if (maxResponseBytes === undefined) return dispatch(options, handler)
    return dispatch(options, new LimitHandler(handler, maxResponseBytes))
  }
}

type Handler = Dispatcher.DispatchHandler

class LimitHandler extends DecoratorHandler implements Handler {
  readonly #handler: Handler
  readonly #limitBytes: number
  #sizeBytes = 0

  constructor(handler: Handler, limitBytes: number) {
    super(handler)
    this.#handler = handler
    this.#limitBytes = limitBytes
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes > this.#limitBytes) controller.abort(new TooLargeError(this.#limitBytes))
    else this.#handler.onResponseData?.(controller, chunk)
  }
}
