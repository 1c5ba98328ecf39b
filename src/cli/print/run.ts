import { countOf, showNumber } from '../../core/count.ts'
import type { LayerReport, RunEvent, RunReport } from '../../pipeline/run_event.ts'
import { describeKept, describeRemoved } from '../../transfer/sync/feature_difference.ts'
import type { LoadProgress } from '../../transfer/watch_load.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { writeEvent } from './events.ts'
import { spinner, startLive } from './live.ts'
import { oneLine, showBefore, showBytes, showDuration } from './text_format.ts'

/** Progress output of a run. */
export interface RunProgress {
  take(event: RunEvent): void
  /** Stops the output. */
  end(): void
}

/** Interval of progress lines during long steps, in milliseconds. */
const heartbeatMs = 10_000

interface RunState {
  step: string
  stepSinceMs: number
  rows: number
  detail: string
}

/** How to show the progress of a run. */
export interface RunOutput {
  readonly terminal: Terminal
  readonly json: boolean
  /** Whether to show nothing, except for events. */
  readonly quiet: boolean
}

/**
 * Starts the progress output: on a terminal as a redrawn line, otherwise as a line per step and during long steps; with
 * `json` as events on `out`.
 */
export function startRunProgress({ terminal, json, quiet }: RunOutput): RunProgress {
  const end = () => undefined
  if (json) return { take: ({ type, ...facts }) => writeEvent(terminal.out, type, facts), end }
  if (quiet) return { take: () => undefined, end }
  const state: RunState = { step: 'starting', stepSinceMs: performance.now(), rows: 0, detail: '' }
  const describe = () => state.detail || showDuration(performance.now() - state.stepSinceMs)
  if (terminal.canRedraw) {
    const live = startLive(terminal.err, () => [
      `${spinner(performance.now())} ${oneLine(state.step)}  ${describe()}`,
    ])
    return { take: (event) => noteEvent(state, event), end: () => live.end() }
  }
  const beat = setInterval(() => writeLine(terminal.err, `${state.step}: ${describe()}`), heartbeatMs)
  beat.unref()
  return {
    take: (event) => {
      noteEvent(state, event)
      if (event.type === 'step') writeLine(terminal.err, `${state.step} …`)
    },
    end: () => clearInterval(beat),
  }
}

function noteEvent(state: RunState, event: RunEvent): void {
  if (event.type === 'step') {
    Object.assign(state, {
      step: `${event.layer}: ${event.step}`,
      stepSinceMs: performance.now(),
      rows: 0,
      detail: '',
    })
  } else if (event.type === 'progress') {
    state.rows = event.rows
    state.detail = describeProgress(event, performance.now() - state.stepSinceMs)
  }
}

/** Describes the progress of loading a file into a layer on the server. */
export function describeLoading({ step, features, total }: LoadProgress): string {
  return features === 0 ? step : `${step}, ${showRows(features, total)}`
}

const showRows = (rows: number, total: number | undefined) =>
  total === undefined ? countOf(rows, 'row') : `${showNumber(rows)} of ${countOf(total, 'row')}`

/** Describes the progress of a step: rows, bytes, speed and remaining time. */
export function describeProgress(
  { doing, rows, totalRows, bytes, totalBytes }: Extract<RunEvent, { type: 'progress' }>,
  tookMs: number,
): string {
  const seconds = Math.max(tookMs / 1000, 0.001)
  const parts = doing === undefined ? [] : [doing]
  if (rows > 0) {
    parts.push(showRows(rows, totalRows))
    // The start of this part of a step with several parts is unknown.
    if (doing === undefined) parts.push(`${countOf(Math.round(rows / seconds), 'row')}/s`)
  }
  if (bytes !== undefined && totalBytes !== undefined && bytes > 0) {
    parts.push(`${showBytes(bytes)} of ${showBytes(totalBytes)}`)
    if (bytes < totalBytes) parts.push(`${showDuration((tookMs * (totalBytes - bytes)) / bytes)} left`)
  }
  return parts.join(', ')
}

/** Formats the report of a run, layer by layer. */
export function formatRunReport({ pipeline, outcome, layers, seconds }: RunReport): string {
  return [`${pipeline}: ${outcome} in ${showDuration(seconds * 1000)}`, ...layers.flatMap(formatLayer)].join(
    '\n',
  )
}

function formatLayer({
  layer,
  read,
  loaded,
  before,
  unchanged,
  removed = 0,
  removedAttachments: attachments = 0,
  removedDescriptions: descriptions = 0,
  kept,
  quarantined,
  file,
  sizeBytes,
  digest,
  notes,
  quarantine,
}: LayerReport): string[] {
  const counts = [
    `${countOf(read, 'row')} read`,
    ...(loaded > 0 || before ? [`${countOf(loaded, 'row')} written${showBefore(before)}`] : []),
    ...(unchanged > 0 ? [`${countOf(unchanged, 'row')} unchanged`] : []),
    ...(removed > 0 ? [describeRemoved(removed, { attachments, descriptions })] : []),
    ...(kept === undefined ? [] : [describeKept(kept)]),
    ...(quarantined > 0 ? [`${countOf(quarantined, 'row')} quarantined`] : []),
  ]
  const lines = [`  ${layer}: ${counts.join(', ')}`]
  if (file !== undefined && sizeBytes !== undefined)
    lines.push(`    ${file}, ${showBytes(sizeBytes)}, sha256 ${digest}`)
  for (const note of notes ?? []) lines.push(`    ${note}`)
  for (const { line, reason } of quarantine?.first ?? []) lines.push(`    line ${line}: ${reason}`)
  if (quarantine?.file !== undefined) lines.push(`    quarantined rows: ${quarantine.file}`)
  return lines
}
