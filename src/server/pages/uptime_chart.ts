import { type CumulativeStatus, cumulativeStatuses } from '../../contract/catalog.ts'
import type { DayChecks } from '../../store/catalog/uptime.ts'

const dayMs = 86_400_000
const dayCount = 30

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

/** Returns the first day of the chart, in UTC: 30 days with the day of `now`. */
export function firstDay(now: Date): string {
  return dayOf(now.getTime() - (dayCount - 1) * dayMs)
}

/** Writes the share of checks that worked, and a chart with one bar a day. */
export function uptimeHtml(days: readonly DayChecks[], now: Date): string {
  const sum = (status: CumulativeStatus) => days.reduce((total, day) => total + day[status], 0)
  const total = cumulativeStatuses.reduce((all, status) => all + sum(status), 0)
  if (total === 0) return `<p>No checks in the last ${dayCount} days.</p>`
  // Rounded down: 100 % only if every check worked.
  const percent = Math.floor((1000 * sum('works')) / total) / 10
  const checks = total === 1 ? '1 check' : `${total} checks`
  return `<p><strong>${percent} %</strong> of ${checks} in the last ${dayCount} days worked.</p>
${chartHtml(days, now)}`
}

const bar = { step: 10, width: 8, height: 40 } as const

/** Height of a bar by the worst result of its day, so that the results differ not only in color. */
const heights: Readonly<Record<CumulativeStatus, number>> = { works: 40, problematic: 26, failed: 13 }

function chartHtml(days: readonly DayChecks[], now: Date): string {
  const byDay = new Map(days.map((day) => [day.day, day]))
  const all = Array.from({ length: dayCount }, (_, at) => dayOf(now.getTime() - (dayCount - 1 - at) * dayMs))
  const bars = all.map((day, at) => barHtml(day, at, byDay.get(day)))
  return `<svg class="uptime" role="img" aria-label="${altText(all, byDay)}" viewBox="0 0 ${dayCount * bar.step} ${bar.height + 2}">${bars.join('')}</svg>
<p class="legend quiet"><span>${all[0]}</span> <span>${all.at(-1)}</span></p>`
}

function barHtml(day: string, at: number, checks: DayChecks | undefined): string {
  const x = at * bar.step + (bar.step - bar.width) / 2
  const status = checks === undefined ? undefined : worstOf(checks)
  const height = status === undefined ? 2 : heights[status]
  const title = checks === undefined ? 'no checks' : countsText(checks)
  return `<rect class="${status ?? 'none'}" x="${x}" y="${bar.height + 2 - height}" width="${bar.width}" height="${height}"><title>${day}: ${title}</title></rect>`
}

function worstOf(checks: DayChecks): CumulativeStatus {
  return cumulativeStatuses.findLast((status) => checks[status] > 0) ?? 'works'
}

function countsText(checks: DayChecks): string {
  return cumulativeStatuses
    .filter((status) => checks[status] > 0)
    .map((status) => `${checks[status]} ${status}`)
    .join(', ')
}

/** Returns the text alternative: the number of days by their worst result. */
function altText(all: readonly string[], byDay: ReadonlyMap<string, DayChecks>): string {
  const results = all.map((day) => {
    const checks = byDay.get(day)
    return checks === undefined ? 'without checks' : worstOf(checks)
  })
  const parts = [...Map.groupBy(results, (result) => result)].map(
    ([result, found]) => `${found.length} ${found.length === 1 ? 'day' : 'days'} ${result}`,
  )
  return `Checks by day: ${parts.join(', ')}.`
}
