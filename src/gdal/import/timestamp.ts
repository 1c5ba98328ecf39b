import { daysSince2000, isCalendarDate } from '../../contract/datatype_codec.ts'

/** A timestamp in the form `YYYY-MM-DDTHH:MM:SS.sss`; a time zone is ignored, and so is a fraction of a second, as in texts. */
export interface Timestamp {
  /** Days since 2000-01-01. */
  readonly days: number
  /** Microseconds since midnight, of whole seconds. */
  readonly microseconds: number
}

/** Microseconds in a second. */
export const second = 1_000_000

/** Seconds by which timestamps in floating-point numbers differ from what was entered, and GDAL prints them, at most. */
const floatError = 0.0015

const pattern = /^(-?\d{1,6})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?)?/

/**
 * Parses a timestamp; undefined if it is invalid.
 *
 * @param isRounded whether the fraction is an error of a floating-point number, so that one just below a second is that second
 * @see ISO 8601
 */
export function parseTimestamp(text: string, isRounded = false): Timestamp | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, fraction = 0] = match.slice(1).map((part) => Number(part ?? 0))
  const seconds = Math.floor(isRounded ? fraction + floatError : fraction)
  return {
    days: daysSince2000(year ?? 0, month ?? 0, day ?? 0),
    microseconds: (((hour ?? 0) * 60 + (minute ?? 0)) * 60 + seconds) * second,
  }
}

const dayPattern = /^(-?\d{1,6})[-/](\d\d)[-/](\d\d)/

/** Tells whether a string starts with a valid date: GDAL accepts 30 February. */
export function isCalendarDay(text: string): boolean {
  const match = dayPattern.exec(text)
  if (match === null) return false
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  return isCalendarDate(year, month, day)
}
