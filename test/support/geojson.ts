import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readReal, readString } from '../../src/gdal/flatgeobuf/value.ts'
import { type FeatureFault, isFault } from '../../src/gdal/import/fit_geometry.ts'
import { datatypeOfKinds } from '../../src/gdal/sources/geojson/columns.ts'
import { spooledFeatureReader } from '../../src/gdal/sources/geojson/geojson_format.ts'
import { type GeoJsonFacts, readGeoJson } from '../../src/gdal/sources/geojson/geojson_reader.ts'
import type { Reproject } from '../../src/gdal/sources/geojson/reproject.ts'
import type { AnyByteGeometry } from '../../src/geo/byte_geometry.ts'
import { numbersOf } from '../../src/geo/byte_geometry.ts'

/** A feature as it was read. */
export interface ReadGeoJsonFeature {
  /** Families, and numbers of the sequences of each part. */
  readonly geometry: unknown
  /** Why a part of the geometry is missing. */
  readonly fault: string | undefined
  /** Values that are not null, by the names of their columns. */
  readonly values: Readonly<Record<string, number | bigint | string>>
}

/** What was read of a GeoJSON file. */
export interface ReadGeoJsonFile {
  readonly facts: GeoJsonFacts
  readonly features: readonly ReadGeoJsonFeature[]
  /** Datatypes of the columns, by their names. */
  readonly datatypes: Readonly<Record<string, string>>
}

/**
 * Reads GeoJSON, with the ids of the features as a column.
 *
 * @param reprojectOf makes what reprojects the features; where absent they stay in their own reference system
 */
export async function readGeoJsonText(
  text: string | Uint8Array,
  windowBytes?: number,
  reprojectOf: (facts: GeoJsonFacts) => Reproject = () => () => new Map(),
): Promise<ReadGeoJsonFile> {
  const folder = mkdtempSync(join(tmpdir(), 'landform-geojson-'))
  try {
    const [path, spoolPath] = [join(folder, 'a.geojson'), join(folder, 'spool')]
    writeFileSync(path, text)
    const files = { path, spoolPath, ...(windowBytes === undefined ? {} : { windowBytes }) }
    const facts = await readGeoJson(files, () => undefined)
    if (facts === undefined) throw new Error('not GeoJSON')
    const { columns } = facts
    const names = columns.ordered().map((index) => columns.all[index]?.name ?? '')
    const fields = columns
      .ordered()
      .map((column) => ({ column, datatype: datatypeOfKinds(columns.all[column]?.kinds ?? 0) }))
    const reader = spooledFeatureReader({ path: spoolPath, fields, reproject: reprojectOf(facts) })
    const features = Array.from(reader.all(), (feature): ReadGeoJsonFeature => {
      const values: Record<string, number | bigint | string> = {}
      reader.eachProperty(feature, (value) => {
        const { type, view, at } = value
        const number = () => (type === 'Long' ? view.getBigInt64(at, true) : readReal(value))
        values[names[value.column] ?? ''] = type === 'String' ? readString(value) : number()
      })
      return {
        geometry: describeGeometry(reader.readGeometry(feature)),
        fault: feature.fault?.reason,
        values,
      }
    })
    const datatypes = Object.fromEntries(fields.map(({ datatype }, index) => [names[index], datatype]))
    return { facts, features, datatypes }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Gives a geometry as plain data, without members that are empty. */
export function describeGeometry(geometry: AnyByteGeometry | FeatureFault | undefined): unknown {
  if (geometry === undefined || isFault(geometry) || geometry.family === 'UNSUPPORTED') return geometry
  if (geometry.family === 'COLLECTION')
    return geometry.members.filter(({ parts }) => parts.length > 0).map(describeGeometry)
  const { family, isMulti, hasZ, parts } = geometry
  return { family, isMulti, hasZ, parts: parts.map((part) => part.map(numbersOf)) }
}
