import { type CumulativeStatus, catalogLimits, cumulativeStatuses } from '../../contract/catalog/catalog.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import { parseGeojsonGeometry } from '../../geo/geojson.ts'
import { onMap } from '../../geo/on_map.ts'
import { formatWkt, formatWktMembers } from '../../geo/wkt.ts'
import { parseWktMembers } from '../../geo/wkt_reader.ts'
import type { FilterGeometry, Order } from '../../store/catalog/geoservice_query.ts'

/** Query parameters of the catalog, as strings. */
export type Parameters = Readonly<Record<string, string | undefined>>

/** Returns a parameter; undefined if it is absent or empty. */
export function textOf(query: Parameters, name: string): string | undefined {
  return query[name] === '' ? undefined : query[name]
}

/** Creates the error for an invalid query parameter. */
export function invalidParameter(name: string, message: string): Problem {
  return problem('request/invalid', message, { data: { location: ['query', name] } })
}

const notAChoice = 'Select a valid choice. That choice is not one of the available choices.'

/** Creates the error for a parameter that names a record that does not exist. */
export const unknownChoice = (name: string): Problem => invalidParameter(name, notAChoice)

/** Parses a number. */
export function numberOf(query: Parameters, name: string): number | undefined {
  const text = textOf(query, name)?.trim()
  if (text === undefined) return undefined
  const value = Number(text)
  if (text === '' || !Number.isFinite(value) || text.length > 40)
    throw invalidParameter(name, 'Enter a number.')
  return value
}

/** Parses the identifier of a record; one that no record can have is undefined inside. */
export function idOf(query: Parameters, name: string): number | undefined {
  const text = textOf(query, name)
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text.trim())) throw unknownChoice(name)
  return Number(text)
}

/** Parses a global identifier. */
export function guidOf(query: Parameters, name: string): string | undefined {
  const text = textOf(query, name)
  if (text === undefined) return undefined
  if (!/^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text)) throw unknownChoice(name)
  return text
}

/** Parses the status of a service. */
export function statusOf(query: Parameters): CumulativeStatus | undefined {
  const text = textOf(query, 'cumulative_status')
  if (text === undefined) return undefined
  const status = cumulativeStatuses.find((known) => known === text)
  if (status !== undefined) return status
  throw invalidParameter(
    'cumulative_status',
    `Select a valid choice. ${text.slice(0, 100)} is not one of the available choices.`,
  )
}

/** Returns the text of a search in the form of stored texts: Unicode normalization form C. */
export function searchOf(query: Parameters): string {
  return (textOf(query, 'search') ?? '').normalize('NFC')
}

/** Splits a search text at blanks and commas. */
export function wordsOf(query: Parameters): string[] {
  const text = searchOf(query)
  const words = [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))]
  if (text.length > catalogLimits.searchText)
    throw invalidParameter('search', `A search has at most ${catalogLimits.searchText} characters.`)
  if (words.length > catalogLimits.searchWords)
    throw invalidParameter('search', `A search has at most ${catalogLimits.searchWords} words.`)
  return words
}

/** Parses a list of columns to order by; unknown ones are ignored. */
export function orderOf<C extends string>(query: Parameters, columns: readonly C[]): Order<C>[] {
  const names = (textOf(query, 'ordering') ?? '').split(',').map((name) => name.trim())
  const found = names.flatMap((name) => {
    const by = columns.find((column) => column === name.replace(/^-/, ''))
    return by === undefined ? [] : [{ by, isDescending: name.startsWith('-') }]
  })
  return found.filter(({ by }, at) => found.findIndex((other) => other.by === by) === at)
}

/** Parses a geometry: WKT or GeoJSON in EPSG:4326, or EWKT in any reference system. */
export function geometryOf(query: Parameters, name: string): FilterGeometry | undefined {
  const text = textOf(query, name)
  if (text === undefined) return undefined
  if (text.length > catalogLimits.geometryText)
    throw invalidParameter(name, `A geometry has at most ${catalogLimits.geometryText} characters.`)
  try {
    if (/^\s*\{/.test(text))
      return { wkt: formatWkt(onMap(parseGeojsonGeometry(parseJson(text)), lonLat)), srs: lonLat }
    const { geometries, srs = lonLat } = parseWktMembers(text)
    return { wkt: formatWktMembers(geometries.map((one) => onMap(one, srs))), srs }
  } catch (error) {
    if (!isProblem(error)) throw error
    throw invalidParameter(name, `Enter a WKT or EWKT geometry: ${error.message}.`)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** EPSG code of WKT without reference system, and of GeoJSON. */
const lonLat = 4326
