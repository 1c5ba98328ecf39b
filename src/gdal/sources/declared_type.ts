import type { GeometryParts } from '../../contract/geometry.ts'
import { partsOfWkbType } from '../../geo/wkb.ts'

/**
 * Reads the geometry type that a layer of GDAL declares; undefined if it allows any. Z is a flag in older codes, 1000 in
 * newer ones. @see OGC 06-103r4 clause 8.2.3
 */
export function readDeclaredType(code: number): GeometryParts | undefined {
  const low = code & 0xffff
  const thousands = Math.floor(low / 1000)
  const parts = partsOfWkbType(low % 1000)
  return parts && { ...parts, hasZ: (code & 0x8000_0000) !== 0 || thousands === 1 || thousands === 3 }
}

/** Tells whether a declared geometry type is a curve type. @see OGC 06-103r4 clause 8.2.3 */
export function isCurved(code: number): boolean {
  const flat = (code & 0xffff) % 1000
  return flat >= 8 && flat <= 14
}

/** Tells whether a declared geometry type has measures. @see OGC 06-103r4 clause 8.2.3 */
export function hasMeasures(code: number): boolean {
  const thousands = Math.floor((code & 0xffff) / 1000)
  return thousands === 2 || thousands === 3
}
