import { datatypeCodecs } from '../../contract/datatype_codec.ts'

/** Part of a date or time. */
type Unit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

const units: Readonly<Record<TemporalType, readonly Unit[]>> = {
  DATE: ['year', 'month', 'day'],
  TIME: ['hour', 'minute', 'second'],
  DATETIME: ['year', 'month', 'day', 'hour', 'minute', 'second'],
}

/** Datatypes of dates and times. */
export type TemporalType = 'DATE' | 'TIME' | 'DATETIME'

/** Returns whether a datatype is a date or time. */
export function isTemporalType(type: string): type is TemporalType {
  return Object.hasOwn(units, type)
}

/** Returns the parts of a datatype, in the order they are written in. */
export function temporalUnits(type: TemporalType): readonly Unit[] {
  return units[type]
}

/**
 * Parses a date or time from a string or an object of its parts. Other members are ignored, because GDAL sends all six
 * parts for a date.
 *
 * @returns an ISO 8601 string without time zone: `2020-01-02`, `10:00:00`, `2020-01-02T10:00:00`; undefined if the value
 * does not match the datatype
 */
export function findTemporalText(value: unknown, type: TemporalType): string | undefined {
  const text = typeof value === 'string' ? value.trim() : textOfParts(value, type)
  const { parse, print } = datatypeCodecs[type]
  const parsed = text === undefined ? undefined : parse(text)
  return parsed === undefined ? undefined : print(parsed)
}

function textOfParts(value: unknown, type: TemporalType): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const members = value as Readonly<Record<string, unknown>>
  if (!units[type].every((unit) => Number.isInteger(members[unit]))) return undefined
  const [date, time] = [dateUnits, timeUnits].map((names) =>
    names.map((unit) => String(members[unit]).padStart(unit === 'year' ? 4 : 2, '0')),
  ) as [string[], string[]]
  if (type === 'DATE') return date.join('-')
  return type === 'TIME' ? time.join(':') : `${date.join('-')}T${time.join(':')}`
}

const dateUnits = units.DATE
const timeUnits = units.TIME
