import type { ApplyEvent, Outcome } from '../../reconcile/apply/outcome.ts'
import type { Change } from '../../reconcile/model/change.ts'
import { lossFacts } from '../../transfer/data_loss.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { ApplyState } from './apply_state.ts'
import { describeApply, drawApply, treeOfChanges } from './apply_tree.ts'
import { writeEvent, writeOutcomeEvent } from './events.ts'
import { type LiveLines, startLive } from './live.ts'
import { painter } from './text_format.ts'

/** Progress output of an apply. */
export interface Progress {
  take(event: ApplyEvent): void
  /** Stops the output. */
  end(): void
}

/** Options of the progress output. */
export interface ProgressOptions {
  readonly terminal: Terminal
  readonly changes: readonly Change[]
  readonly json: boolean
  /** Whether to show nothing, except for events. */
  readonly quiet: boolean
}

/** Interval of progress lines during long steps, in milliseconds. */
const heartbeatMs = 10_000

/**
 * Starts the progress output: on a terminal as a tree that is redrawn, otherwise as a line per change and during long changes;
 * with `json` as events on `out`.
 */
export function startProgress(options: ProgressOptions): Progress {
  const { terminal, json, quiet } = options
  const state = new ApplyState(options.changes, performance.now())
  if (quiet && !json) return { take: () => undefined, end: () => undefined }
  if (terminal.canRedraw && !json) return showTree(startTree(terminal, state), state)
  const spoken = { atMs: performance.now() }
  const beat = setInterval(() => {
    if (performance.now() - spoken.atMs < heartbeatMs) return
    spoken.atMs = performance.now()
    writeHeartbeat(options, state)
  }, 1000)
  beat.unref()
  return {
    take: (event) => {
      state.take(event, performance.now())
      if (tell(options, event)) spoken.atMs = performance.now()
    },
    end: () => clearInterval(beat),
  }
}

function startTree({ err, errColour }: Terminal, state: ApplyState): LiveLines {
  const [tree, paint] = [treeOfChanges(state.changes), painter(errColour)]
  return startLive(err, (size) => drawApply({ state, tree, paint, nowMs: performance.now() }, size))
}

function showTree(live: LiveLines, state: ApplyState): Progress {
  return {
    take: (event) => {
      state.take(event, performance.now())
      // The request may block this process for a while.
      if (event.type === 'sending') live.redraw()
    },
    end: () => live.end(),
  }
}

/** Writes an event as a line or as JSON; returns whether it did. */
function tell({ terminal, json }: ProgressOptions, event: ApplyEvent): boolean {
  if (event.type === 'finished' || event.type === 'undone') {
    if (json) writeOutcomeEvent(terminal.out, event.outcome)
    else if (event.type === 'finished') reportOutcome(terminal, event.outcome)
    return true
  }
  if (event.type === 'prepared') {
    if (json) writeEvent(terminal.out, 'prepared', preparedFacts(event))
    else writeLine(terminal.err, `uploaded ${event.change.key}`)
    return true
  }
  if (event.type === 'sending' && json) writeEvent(terminal.out, 'sending', { changes: event.changes })
  return false
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

function reportOutcome({ err }: Terminal, one: Outcome): void {
  const { outcome, change, problem, because } = one
  // Of an apply that stopped; the report tells what was not tried.
  if (outcome === 'skipped' && because === undefined) return
  const fault = problem === undefined ? '' : `: ${problem.message}`
  writeLine(err, `${one.outcome.padEnd(8)} ${change.key}${fault}`)
}

/** Maximum number of running changes in a progress line. */
const maxNamed = 4

function writeHeartbeat({ terminal, json }: ProgressOptions, state: ApplyState): void {
  const { done, total, running } = state
  const nowMs = performance.now()
  if (json) {
    writeEvent(terminal.out, 'progress', { done, total, running: running.map(({ key }) => key) })
    return
  }
  const named = running.slice(0, maxNamed).map((change) => {
    const note = state.noteOf(change, nowMs)
    return note === '' ? change.key : `${change.key} (${note})`
  })
  if (running.length > maxNamed) named.push(`and ${running.length - maxNamed} more`)
  const work = named.length === 0 ? [] : [`working on ${named.join(', ')}`]
  writeLine(terminal.err, [describeApply(state, nowMs), ...work].join(', '))
}
