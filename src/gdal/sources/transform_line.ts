import type { CoordinateTransformation } from 'gdal-async'
import { wkbTypes } from '../../geo/wkb.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import type { ContinueLongitude } from './continue_longitude.ts'

/** How positions are reprojected. */
export interface LineTransformation {
  readonly transformation: CoordinateTransformation
  readonly continued: ContinueLongitude | undefined
}

/** Bytes of a position, without or with a height. */
export type PositionBytes = 16 | 24

/** Bytes before the positions of a line. */
export const lineHead = 9

/** Allocates the WKB of a line; the caller writes its positions, each as little-endian numbers. */
export function allocateLine(count: number, step: PositionBytes): Buffer {
  const wkb = Buffer.allocUnsafe(lineHead + step * count)
  wkb[0] = 1
  wkb.writeUInt32LE(step === 24 ? wkbTypes.lineString + 1000 : wkbTypes.lineString, 1)
  wkb.writeUInt32LE(count, 5)
  return wkb
}

/** Reprojects positions in one call, as the WKB of a line; undefined if one of them cannot be reprojected. */
export function transformLine(
  gdal: GdalModule,
  { transformation, continued }: LineTransformation,
  { wkb, step }: { readonly wkb: Buffer; readonly step: PositionBytes },
): Buffer | undefined {
  const line = gdal.Geometry.fromWKB(wkb)
  try {
    line.transform(transformation)
  } catch {
    return undefined
  }
  const moved = line.toWKB('LSB', 'ISO')
  for (let x = lineHead; continued !== undefined && x < moved.length; x += step)
    moved.writeDoubleLE(continued(moved.readDoubleLE(x), wkb.readDoubleLE(x)), x)
  return moved
}
