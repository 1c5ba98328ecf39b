import { type CumulativeStatus, cumulativeStatuses } from '../../contract/catalog/catalog.ts'
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
  const total = days.reduce((sum, day) => sum + countOf(day), 0)
  if (total === 0) return `<p>No checks in the last ${dayCount} days.</p>`
  const working = days.reduce((sum, day) => sum + day.works, 0)
  const checks = total === 1 ? '1 check' : `${total} checks`
  return `<p><strong>${percentOf(working, total)} %</strong> of ${checks} in the last ${dayCount} days worked.</p>
${chartHtml(days, now)}`
}

/** Rounded down: 100 % only if every check worked. */
const percentOf = (part: number, total: number) => Math.floor((1000 * part) / total) / 10

const countOf = (day: DayChecks) => cumulativeStatuses.reduce((sum, status) => sum + day[status], 0)

const bar = { step: 10, width: 8, height: 40, least: 3 } as const

/** Results of the checks of a day, and what the legend and the text alternative call them. */
const dayResults = {
  works: 'all checks worked',
  problematic: 'some checks worked',
  failed: 'no check worked',
  none: 'no checks',
} as const
type DayResult = keyof typeof dayResults

function resultOf(day: DayChecks | undefined): DayResult {
  if (day === undefined) return 'none'
  if (day.works === 0) return 'failed'
  return day.works === countOf(day) ? 'works' : 'problematic'
}

function chartHtml(days: readonly DayChecks[], now: Date): string {
  const byDay = new Map(days.map((day) => [day.day, day]))
  const all = Array.from({ length: dayCount }, (_, at) => dayOf(now.getTime() - (dayCount - 1 - at) * dayMs))
  const bars = all.map((day, at) => barHtml(day, at, byDay.get(day)))
  const results = all.map((day) => resultOf(byDay.get(day)))
  const size = `viewBox="0 0 ${dayCount * bar.step} ${bar.height}" preserveAspectRatio="none"`
  return `<div class="chart"><p class="scale quiet" aria-hidden="true"><span>100 %</span> <span>0 %</span></p>
<svg class="uptime" role="img" aria-label="${altText(results)}" ${size}>${bars.join('')}</svg>
<p class="days quiet"><span>${all[0]}</span> <span>${all.at(-1)}</span></p>
<ul class="legend quiet" aria-hidden="true">${legendHtml(results)}</ul></div>`
}

/** Writes a bar as high as the share of checks that worked, in front of the height of all. */
function barHtml(day: string, at: number, checks: DayChecks | undefined): string {
  const x = at * bar.step + (bar.step - bar.width) / 2
  const share = checks === undefined ? 0 : checks.works / countOf(checks)
  const height = Number(Math.max(bar.least, share * bar.height).toFixed(2))
  const rect = (name: string, tall: number) =>
    `<rect class="${name}" x="${x}" y="${bar.height - tall}" width="${bar.width}" height="${tall}"/>`
  const track = checks === undefined ? '' : rect('track', bar.height)
  return `<g>${track}${rect(resultOf(checks), height)}<title>${day}: ${countsText(checks)}</title></g>`
}

function countsText(checks: DayChecks | undefined): string {
  if (checks === undefined) return dayResults.none
  const counts = cumulativeStatuses
    .filter((status) => checks[status] > 0)
    .map((status) => one(checks, status))
  return `${percentOf(checks.works, countOf(checks))} % worked (${counts.join(', ')})`
}

const one = (checks: DayChecks, status: CumulativeStatus) => `${checks[status]} ${status}`

function legendHtml(results: readonly DayResult[]): string {
  return resultsIn(results)
    .map(
      (result) =>
        `<li><svg width="10" height="10"><rect class="${result}" width="10" height="10"/></svg> ${dayResults[result]}</li>`,
    )
    .join('')
}

function resultsIn(results: readonly DayResult[]): DayResult[] {
  const names = Object.keys(dayResults) as DayResult[]
  return names.filter((name) => results.includes(name))
}

/** Returns the text alternative: the number of days by their result. */
function altText(results: readonly DayResult[]): string {
  const parts = resultsIn(results).map((result) => {
    const count = results.filter((other) => other === result).length
    return `${dayResults[result]} on ${count} ${count === 1 ? 'day' : 'days'}`
  })
  return `Checks by day: ${parts.join(', ')}.`
}
