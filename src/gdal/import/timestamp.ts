/** A timestamp in the form `YYYY-MM-DDTHH:MM:SS.sss`; a time zone is ignored. */
export interface Timestamp {
  /** Days since 2000-01-01. */
  readonly days: number
  /** Microseconds since midnight. */
  readonly microseconds: number
}

const pattern = /^(-?\d{1,6})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?/

/** Parses a timestamp; undefined if it is invalid. @see ISO 8601 */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0))
  return {
    days: daysSince2000(year ?? 0, month ?? 0, day ?? 0),
    microseconds: Math.round((((hour ?? 0) * 60 + (minute ?? 0)) * 60 + (second ?? 0)) * 1e6),
  }
}

const daysTo2000 = 730_425

/**
 * Counts days in the proleptic Gregorian calendar, as PostgreSQL does. Years start in March here, so that the leap day
 * is the last day of a year.
 */
export function daysSince2000(year: number, month: number, day: number): number {
  const shifted = month > 2 ? year : year - 1
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400)
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + Math.max(day, 1) - 1
  return 365 * shifted + leapDays + dayOfYear - daysTo2000
}

const dayPattern = /^(-?\d{1,6})[-/](\d\d)[-/](\d\d)/

/** Tells whether a string starts with a valid date: GDAL accepts 30 February. */
export function isCalendarDay(text: string): boolean {
  const match = dayPattern.exec(text)
  if (match === null) return false
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  return isDay(year, month, day)
}

/** Tells whether a date is valid. */
export function isDay(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= daysOfMonth(year, month))
}

function daysOfMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
