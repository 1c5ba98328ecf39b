import type { Layer } from 'gdal-async'
import { notNumber } from '../import/fit_geometry.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { type BadFeature, toldBadFeatures } from '../runner/vector_job.ts'
import type { SourceLayer } from './source.ts'

/** A feature that GDAL did not translate. */
export interface MissingFeature extends BadFeature {
  /** Whether the file lacks it. */
  readonly isAbsent: boolean
}

/** What a translation was to do, and what it did. */
export interface Translation {
  readonly source: Pick<SourceLayer, 'layer' | 'check'>
  /** EPSG code of the target. */
  readonly srs: number
  /** What GDAL was told to take for the reference system of the source, where it was told. */
  readonly sourceSrs: string | undefined
  /** Features of the source. */
  readonly total: number
  /** Features in the file. */
  readonly count: number
  /** Those of them that have no geometry. */
  readonly bareCount: number
}

/** What is wrong with the features that GDAL did not translate. */
export interface Missing {
  /** How many the file lacks. */
  readonly absentCount: number
  /** The first of them, in order, and the first that the file has without a geometry. */
  readonly first: readonly MissingFeature[]
}

/**
 * Finds the first features that GDAL did not translate, where there are any. Some versions write no feature without a
 * geometry, others do; text that is not UTF-8 stops a feature in some.
 *
 * @returns undefined where what is missing has no known fault
 */
export function findMissing(gdal: GdalModule, translation: Translation): Missing | undefined {
  const { total, count, bareCount } = translation
  const absentCount = total - count
  if (absentCount === 0 && bareCount === 0) return { absentCount, first: [] }
  // Texts take the longest to read, and are hardly ever the reason.
  return lookFor(gdal, translation, false) ?? lookFor(gdal, translation, true)
}

function lookFor(gdal: GdalModule, translation: Translation, looksAtTexts: boolean): Missing | undefined {
  const { source, total, count, bareCount } = translation
  const absentCount = total - count
  const findFault = faultFinder(gdal, translation, looksAtTexts)
  const first: MissingFeature[] = []
  let number = 0
  for (const feature of source.layer.features) {
    number += 1
    const fault = findFault(feature, number)
    if (fault === undefined) continue
    first.push({ number, isAbsent: absentCount > 0 && (fault.isText === true || bareCount === 0), ...fault })
    // The others need no reasons.
    if (first.filter(({ isAbsent }) => isAbsent || absentCount === 0).length >= toldBadFeatures)
      return { absentCount, first }
  }
  return first.filter(({ isAbsent }) => isAbsent).length === absentCount ? { absentCount, first } : undefined
}

type Feature = Parameters<Layer['features']['add']>[0]

type Fault = Omit<BadFeature, 'number'>

function faultFinder(
  gdal: GdalModule,
  { source, srs, sourceSrs }: Translation,
  looksAtTexts: boolean,
): (feature: Feature, number: number) => Fault | undefined {
  const { layer } = source
  const from = sourceSrs === undefined ? layer.srs : gdal.SpatialReference.fromUserInput(sourceSrs)
  const to = gdal.SpatialReference.fromEPSG(srs)
  const transformation = from === null ? undefined : new gdal.CoordinateTransformation(from, to)
  const findReason = source.check?.startReasons?.()
  return (feature, number) => {
    const geometry = feature.getGeometry()
    if (geometry === null || geometry.isEmpty()) return { reason: findReason?.(number) ?? noGeometry }
    try {
      if (transformation !== undefined) geometry.transform(transformation)
    } catch {
      return hasNumbers(feature) ? misplaced : { reason: notNumber }
    }
    const isBroken = looksAtTexts && Object.values(feature.fields.toObject()).some(hasReplacement)
    return isBroken ? { reason: 'a text of it is not UTF-8', isText: true } : undefined
  }
}

/** Said of a feature that cannot be reprojected. */
export const misplaced: Fault = {
  reason: 'a position of it is outside the reference system',
  isMisplaced: true,
}

function hasNumbers(feature: Feature): boolean {
  const box = feature.getGeometry()?.getEnvelope()
  return box !== undefined && [box.minX, box.maxX, box.minY, box.maxY].every(Number.isFinite)
}

/** Where bytes are no UTF-8, reading them gives this character. */
function hasReplacement(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\uFFFD')
}

const noGeometry = 'it has no geometry'
