import type { ApplyEvent, Outcome } from '../../reconcile/apply/outcome.ts'
import type { Change } from '../../reconcile/model/change.ts'
import { lossFacts } from '../../transfer/data_loss.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { writeEvent, writeOutcomeEvent } from './events.ts'
import { startLiveLine } from './live.ts'
import { describeLoading } from './run.ts'
import { showBytes, showCount, showDuration } from './text_format.ts'

/** Progress output of an apply. */
export interface Progress {
  take(event: ApplyEvent): void
  /** Stops the output. */
  end(): Promise<void>
}

/** Options of the progress output. */
export interface ProgressOptions {
  readonly terminal: Terminal
  /** Number of changes. */
  readonly total: number
  readonly json: boolean
}

/** Interval of progress lines during long steps, in milliseconds. */
const heartbeatMs = 10_000

/** Minimum interval between redraws, in milliseconds, so that a thousand concurrent changes are drawn once. */
const redrawMs = 100

interface Running {
  readonly sinceMs: number
  readonly note: string
}

interface State {
  done: number
  /** Number of changes in the running batch request. */
  sent: number
  spokenMs: number
  drawnMs: number
  readonly running: Map<Change, Running>
}

/**
 * Starts the progress output: on a terminal as a redrawn line, otherwise as a line per change and during long changes;
 * with `json` as events on `out`.
 */
export function startProgress(options: ProgressOptions): Progress {
  const state: State = { done: 0, sent: 0, spokenMs: performance.now(), drawnMs: 0, running: new Map() }
  const live = options.terminal.canRedraw && !options.json ? startLiveLine(options.terminal.err) : undefined
  const redraw = () => {
    state.drawnMs = performance.now()
    live?.update(summaryOf(state, options.total), runningOf(state))
  }
  const beat = setInterval(() => (live === undefined ? writeHeartbeat(options, state) : redraw()), 1000)
  beat.unref()
  return {
    take: (event) => {
      note(state, event)
      if (live === undefined) tell(options, state, event)
      else if (event.type === 'sending' || performance.now() - state.drawnMs > redrawMs) redraw()
    },
    end: async () => {
      clearInterval(beat)
      await live?.end()
    },
  }
}

function note(state: State, event: ApplyEvent): void {
  const { running } = state
  if (event.type === 'sending') state.sent = event.changes
  else if (event.type === 'prepared') running.delete(event.change)
  else if (event.type === 'started') running.set(event.change, { sinceMs: performance.now(), note: '' })
  else if (event.type === 'uploading') {
    const sinceMs = running.get(event.change)?.sinceMs ?? performance.now()
    const sent = event.sentBytes >= event.sizeBytes
    running.set(event.change, {
      sinceMs,
      note: sent ? 'loading' : `${showBytes(event.sentBytes)} of ${showBytes(event.sizeBytes)}`,
    })
  } else if (event.type === 'loading') {
    const sinceMs = running.get(event.change)?.sinceMs ?? performance.now()
    running.set(event.change, { sinceMs, note: describeLoading(event.progress) })
  } else {
    state.done += 1
    running.delete(event.outcome.change)
  }
}

function tell({ terminal, json }: ProgressOptions, state: State, event: ApplyEvent): void {
  if (event.type === 'finished' || event.type === 'undone') {
    state.spokenMs = performance.now()
    if (json) writeOutcomeEvent(terminal.out, event.outcome)
    else if (event.type === 'finished') reportOutcome(terminal, event.outcome)
  } else if (event.type === 'prepared') {
    state.spokenMs = performance.now()
    if (json) writeEvent(terminal.out, 'prepared', preparedFacts(event))
    else writeLine(terminal.err, `uploaded ${event.change.key}`)
  } else if (event.type === 'sending' && json) writeEvent(terminal.out, 'sending', { changes: event.changes })
}

function preparedFacts({ change, load }: Extract<ApplyEvent, { type: 'prepared' }>): object {
  if (load === undefined) return { key: change.key }
  const { before, after } = load
  return {
    key: change.key,
    feature_count_before: before,
    feature_count_after: after,
    ...lossFacts(load),
  }
}

function reportOutcome({ err }: Terminal, { outcome, change, problem }: Outcome): void {
  const fault = problem === undefined ? '' : `: ${problem.message}`
  writeLine(err, `${outcome.padEnd(8)} ${change.key}${fault}`)
}

function writeHeartbeat({ terminal, total, json }: ProgressOptions, state: State): void {
  if (performance.now() - state.spokenMs < heartbeatMs) return
  state.spokenMs = performance.now()
  if (json) writeEvent(terminal.out, 'progress', { done: state.done, total, running: keysOf(state) })
  else if (!terminal.canRedraw)
    writeLine(terminal.err, [summaryOf(state, total), ...atWork(state)].join(', '))
}

const atWork = (state: State) => (state.running.size === 0 ? [] : [`working on ${runningOf(state)}`])

const keysOf = ({ running }: State) => [...running.keys()].map(({ key }) => key)

const summaryOf = ({ done, sent }: State, total: number) =>
  sent > done ? `${showCount(sent, 'change')} sent in one request` : `${done} of ${total} changes done`

function runningOf({ running }: State): string {
  const parts = [...running].map(([{ key }, { sinceMs, note: what }]) => {
    const tookMs = performance.now() - sinceMs
    const facts = [...(what === '' ? [] : [what]), ...(tookMs > 2000 ? [showDuration(tookMs)] : [])]
    return facts.length > 0 ? `${key} (${facts.join(', ')})` : key
  })
  return parts.slice(0, 4).join(', ') + (parts.length > 4 ? `, and ${parts.length - 4} more` : '')
}
