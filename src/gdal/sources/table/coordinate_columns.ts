import { basename } from 'node:path'
import type { Dataset, Layer } from 'gdal-async'
import { problem } from '../../../contract/problems.ts'
import type { GdalModule } from '../../runner/gdal_module.ts'

/** Columns with the geometry of a table. */
export type CoordinateColumns =
  | { readonly x: string; readonly y: string; readonly isLonLat: boolean }
  | { readonly wkt: string; readonly isLonLat: false }

/** A layer of a table with such columns. */
export interface CoordinateTable {
  readonly layer: Layer
  readonly columns: CoordinateColumns
}

/**
 * Opens a table with its driver.
 *
 * @throws {Problem} source/unreadable
 */
export function openTable(gdal: GdalModule, path: string, driver: string): Dataset {
  try {
    return gdal.drivers.get(driver).open(path, 'r')
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause)
    const reason = text === '' ? 'it is not UTF-8 text' : text
    throw problem('source/unreadable', `the table ${basename(path)} cannot be read: ${reason}`, { cause })
  }
}

/**
 * Finds the layers of a table with coordinates.
 *
 * @throws {Problem} source/unreadable if no layer has coordinates
 */
export function findCoordinates({ layers }: Dataset, path: string): CoordinateTable[] {
  const all = layers.map((layer) => ({ layer, columns: findColumns(layer) }))
  const found = all.flatMap(({ layer, columns }) => (columns === undefined ? [] : [{ layer, columns }]))
  if (found.length === 0) throw noColumns(path, all[0]?.layer)
  return found
}

/** Lists the names of the coordinate columns. */
export function namesOf(columns: CoordinateColumns): readonly string[] {
  return 'wkt' in columns ? [columns.wkt] : [columns.x, columns.y]
}

const lonLatPairs = [
  ['lon', 'lat'],
  ['lng', 'lat'],
  ['long', 'lat'],
  ['longitude', 'latitude'],
  ['lon_dd', 'lat_dd'],
  ['долгота', 'широта'],
] as const

const planePairs = [
  ['x', 'y'],
  ['easting', 'northing'],
  ['xcoord', 'ycoord'],
] as const

const wktNames = [
  'wkt',
  'wkt_geom',
  'geom_wkt',
  '_wkt',
  'geom',
  'geometry',
  'the_geom',
  'wkb_geometry',
  'shape',
]

function findColumns(layer: Layer): CoordinateColumns | undefined {
  const byName = new Map(fieldNames(layer).map((name) => [name.trim().toLowerCase(), name]))
  const pairIn = (pairs: readonly (readonly [string, string])[], isLonLat: boolean) => {
    const pair = pairs.find((names) => names.every((name) => byName.has(name)))
    const [x, y] = (pair ?? []).map((name) => byName.get(name))
    return x === undefined || y === undefined ? undefined : { x, y, isLonLat }
  }
  const wkt = byName.get(wktNames.find((name) => byName.has(name)) ?? '')
  const lonLat = pairIn(lonLatPairs, true)
  if (lonLat !== undefined) return lonLat
  return wkt === undefined ? pairIn(planePairs, false) : { wkt, isLonLat: false }
}

function noColumns(path: string, layer: Layer | undefined): Error {
  const names = layer === undefined ? 'no columns' : `the columns ${fieldNames(layer).join(', ')}`
  return problem('source/unreadable', `the table ${basename(path)} has no coordinates, but ${names}`, {
    hint: 'Rename the coordinate columns to lon and lat, x and y, or wkt.',
  })
}

function fieldNames(layer: Layer): string[] {
  return layer.fields.getNames()
}
