import type { ApplyEvent } from '../../reconcile/apply/outcome.ts'
import type { Change } from '../../reconcile/model/change.ts'
import { describeLoading } from './run.ts'
import { showBytes, showDuration } from './text_format.ts'

/** A change that is being made. */
interface RunningChange {
  readonly sinceMs: number
  readonly note: string
  /** Completed part of its data, from 0 to 1. */
  readonly fraction: number
}

/** State of a change: `loaded` has its data uploaded and checked, but is not made. */
export type ChangeState = 'waiting' | 'running' | 'loaded' | 'done' | 'failed' | 'undone'

/** Bytes of data that take as long as a change without data. */
const bytesOfChange = 50_000

/** Completed fraction that is enough for an estimate. */
const enoughForEstimate = 0.02

/** Time that is enough for an estimate, in milliseconds. */
const timeForEstimateMs = 2000

/** Size of the data and files that a change uploads; undefined if it uploads none. */
export function uploadBytesOf({ data, files = [] }: Change): number | undefined {
  const uploads = files.flatMap(({ upload }) => upload ?? [])
  if (data === undefined && uploads.length === 0) return undefined
  return uploads.reduce((sum, { sizeBytes }) => sum + sizeBytes, data?.sizeBytes ?? 0)
}

const weightOf = (change: Change) => 1 + (uploadBytesOf(change) ?? 0) / bytesOfChange

/** Collects the events of an apply. Times are in milliseconds of one clock. */
export class ApplyState {
  readonly changes: readonly Change[]
  readonly startedMs: number
  /** Number of changes with data or files to upload. */
  readonly uploads: number
  /** Number of changes in the running batch request. */
  sent = 0
  #sentMs = 0
  readonly #states = new Map<Change, Exclude<ChangeState, 'waiting'>>()
  readonly #running = new Map<Change, RunningChange>()
  readonly #counts = { done: 0, failed: 0, loaded: 0 }
  readonly #totalWeight: number
  #doneWeight = 0

  constructor(changes: readonly Change[], startedMs: number) {
    this.changes = changes
    this.startedMs = startedMs
    this.uploads = changes.filter((change) => uploadBytesOf(change) !== undefined).length
    this.#totalWeight = changes.reduce((sum, change) => sum + weightOf(change), 0)
  }

  take(event: ApplyEvent, nowMs: number): void {
    if (event.type === 'sending') [this.sent, this.#sentMs] = [event.changes, nowMs]
    else if (event.type === 'started') this.#note(event.change, nowMs, { note: '', fraction: 0 })
    else if (event.type === 'uploading') this.#note(event.change, nowMs, uploadOf(event))
    else if (event.type === 'loading') {
      const { features, total } = event.progress
      const fraction = total === undefined || total === 0 ? 0.5 : 0.5 + features / total / 2
      this.#note(event.change, nowMs, { note: describeLoading(event.progress), fraction })
    } else if (event.type === 'prepared') this.#end(event.change, 'loaded')
    else if (event.type === 'undone') this.#end(event.outcome.change, 'undone')
    else this.#end(event.outcome.change, event.outcome.outcome === 'failed' ? 'failed' : 'done')
  }

  stateOf = (change: Change): ChangeState => this.#states.get(change) ?? 'waiting'

  get done(): number {
    return this.#counts.done
  }

  get failed(): number {
    return this.#counts.failed
  }

  get loaded(): number {
    return this.#counts.loaded
  }

  get total(): number {
    return this.changes.length
  }

  get running(): readonly Change[] {
    return [...this.#running.keys()]
  }

  /** Completed fraction, by the size of data, from 0 to 1. */
  get fraction(): number {
    let weight = this.#doneWeight
    for (const [change, { fraction }] of this.#running) weight += (weightOf(change) - 1) * fraction
    return this.#totalWeight === 0 ? 1 : Math.min(1, weight / this.#totalWeight)
  }

  /** Time since the start of the batch request, or of the apply. */
  elapsedMs(nowMs: number): number {
    return nowMs - (this.isSending ? this.#sentMs : this.startedMs)
  }

  /** Whether a batch request is running, of whose progress the server does not report. */
  get isSending(): boolean {
    return this.sent > this.done
  }

  /** Estimates the remaining time; undefined if too little is done for an estimate. */
  remainingMs(nowMs: number): number | undefined {
    const [fraction, tookMs] = [this.fraction, nowMs - this.startedMs]
    if (this.isSending || fraction < enoughForEstimate || fraction >= 1 || tookMs < timeForEstimateMs)
      return undefined
    return (tookMs * (1 - fraction)) / fraction
  }

  /** Describes what happens to a running change: `12.0 MB of 40.0 MB, 4.2 s`. */
  noteOf(change: Change, nowMs: number): string {
    const { note, sinceMs } = this.#running.get(change) ?? { note: '', sinceMs: nowMs }
    const tookMs = nowMs - sinceMs
    return [...(note === '' ? [] : [note]), ...(tookMs > 2000 ? [showDuration(tookMs)] : [])].join(', ')
  }

  #note(change: Change, nowMs: number, running: Omit<RunningChange, 'sinceMs'>): void {
    const sinceMs = this.#running.get(change)?.sinceMs ?? nowMs
    this.#running.set(change, { ...running, sinceMs })
    this.#states.set(change, 'running')
  }

  #end(change: Change, state: 'loaded' | 'done' | 'failed' | 'undone'): void {
    const wasLoaded = this.#states.get(change) === 'loaded'
    this.#running.delete(change)
    this.#states.set(change, state)
    if (state === 'loaded') this.#counts.loaded += 1
    else this.#counts.done += 1
    if (state === 'failed') this.#counts.failed += 1
    // The data of a loaded change are counted, the change itself is not.
    this.#doneWeight += state === 'loaded' ? weightOf(change) - 1 : wasLoaded ? 1 : weightOf(change)
  }
}

function uploadOf({ sentBytes, sizeBytes }: Extract<ApplyEvent, { type: 'uploading' }>) {
  if (sentBytes >= sizeBytes) return { note: 'loading', fraction: 0.5 }
  return { note: `${showBytes(sentBytes)} of ${showBytes(sizeBytes)}`, fraction: sentBytes / sizeBytes / 2 }
}
