import { joinFirst, showNumber } from '../../core/count.ts'
import { formatLine, type Span } from '../../core/span.ts'
import { describeAccess, describePrincipals } from '../../reconcile/access/describe_access.ts'
import type { AccessReport, BlockedRules } from '../../reconcile/model/access_change.ts'
import { oneLine, type Paint } from './text_format.ts'

/** Maximum number of lines in the section, and of positions in a line. */
const maxLines = 20
const maxPlaces = 2

/** Formats who gains and loses which permissions, a line each; empty if no one does. */
export function formatAccess(report: AccessReport | undefined, paint: Paint): string[] {
  if (report === undefined) return []
  const lines = describeAccess(report.changes).map(
    ({ change, sentence, names, causes }) =>
      `${paint(change === 'gain' ? 'green' : 'red', sentence)}: ${oneLine(names)}${formatPlaces(causes)}`,
  )
  lines.push(...report.blocked.map((one) => formatBlocked(one, paint)))
  if (!report.complete)
    lines.push(paint('yellow', 'other permissions may change: this account cannot read all resources'))
  if (lines.length === 0) return []
  const shown = lines.slice(0, maxLines)
  const more =
    lines.length > maxLines ? [`… and ${showNumber(lines.length - maxLines)} more; see --json`] : []
  return ['Access:', ...[...shown, ...more].map((line) => `  ${line}`), '']
}

function formatPlaces(causes: readonly Span[]): string {
  const places = causes.map(formatLine)
  return places.length === 0 ? '' : ` (${joinFirst(places, maxPlaces)})`
}

function formatBlocked({ principal, resources, unreadable, causes }: BlockedRules, paint: Paint): string {
  const { text } = describePrincipals([principal])
  const names = joinFirst(resources.map(({ key }) => key))
  const sentence = `rules for ${text} on ${names} have no effect without resource.read on ${unreadable.key}`
  return `${paint('yellow', oneLine(sentence))}${formatPlaces(causes)}`
}
