import type { Layer, SpatialReference } from 'gdal-async'
import { startKeyList } from '../import/bad_keys.ts'
import { notNumber } from '../import/fit_geometry.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { type BadFeature, maxListedFeatures } from '../runner/vector_job.ts'
import type { SourceLayer } from './source.ts'

/** A feature that GDAL did not translate. */
export interface MissingFeature extends BadFeature {
  /** Whether it is absent from the file. */
  readonly isAbsent: boolean
}

/** Input and result of a translation. */
export interface Translation {
  readonly source: Pick<SourceLayer, 'layer' | 'check'>
  /** EPSG code of the target. */
  readonly srs: number
  /** Reference system of the source. */
  readonly from: SpatialReference
  /** Features of the source. */
  readonly total: number
  /** Features in the file. */
  readonly count: number
  /** Number of them without geometry. */
  readonly nullCount: number
  /** Reads the key of a feature; absent if keys are not wanted. */
  readonly readKey?: ((feature: Feature) => readonly string[] | undefined) | undefined
}

/** Faults of the features that GDAL did not translate. */
export interface Missing {
  /** Number of features that are absent from the file. */
  readonly absentCount: number
  /** The first of them in order, and the first ones in the file without geometry. */
  readonly first: readonly MissingFeature[]
  /** Keys of the features that are absent from the file, as far as they can be read and up to a size. */
  readonly keys: readonly (readonly string[])[]
}

/**
 * Finds the first features that GDAL did not translate. Some versions of GDAL drop features without geometry, or with
 * strings that are not UTF-8.
 *
 * @returns undefined if missing features have no known fault
 */
export function findMissing(gdal: GdalModule, translation: Translation): Missing | undefined {
  const { total, count, nullCount } = translation
  const absentCount = total - count
  if (absentCount === 0 && nullCount === 0) return { absentCount, first: [], keys: [] }
  // Strings are checked last: reading them is slow, and they are rarely the reason.
  return findFirst(gdal, translation, false) ?? findFirst(gdal, translation, true)
}

function findFirst(gdal: GdalModule, translation: Translation, checksStrings: boolean): Missing | undefined {
  const { source, total, count, nullCount, readKey } = translation
  const absentCount = total - count
  const findFault = faultFinder(gdal, translation, checksStrings)
  const first: MissingFeature[] = []
  const keys = startKeyList()
  const isListed = () =>
    first.filter(({ isAbsent }) => isAbsent || absentCount === 0).length >= maxListedFeatures
  let number = 0
  for (const feature of source.layer.features) {
    number += 1
    const fault = findFault(feature, number)
    if (fault === undefined) continue
    const isAbsent = absentCount > 0 && (fault.isMisencoded === true || nullCount === 0)
    // A row without the cells of its geometry may have fewer cells, so that those of the key are shifted.
    const mayBeShifted = source.check?.startReasons !== undefined && fault.reason === noGeometry
    if (isAbsent && !mayBeShifted) keys.add(readKey?.(feature))
    // Only the first features are listed with reasons.
    if (!isListed()) first.push({ number, isAbsent, ...fault })
    if (isListed() && readKey === undefined) break
  }
  const isKnown = isListed() || first.filter(({ isAbsent }) => isAbsent).length === absentCount
  return isKnown ? { absentCount, first, keys: keys.list } : undefined
}

type Feature = Parameters<Layer['features']['add']>[0]

type Fault = Omit<BadFeature, 'number'>

function faultFinder(
  gdal: GdalModule,
  { source, srs, from }: Translation,
  checksStrings: boolean,
): (feature: Feature, number: number) => Fault | undefined {
  const to = gdal.SpatialReference.fromEPSG(srs)
  const transformation = new gdal.CoordinateTransformation(from, to)
  const findReason = source.check?.startReasons?.()
  return (feature, number) => {
    const geometry = feature.getGeometry()
    if (geometry === null || geometry.isEmpty()) return { reason: findReason?.(number) ?? noGeometry }
    try {
      geometry.transform(transformation)
    } catch {
      return hasNumbers(feature) ? misplaced : { reason: notNumber }
    }
    const isBroken = checksStrings && Object.values(feature.fields.toObject()).some(hasReplacement)
    return isBroken ? { reason: 'a string is not UTF-8', isMisencoded: true } : undefined
  }
}

/** Fault of a feature that cannot be reprojected. */
export const misplaced: Fault = {
  reason: 'a position is outside the bounds of the reference system',
  isMisplaced: true,
}

function hasNumbers(feature: Feature): boolean {
  const box = feature.getGeometry()?.getEnvelope()
  return box !== undefined && [box.minX, box.maxX, box.minY, box.maxY].every(Number.isFinite)
}

/** Replacement character for bytes that are not UTF-8. */
function hasReplacement(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\uFFFD')
}

const noGeometry = 'it has no geometry'
