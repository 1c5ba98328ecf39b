import type { Status } from './catalog/status.ts'
import { type Attempt, type Failure, recordFailure } from './failed_loads.ts'
import { isLoginLost, RequestFault, reasonOf } from './request.ts'

/**
 * Runs a load and retries it until it succeeds. The key identifies the load. `onDropped` runs if too many others have failed
 * since: the load is not retried, but has to be requested again when it is seen.
 */
export type Load = (key: string, run: () => Promise<void>, onDropped?: () => void) => void

/** Retries failed loads of a layer. */
export interface LayerRecovery {
  readonly load: Load
}

/** Creates the recovery of a layer; `onRecovered` runs when failed loads have succeeded. */
export type OpenRecovery = (label: () => string, onRecovered: () => void) => LayerRecovery

interface Layer {
  readonly label: () => string
  readonly onRecovered: () => void
  /** Failed loads by key, the latest last. */
  readonly failed: Map<string, Failure>
  /** The latest run of each load in progress, by key. */
  readonly running: Map<string, Attempt['run']>
}

/** Milliseconds between retries; each pause is twice the previous one. A map waits no longer once its server is back. */
const pauses = { first: 1000, max: 15_000 }

/**
 * Creates the retries of failed loads: with exponential backoff, when the browser is online or visible again, when
 * another load succeeds, and when the user requests it. Reports faults until the loads succeed.
 */
export function createRecovery(status: Status): OpenRecovery {
  const layers: Layer[] = []
  const reports = createReports(status, () => repeat('all'))
  let pause = pauses.first
  let timer: ReturnType<typeof setTimeout> | undefined

  const schedule = () => {
    if (timer !== undefined || !layers.some(hasPassingFault)) return
    timer = setTimeout(() => repeat('latest'), pause)
    pause = Math.min(2 * pause, pauses.max)
  }

  /** Retries all failed loads, or the latest of each layer, which triggers the others if it succeeds. */
  const repeat = async (which: 'all' | 'latest') => {
    clearTimeout(timer)
    timer = undefined
    await Promise.all(layers.map((layer) => repeatLayer(layer, which)))
    schedule()
  }

  const repeatLayer = async (layer: Layer, which: 'all' | 'latest') => {
    const loads = [...layer.failed].filter(([key]) => !layer.running.has(key)).reverse()
    const first = which === 'all' ? loads.length : 1
    const done = await Promise.all(
      loads.slice(0, first).map(([key, failure]) => attempt(layer, key, failure)),
    )
    if (!done.includes(true)) return
    await Promise.all(loads.slice(first).map(([key, failure]) => attempt(layer, key, failure)))
    layer.onRecovered()
  }

  const attempt = async (layer: Layer, key: string, load: Attempt): Promise<boolean> => {
    const isDone = await runLoad(layer, key, load)
    reports.show(layers)
    return isDone
  }

  const resume = () => {
    pause = pauses.first
    if (layers.some(({ failed }) => failed.size > 0)) void repeat('latest')
  }
  window.addEventListener('online', resume)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && resume())

  return (label, onRecovered) => {
    const layer: Layer = { label, onRecovered, failed: new Map(), running: new Map() }
    layers.push(layer)
    return {
      load(key, run, onDropped) {
        void attempt(layer, key, { run, onDropped }).then((isDone) => {
          // The server responds again: retry the failed loads.
          if (isDone && timer !== undefined && layers.some(isCutOff)) resume()
          else schedule()
        })
      },
    }
  }
}

/** Runs a load, and records how it ended unless a later one has taken its place, such as that of a tile with other layers. */
async function runLoad({ running, failed }: Layer, key: string, load: Attempt): Promise<boolean> {
  running.set(key, load.run)
  const error = await faultOf(load.run)
  if (running.get(key) === load.run) {
    running.delete(key)
    recordFailure(failed, key, error === undefined ? undefined : { ...load, error })
  }
  return error === undefined
}

/** Reports faults until they are resolved. A dismissed message does not reappear for the same fault. */
function createReports(status: Status, retry: () => void) {
  const shown = new Map<string, () => void>()
  const act = () => {
    shown.clear()
    retry()
  }
  return {
    show(layers: readonly Layer[]) {
      const messages = new Set(layers.flatMap(messagesOf))
      for (const [message, dismiss] of shown) {
        if (messages.has(message)) continue
        shown.delete(message)
        dismiss()
      }
      for (const message of messages)
        if (!shown.has(message)) shown.set(message, status.report(message, { label: 'Try again', act }))
    },
  }
}

function messagesOf(layer: Layer): string[] {
  if (isCutOff(layer)) return ['The server is unreachable. Parts of the map are missing.']
  // The page reports ended sessions itself.
  const errors = [...layer.failed.values()].map(({ error }) => error).filter((error) => !isLoginLost(error))
  const latest = errors.at(-1)
  if (latest === undefined) return []
  return [`Cannot load all of ${layer.label()}. ${reasonOf(latest)}`]
}

const errorsOf = ({ failed }: Layer) => [...failed.values()].map(({ error }) => error)

function isCutOff(layer: Layer): boolean {
  return errorsOf(layer).some((error) => error instanceof RequestFault && error.status === 0)
}

/** Tells whether an error is a transient fault, of the network or the server. */
export function isPassingFault(error: unknown): boolean {
  if (!(error instanceof RequestFault)) return false
  const { status } = error
  return status === 0 || status === 408 || status === 429 || status >= 500
}

const hasPassingFault = (layer: Layer) => errorsOf(layer).some(isPassingFault)

async function faultOf(run: () => Promise<void>): Promise<unknown> {
  try {
    await run()
    return undefined
  } catch (error) {
    return error ?? new Error('unknown')
  }
}
