import { notesOf } from '../../contract/bodies/import_report.ts'
import { successWords } from '../../contract/bodies/journal.ts'
import { countOf, showNumber } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import type { Problem } from '../../core/problem.ts'
import { formatSpan, type Span } from '../../core/span.ts'
import { findWantedBlock, type Manifest } from '../../manifest/manifest.ts'
import type { Outcome, Report } from '../../reconcile/apply/outcome.ts'
import { isServerLost } from '../../reconcile/apply/schedule_steps.ts'
import type { Change } from '../../reconcile/model/change.ts'
import { describeUnfilled } from '../../reconcile/plan/data/unfilled_fields.ts'
import { nameEncoding } from '../../transfer/source_encoding.ts'
import { describeDifference } from '../../transfer/sync/feature_difference.ts'
import { formatBad, formatSkippedCount } from './load.ts'
import { type Paint, showBefore, showDuration, withoutColours } from './text_format.ts'

/** Style of a report. */
export interface ReportStyle {
  readonly paint: Paint
  /** Manifest of the changes, for the positions of failures. */
  readonly manifest?: Pick<Manifest, 'resources' | 'catalog' | 'principals'>
  /** Issues that were printed with the plan. */
  readonly known?: readonly Issue[]
  /** Command to resume. */
  readonly resume: string
  readonly tookMs: number
}

/** Formats the report of an apply: completed, failed and skipped changes, and the command to resume. */
export function formatReport(
  report: Report,
  { paint, resume, tookMs, manifest, known = [] }: ReportStyle,
): string {
  const { outcomes, interrupted, problem } = report
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed')
  const skipped = outcomes.filter(({ outcome }) => outcome === 'skipped')
  const lines = [
    formatDone(report, tookMs),
    ...outcomes.flatMap(formatLoaded),
    ...outcomes.flatMap(formatUnfilled),
    ...outcomes.flatMap((one) => formatStyleIssues(one, known)),
  ]
  if (problem !== undefined) lines.push(paint('red', 'Failed'), ...formatProblemLines('', problem))
  if (failed.length > 0)
    lines.push(
      paint('red', `Failed: ${failed.length}`),
      ...failed.flatMap((one) => formatFailure(one, manifest)),
    )
  // If nothing was changed, the first line covers all changes.
  if (skipped.length > 0 && !isUndone(report)) lines.push(...formatAllSkipped(skipped, failed))
  if (interrupted) lines.push('Interrupted.')
  if (failed.length + skipped.length > 0) lines.push(`To resume: ${resume}`)
  return lines.join('\n')
}

const isUndone = ({ atomic, outcomes }: Report) =>
  atomic && outcomes.every(({ outcome }) => outcome === 'failed' || outcome === 'skipped')

function formatDone(report: Report, tookMs: number): string {
  const isLost = report.uncertain === true
  if (isLost && isUndone(report))
    return 'The response of the server was lost: either all changes were made, or none.'
  if (isLost)
    return `Done: ${countDone(report)}. The response of the server was lost: either all other changes were made, or none.`
  return isUndone(report) ? 'Nothing was changed.' : `Done in ${showDuration(tookMs)}: ${countDone(report)}.`
}

function countDone({ outcomes }: Report): string {
  const done = outcomes.filter(({ outcome }) => successWords.some((word) => word === outcome))
  const words = done.map(({ outcome }) => outcome)
  // In the order of plans.
  const parts = successWords.flatMap((word) => {
    const count = words.filter((other) => other === word).length
    return count > 0 ? [`${showNumber(count)} ${word}`] : []
  })
  return parts.length > 0 ? parts.join(', ') : 'nothing'
}

/** Maximum number of invalid features in the output, per file. */
const maxListed = 3

/** Formats the result of a load, with its notes and invalid features. */
function formatLoaded({ change, report, skipped = report, before, difference }: Outcome): string[] {
  const left = formatSkippedCount(skipped)
  const bad = skipped === undefined ? [] : formatBad(skipped, maxListed)
  const indent = (lines: readonly string[]) =>
    lines.map((line) => `    ${nameEncoding(line, 'data.encoding')}`)
  if (difference !== undefined)
    return [`  ${change.key}: ${describeDifference(difference)}${left}`, ...indent(bad)]
  if (report === undefined) return []
  return [
    `  ${change.key}: ${countOf(report.feature_count, 'feature')} loaded${showBefore(before)}${left}`,
    ...indent([...bad, ...notesOf(report)]),
  ]
}

/** Formats which fields got no values, as the plan said. */
function formatUnfilled({ change, outcome }: Outcome): string[] {
  const isDone = successWords.some((word) => word === outcome)
  return change.unfilled === undefined || !isDone
    ? []
    : [`  ${change.key}: ${describeUnfilled(change.unfilled)}`]
}

/** Formats what the server does not draw of a style, without what was known before. */
function formatStyleIssues({ change, styleIssues = [] }: Outcome, known: readonly Issue[]): string[] {
  const isKnown = (message: string) =>
    known.some((issue) => issue.message.startsWith(`${change.key}.`) && issue.message.includes(message))
  const found = styleIssues.filter(({ message }) => !isKnown(message))
  if (found.length === 0) return []
  const listed = found.slice(0, maxListed).map(({ line, column, message, hint }) => {
    const advice = hint === undefined ? '' : `; ${hint}`
    return `    line ${line}, column ${column}: ${message}${advice}`
  })
  const more = found.length > maxListed ? [`    … and ${showNumber(found.length - maxListed)} more`] : []
  return [`  ${change.key}: not drawn as the style says:`, ...listed, ...more]
}

function formatFailure({ change, problem }: Outcome, manifest: ReportStyle['manifest']): string[] {
  if (problem === undefined) return []
  const [first = '', ...more] = formatProblemLines(`${change.key} (${change.cls}): `, problem)
  const span = manifest && findPlace(change, problem, manifest)
  return [first, ...(span === undefined ? [] : [`      at ${formatSpan(span)}`]), ...more]
}

/** Finds the value that the server refuses in the manifest: it names the member of the request. */
function findPlace(
  change: Change,
  { data }: Problem,
  manifest: NonNullable<ReportStyle['manifest']>,
): Span | undefined {
  const [, pointer] = (data.location ?? []) as readonly unknown[]
  if (change.action === 'delete' || typeof pointer !== 'string') return undefined
  return findWantedBlock(manifest, change)?.spanOf(pointer.replace(/^\/resource\//, '/'))
}

function formatProblemLines(subject: string, { code, message, detail, hint }: Problem): string[] {
  const details = detail?.split('\n').map((line) => `      ${line}`) ?? []
  const lines = [`  ${subject}${code}: ${message}`, ...details, ...(hint ? [`      hint: ${hint}`] : [])]
  return lines.map(withoutColours)
}

/** Changes that were not tried because the server is gone are not listed: they are all the others. */
function formatAllSkipped(skipped: readonly Outcome[], failed: readonly Outcome[]): string[] {
  const isLost = failed.some(({ problem }) => problem !== undefined && isServerLost(problem))
  if (isLost) return [`Not tried: ${skipped.length}, because the server cannot be reached.`]
  return [`Not tried: ${skipped.length}`, ...skipped.map(formatSkipped)]
}

function formatSkipped({ change, because }: Outcome): string {
  return `  ${change.key} (${change.cls})${because === undefined ? '' : `, after ${because}`}`
}
