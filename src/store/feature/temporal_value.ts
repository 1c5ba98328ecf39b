import { datatypeCodecs } from '../../contract/datatype_codec.ts'

/** Part of a date or time, in the order they are written in. */
type Unit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

const units: Readonly<Record<TemporalType, readonly Unit[]>> = {
  DATE: ['year', 'month', 'day'],
  TIME: ['hour', 'minute', 'second'],
  DATETIME: ['year', 'month', 'day', 'hour', 'minute', 'second'],
}

/** Datatypes of dates and times. */
export type TemporalType = 'DATE' | 'TIME' | 'DATETIME'

/** Tells whether a datatype is one of dates or times. */
export function isTemporalType(type: string): type is TemporalType {
  return Object.hasOwn(units, type)
}

/** Parts of the values of a datatype. */
export function temporalUnits(type: TemporalType): readonly Unit[] {
  return units[type]
}

/**
 * Reads a date or time from text, or from an object of its parts, in which further members are ignored: GDAL sends all
 * six for a date.
 *
 * @returns ISO 8601 text without time zone: `2020-01-02`, `10:00:00`, `2020-01-02T10:00:00`; undefined where the value
 *   is not of the datatype
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
