import { isLoginLost, RequestFault, reasonOf } from './request.ts'
import type { Status } from './status.ts'

/** Repeats what could not be loaded for one layer. */
export interface LayerRecovery {
  /** Runs a load, and again after it has failed, until it succeeds. The key names what is loaded. */
  load(key: string, run: () => Promise<void>): void
}

/** Makes the recovery of a layer; `onRecovered` is called when loads that had failed have succeeded. */
export type OpenRecovery = (label: string, onRecovered: () => void) => LayerRecovery

interface Failure {
  readonly run: () => Promise<void>
  readonly error: unknown
}

interface Layer {
  readonly label: string
  readonly onRecovered: () => void
  /** By key, the latest last. */
  readonly failed: Map<string, Failure>
}

/** Most failed loads that are kept of a layer; a screen has fewer tiles. */
const mostKept = 256

/** Milliseconds before failed loads are repeated; each pause is twice the one before. */
const pauses = { first: 1000, longest: 60_000 }

/**
 * Makes what repeats failed loads: after growing pauses, when the browser is online or in sight again, when another load
 * succeeds, and when the user says so. What is missing is reported as long as it is.
 */
export function createRecovery(status: Status): OpenRecovery {
  const layers: Layer[] = []
  const reports = createReports(status, () => repeat('all'))
  let pause = pauses.first
  let timer: ReturnType<typeof setTimeout> | undefined

  const schedule = () => {
    if (timer !== undefined || !layers.some(hasPassingFault)) return
    timer = setTimeout(() => repeat('latest'), pause)
    pause = Math.min(2 * pause, pauses.longest)
  }

  /** Repeats all failed loads, or of each layer the latest, which the others follow if it succeeds. */
  const repeat = async (which: 'all' | 'latest') => {
    clearTimeout(timer)
    timer = undefined
    await Promise.all(layers.map((layer) => repeatLayer(layer, which)))
    schedule()
  }

  const repeatLayer = async (layer: Layer, which: 'all' | 'latest') => {
    const loads = [...layer.failed].reverse()
    const first = which === 'all' ? loads.length : 1
    const done = await Promise.all(loads.slice(0, first).map(([key, { run }]) => attempt(layer, key, run)))
    if (!done.includes(true)) return
    await Promise.all(loads.slice(first).map(([key, { run }]) => attempt(layer, key, run)))
    layer.onRecovered()
  }

  const attempt = async (layer: Layer, key: string, run: () => Promise<void>): Promise<boolean> => {
    const error = await faultOf(run)
    layer.failed.delete(key)
    if (error !== undefined) layer.failed.set(key, { run, error })
    const [oldest] = layer.failed.keys()
    if (layer.failed.size > mostKept && oldest !== undefined) layer.failed.delete(oldest)
    reports.show(layers)
    return error === undefined
  }

  const resume = () => {
    pause = pauses.first
    if (layers.some(({ failed }) => failed.size > 0)) void repeat('latest')
  }
  window.addEventListener('online', resume)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && resume())

  return (label, onRecovered) => {
    const layer: Layer = { label, onRecovered, failed: new Map() }
    layers.push(layer)
    return {
      load(key, run) {
        void attempt(layer, key, run).then((isDone) => {
          // The server answers: what it did not answer before is due.
          if (isDone && timer !== undefined && layers.some(isCutOff)) resume()
          else schedule()
        })
      },
    }
  }
}

/** Shows what is missing, as long as it is. A message that the user has dismissed does not come back for the same. */
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
  if (isCutOff(layer)) return ['The server cannot be reached. Parts of the map are missing.']
  // A login that has ended is reported for the whole page.
  const errors = [...layer.failed.values()].map(({ error }) => error).filter((error) => !isLoginLost(error))
  const latest = errors.at(-1)
  if (latest === undefined) return []
  return [`${layer.label} could not be drawn completely. ${reasonOf(latest)}`]
}

const errorsOf = ({ failed }: Layer) => [...failed.values()].map(({ error }) => error)

function isCutOff(layer: Layer): boolean {
  return errorsOf(layer).some((error) => error instanceof RequestFault && error.status === 0)
}

/** Tells whether a layer has a fault that may pass by itself: one of the way to the server, or of the server. */
function hasPassingFault(layer: Layer): boolean {
  const passing = (status: number) => status === 0 || status === 408 || status === 429 || status >= 500
  return errorsOf(layer).some((error) => error instanceof RequestFault && passing(error.status))
}

async function faultOf(run: () => Promise<void>): Promise<unknown> {
  try {
    await run()
    return undefined
  } catch (error) {
    return error ?? new Error('unknown')
  }
}
