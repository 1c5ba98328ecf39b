import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CoordinateTransformation, SpatialReference } from 'gdal-async'
import { wkbTypes } from '../../../geo/wkb.ts'
import type { GdalModule } from '../../runner/gdal_module.ts'
import { positionsAt, type SpooledFeature } from './spool_reader.ts'

/** Reprojects features in place; those that cannot be reprojected are marked. */
export type Reproject = (features: readonly SpooledFeature[]) => void

/** Where features come from, and where they go. */
export interface ReprojectTarget {
  /** The member `crs` of the source, parsed; undefined where it has none. */
  readonly crs: unknown
  /** EPSG code. */
  readonly srs: number
  /** Folder for intermediate files. */
  readonly folder: string
}

/** Makes what reprojects the features of a source, with what GDAL takes its `crs` for. */
export function makeReproject(gdal: GdalModule, { crs, srs, folder }: ReprojectTarget): Reproject {
  const read = (member: unknown) => readReferenceSystem(gdal, member, folder)
  const from = read(crs)
  const to = read({ type: 'name', properties: { name: `EPSG:${srs}` } })
  if (from.isSame(to)) return () => undefined
  const transformation = new gdal.CoordinateTransformation(from, to)
  // Elsewhere PROJ chooses an operation by the place of what it is given.
  const isUniform = crs === undefined || from.isSame(read(undefined))
  return (features) => reproject(gdal, { transformation, isUniform }, features)
}

/** Asks GDAL for the reference system of a source with such a member. */
function readReferenceSystem(gdal: GdalModule, crs: unknown, folder: string): SpatialReference {
  const path = join(mkdtempSync(join(folder, 'crs-')), 'crs.geojson')
  const feature = { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [0, 0] } }
  writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', crs, features: [feature] }))
  const dataset = gdal.open(path, 'r', 'GeoJSON')
  try {
    const { srs } = dataset.layers.get(0)
    if (srs === null) throw new Error('a GeoJSON file has no reference system')
    return srs
  } finally {
    dataset.close()
  }
}

interface Reprojection {
  readonly transformation: CoordinateTransformation
  /** Whether features may be reprojected together. */
  readonly isUniform: boolean
}

function reproject(
  gdal: GdalModule,
  { transformation, isUniform }: Reprojection,
  features: readonly SpooledFeature[],
): void {
  for (const hasZ of [false, true]) {
    const group = features.filter(
      ({ bytes, geometry }) => geometry !== 0 && (bytes[geometry + 1] === 1) === hasZ,
    )
    const all = (members: readonly SpooledFeature[]) => transformAll(gdal, transformation, members)
    if (isUniform && (group.length === 0 || all(group))) continue
    for (const feature of group) if (!all([feature])) feature.isMisplaced = true
  }
}

const wkbHead = 9

/** Reprojects features of the same dimension; returns false where a position of them cannot be. */
function transformAll(
  gdal: GdalModule,
  transformation: CoordinateTransformation,
  features: readonly SpooledFeature[],
): boolean {
  const places = features.map((feature) => positionsAt(feature, feature.geometry))
  const step = places[0]?.hasZ ? 24 : 16
  const count = places.reduce((sum, place) => sum + place.count, 0)
  const wkb = Buffer.allocUnsafe(wkbHead + step * count)
  wkb[0] = 1
  wkb.writeUInt32LE(step === 24 ? wkbTypes.lineString + 1000 : wkbTypes.lineString, 1)
  wkb.writeUInt32LE(count, 5)
  let at = wkbHead
  for (const [index, place] of places.entries())
    at += (features[index] as SpooledFeature).bytes.copy(wkb, at, place.at, place.at + step * place.count)
  const line = gdal.Geometry.fromWKB(wkb)
  try {
    line.transform(transformation)
  } catch {
    return false
  }
  const moved = line.toWKB('LSB', 'ISO')
  at = wkbHead
  for (const [index, place] of places.entries()) {
    const end = at + step * place.count
    moved.copy((features[index] as SpooledFeature).bytes, place.at, at, end)
    at = end
  }
  return true
}
