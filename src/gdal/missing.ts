import type { Layer } from 'gdal-async'
import type { BadFeature } from './job.ts'
import type { GdalModule } from './open.ts'

/** A feature that GDAL did not translate. */
export interface MissingFeature extends BadFeature {
  /** Whether the file lacks it. */
  readonly isAbsent: boolean
}

/** What a translation was to do, and what it did. */
export interface Translation {
  readonly layer: Layer
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

/**
 * Finds the features that GDAL did not translate, where there are any. Some versions write no feature without a
 * geometry, others do; text that is not UTF-8 stops a feature in some.
 *
 * @returns undefined where not all that is missing has a known fault
 */
export function findMissing(gdal: GdalModule, translation: Translation): MissingFeature[] | undefined {
  const { layer, total, count, bareCount } = translation
  if (count === total && bareCount === 0) return []
  const findFault = faultFinder(gdal, translation)
  const missing: MissingFeature[] = []
  let number = 0
  for (const feature of layer.features) {
    number += 1
    const fault = findFault(feature)
    if (fault === undefined) continue
    missing.push({ number, isAbsent: count < total && (fault.isText === true || bareCount === 0), ...fault })
  }
  const absent = missing.filter(({ isAbsent }) => isAbsent).length
  return absent === total - count ? missing : undefined
}

type Feature = Parameters<Layer['features']['add']>[0]

type Fault = Omit<BadFeature, 'number'>

function faultFinder(
  gdal: GdalModule,
  { layer, srs, sourceSrs }: Translation,
): (feature: Feature) => Fault | undefined {
  const from = sourceSrs === undefined ? layer.srs : gdal.SpatialReference.fromUserInput(sourceSrs)
  const to = gdal.SpatialReference.fromEPSG(srs)
  const transformation = from === null ? undefined : new gdal.CoordinateTransformation(from, to)
  return (feature) => {
    const geometry = feature.getGeometry()
    if (geometry === null || geometry.isEmpty()) return { reason: 'it has no geometry' }
    try {
      if (transformation !== undefined) geometry.transform(transformation)
    } catch {
      return { reason: 'a position of it is outside the reference system', isMisplaced: true }
    }
    const isBroken = Object.values(feature.fields.toObject()).some(hasReplacement)
    return isBroken ? { reason: 'a text of it is not UTF-8', isText: true } : undefined
  }
}

/** Where bytes are no UTF-8, reading them gives this character. */
function hasReplacement(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\uFFFD')
}
