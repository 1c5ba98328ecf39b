/** Work that is done once for all who request it at the same time, and ends when all of them are gone. */
export class SharedWorks<T> {
  readonly #running = new Map<string, SharedWork<T>>()

  /** Waits for the running work of a key, or starts it. Its signal is aborted when those of all requests are. */
  async run(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const running = this.#running.get(key)
    if (running !== undefined) return running.join(signal)
    // Abandoned work may end after the next one for the same key was started.
    const forget = () => {
      if (this.#running.get(key) === work) this.#running.delete(key)
    }
    const work = new SharedWork(start, forget)
    this.#running.set(key, work)
    work.result.finally(forget).catch(() => undefined)
    return work.join(signal)
  }
}

class SharedWork<T> {
  readonly result: Promise<T>
  readonly #stopper = new AbortController()
  readonly #onAbandoned: () => void
  #clients = 0

  constructor(start: (signal: AbortSignal) => Promise<T>, onAbandoned: () => void) {
    this.#onAbandoned = onAbandoned
    this.result = start(this.#stopper.signal)
  }

  async join(signal: AbortSignal): Promise<T> {
    this.#clients += 1
    const leave = () => {
      this.#clients -= 1
      if (this.#clients > 0) return
      this.#onAbandoned()
      this.#stopper.abort(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      return await this.result
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }
}
