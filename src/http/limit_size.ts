import { DecoratorHandler, type Dispatcher } from 'undici'

/** An answer that is larger than the one who asked is ready to take. */
export class TooLargeError extends Error {
  readonly code = 'LANDFORM_ANSWER_TOO_LARGE'
  readonly limitBytes: number

  constructor(limitBytes: number) {
    super(`The answer is larger than ${limitBytes} bytes.`)
    this.limitBytes = limitBytes
  }
}

/** What a request may carry for the interceptors of this folder. */
export interface LimitOptions {
  /** Most bytes of the answer's body; no limit where absent. */
  readonly answerLimitBytes?: number
}

/** Breaks off an answer that grows past the limit its request carries. */
export function limitSize(): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { answerLimitBytes } = options as LimitOptions
    if (answerLimitBytes === undefined) return dispatch(options, handler)
    return dispatch(options, new LimitHandler(handler, answerLimitBytes))
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
