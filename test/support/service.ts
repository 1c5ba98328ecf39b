/** Something that a whole run shares: started when first asked for, stopped once. */
export interface Service<T> {
  start(): Promise<T>
  stop(): Promise<void>
}

/** What a service tells those who ask, as JSON, and how it ends. */
export interface Started<T> {
  readonly value: T
  stop(): Promise<void>
}

/** Makes a service of a function that starts it. Everybody who asks gets the same answer. */
export function lazyService<T>(begin: () => Promise<Started<T>>): Service<T> {
  let started: Promise<Started<T>> | undefined
  return {
    async start() {
      started ??= begin()
      return (await started).value
    },
    async stop() {
      // One that never came up has told its fault to those who asked.
      const service = await started?.catch(() => undefined)
      started = undefined
      await service?.stop()
    },
  }
}
