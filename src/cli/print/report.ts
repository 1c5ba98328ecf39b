import type { Problem } from '../../core/problem.ts'
import type { Outcome, OutcomeWord, Report } from '../../reconcile/apply/outcome.ts'
import { formatLoad } from './load.ts'
import { showBefore, showCount, showDuration } from './number.ts'
import type { Paint } from './paint.ts'

const order: readonly OutcomeWord[] = ['created', 'adopted', 'updated', 'moved', 'replaced', 'deleted']

/** How a report is written. */
export interface ReportStyle {
  readonly paint: Paint
  /** What a person types to go on. */
  readonly resume: string
  readonly tookMs: number
}

/** Writes what an apply did; what failed, with the reason; what was not tried; and how to go on. */
export function formatReport(report: Report, { paint, resume, tookMs }: ReportStyle): string {
  const { outcomes, interrupted, problem } = report
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed')
  const skipped = outcomes.filter(({ outcome }) => outcome === 'skipped')
  const lines = [formatDone(report, tookMs), ...outcomes.flatMap(formatLoaded)]
  if (problem !== undefined) lines.push(paint('red', 'Failed'), ...formatProblemLines('', problem))
  if (failed.length > 0)
    lines.push(paint('red', `Failed: ${failed.length}`), ...failed.flatMap(formatFailure))
  // Where nothing was done, that says it of each.
  if (skipped.length > 0 && !isUndone(report))
    lines.push(`Not tried: ${skipped.length}`, ...skipped.map(formatSkipped))
  if (interrupted) lines.push('Interrupted.')
  if (failed.length + skipped.length > 0) lines.push(`To go on: ${resume}`)
  return lines.join('\n')
}

const isUndone = ({ atomic, outcomes }: Report) =>
  atomic && outcomes.every(({ outcome }) => outcome === 'failed' || outcome === 'skipped')

function formatDone(report: Report, tookMs: number): string {
  if (report.uncertain) return 'The answer of the server was lost: all was done, or nothing.'
  return isUndone(report) ? 'Nothing was changed.' : `Done in ${showDuration(tookMs)}: ${countDone(report)}.`
}

function countDone({ outcomes }: Report): string {
  const parts = order.flatMap((word) => {
    const count = outcomes.filter(({ outcome }) => outcome === word).length
    return count > 0 ? [`${count} ${word}`] : []
  })
  return parts.length > 0 ? parts.join(', ') : 'nothing'
}

/** Most bad features of a file that are named. */
const mostNamed = 3

/** What became of a file: nothing of it is left out in silence. */
function formatLoaded({ change, report, before }: Outcome): string[] {
  if (report === undefined) return []
  const { feature_count: count, bad_count: badCount } = report
  return [
    `  ${change.key}: ${showCount(count, 'feature')} loaded${showBefore(before)}${badCount > 0 ? `, ${badCount} bad left out` : ''}`,
    ...formatLoad(report, mostNamed).map((line) => `    ${line}`),
  ]
}

function formatFailure({ change, problem }: Outcome): string[] {
  return problem === undefined ? [] : formatProblemLines(`${change.key} (${change.cls}): `, problem)
}

function formatProblemLines(subject: string, { code, message, detail, hint }: Problem): string[] {
  const details = detail?.split('\n').map((line) => `      ${line}`) ?? []
  return [`  ${subject}${code}: ${message}`, ...details, ...(hint ? [`      hint: ${hint}`] : [])]
}

function formatSkipped({ change, because }: Outcome): string {
  return `  ${change.key} (${change.cls})${because === undefined ? '' : `, after ${because}`}`
}
