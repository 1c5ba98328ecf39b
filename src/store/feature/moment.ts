/** Part of a date or time, in the order they are written in. */
type Unit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

const units: Readonly<Record<MomentType, readonly Unit[]>> = {
  DATE: ['year', 'month', 'day'],
  TIME: ['hour', 'minute', 'second'],
  DATETIME: ['year', 'month', 'day', 'hour', 'minute', 'second'],
}

/** Datatypes that hold dates and times. */
export type MomentType = 'DATE' | 'TIME' | 'DATETIME'

/** Tells whether a datatype holds dates or times. */
export function isMomentType(type: string): type is MomentType {
  return Object.hasOwn(units, type)
}

/** Gives the parts that a moment of a type has. */
export function momentUnits(type: MomentType): readonly Unit[] {
  return units[type]
}

const day = String.raw`(?<year>\d{4})([-/])(?<month>\d{1,2})\2(?<day>\d{1,2})`
const clock = String.raw`(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.0*)?)?`
const forms: Readonly<Record<MomentType, RegExp>> = {
  DATE: new RegExp(`^${day}$`),
  TIME: new RegExp(`^${clock}$`),
  DATETIME: new RegExp(`^${day}(?:[T ]${clock})?$`),
}

/**
 * Gives a moment as ISO text, or undefined where the value is none: `2020-01-02`, `10:00:00`, `2020-01-02T10:00:00`,
 * or an object of its parts, in which further members do not matter. Slashes between the parts of a date pass too,
 * since GDAL writes them; time zones and fractions of a second do not.
 */
export function findMoment(value: unknown, type: MomentType): string | undefined {
  const parts = typeof value === 'string' ? partsOfText(value, type) : partsOfObject(value, type)
  return parts !== undefined && isReal(parts) ? formatMoment(parts, type) : undefined
}

type Parts = Partial<Record<Unit, number>>

function partsOfText(text: string, type: MomentType): Parts | undefined {
  const groups = forms[type].exec(text.trim())?.groups
  return groups && Object.fromEntries(units[type].map((unit) => [unit, Number(groups[unit] ?? 0)]))
}

function partsOfObject(value: unknown, type: MomentType): Parts | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const members = value as Readonly<Record<string, unknown>>
  const isWhole = units[type].every((unit) => Number.isInteger(members[unit]))
  return isWhole ? Object.fromEntries(units[type].map((unit) => [unit, members[unit] as number])) : undefined
}

function isReal({ year = 2000, month = 1, day = 1, hour = 0, minute = 0, second = 0 }: Parts): boolean {
  if (year < 1 || year > 9999 || month < 1 || month > 12) return false
  const date = new Date(0)
  date.setUTCFullYear(year, month, 0)
  const isDay = day >= 1 && day <= date.getUTCDate()
  const isClock = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60
  return isDay && isClock
}

function formatMoment(parts: Parts, type: MomentType): string {
  const [year, ...rest] = units[type].map((unit) =>
    String(parts[unit] ?? 0).padStart(unit === 'year' ? 4 : 2, '0'),
  )
  if (type === 'TIME') return [year, ...rest].join(':')
  const date = [year, ...rest.slice(0, 2)].join('-')
  return type === 'DATE' ? date : `${date}T${rest.slice(2).join(':')}`
}
