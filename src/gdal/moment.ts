/** A moment that text has in the form `YYYY-MM-DDTHH:MM:SS.sss`; a zone after it is not looked at. */
export interface Moment {
  /** Days since 2000-01-01. */
  readonly days: number
  /** Microseconds since midnight. */
  readonly microseconds: number
}

const pattern = /^(-?\d{1,6})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?/

/** Reads a moment; undefined where the text is none. @see ISO 8601 */
export function findMoment(text: string): Moment | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0))
  return {
    days: daysSince2000(year ?? 0, month ?? 0, day ?? 0),
    microseconds: Math.round((((hour ?? 0) * 60 + (minute ?? 0)) * 60 + (second ?? 0)) * 1e6),
  }
}

/** In the calendar of today, extended into the past, as PostgreSQL counts. */
function daysSince2000(year: number, month: number, day: number): number {
  const date = new Date(Date.UTC(2000, Math.max(month, 1) - 1, Math.max(day, 1)))
  date.setUTCFullYear(year)
  return Math.round((date.getTime() - Date.UTC(2000, 0, 1)) / 86_400_000)
}
