/** A service shared by a test run: started on first use, stopped once. */
export interface Service<T> {
  start(): Promise<T>
  stop(): Promise<void>
}

/** A started service: the value it provides, as JSON, and how to stop it. */
export interface Started<T> {
  readonly value: T
  stop(): Promise<void>
}

/** Creates a service from a function that starts it. All callers get the same value. */
export function lazyService<T>(begin: () => Promise<Started<T>>): Service<T> {
  let started: Promise<Started<T>> | undefined
  return {
    async start() {
      started ??= begin()
      return (await started).value
    },
    async stop() {
      // A failed start has already been reported to its callers.
      const service = await started?.catch(() => undefined)
      started = undefined
      await service?.stop()
    },
  }
}
