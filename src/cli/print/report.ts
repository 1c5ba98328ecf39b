import type { Outcome, OutcomeWord, Report } from '../../reconcile/apply.ts'
import { showDuration } from './number.ts'
import type { Paint } from './paint.ts'

const order: readonly OutcomeWord[] = ['created', 'adopted', 'updated', 'moved', 'replaced', 'deleted']

/** Writes what an apply did; what failed, with the reason; what was not tried; and how to go on. */
export function formatReport(
  report: Report,
  how: { readonly paint: Paint; readonly resume: string; readonly tookMs: number },
): string {
  const { paint } = how
  const failed = report.outcomes.filter(({ outcome }) => outcome === 'failed')
  const skipped = report.outcomes.filter(({ outcome }) => outcome === 'skipped')
  const lines = [`Done in ${showDuration(how.tookMs)}: ${countDone(report)}.`]
  if (failed.length > 0)
    lines.push(paint('red', `Failed: ${failed.length}`), ...failed.flatMap(formatFailure))
  if (skipped.length > 0) lines.push(`Not tried: ${skipped.length}`, ...skipped.map(formatSkipped))
  if (report.interrupted) lines.push('Interrupted.')
  if (failed.length + skipped.length > 0) lines.push(`To go on: ${how.resume}`)
  return lines.join('\n')
}

function countDone({ outcomes }: Report): string {
  const parts = order.flatMap((word) => {
    const count = outcomes.filter(({ outcome }) => outcome === word).length
    return count > 0 ? [`${count} ${word}`] : []
  })
  return parts.length > 0 ? parts.join(', ') : 'nothing'
}

function formatFailure({ change, problem }: Outcome): string[] {
  const detail = problem?.detail?.split('\n').map((line) => `      ${line}`) ?? []
  return [
    `  ${change.key} (${change.cls}): ${problem?.code}: ${problem?.message}`,
    ...detail,
    ...(problem?.hint ? [`      hint: ${problem.hint}`] : []),
  ]
}

function formatSkipped({ change, because }: Outcome): string {
  return `  ${change.key} (${change.cls})${because === undefined ? '' : `, after ${because}`}`
}
