import type { GeometryType } from '../../contract/geometry.ts'
import { geometryParts } from '../../contract/geometry.ts'
import { bytesOf } from '../../core/bytes.ts'
import { hasHeight } from '../../geo/byte_geometry.ts'
import { ewkbRoom, readWkb, writeEwkb } from '../../geo/wkb.ts'
import { geometryPosition } from './row_digest.ts'
import type { ValueRow } from './row_entry.ts'

/** Returns the geometry of a row as a layer stores it; undefined if the row has none, or only one of a more general type. */
export type ConvertGeometry = (row: ValueRow) => Buffer | undefined

/** A layer whose geometry type differs from that of the rows. */
interface StoredGeometries {
  readonly geometryType: GeometryType
  /** EPSG code. */
  readonly srs: number
}

/**
 * Makes a converter of the geometries of rows to the geometry type of a layer: where the type of the layer changes, features whose
 * geometry has one part, or no heights, do not.
 */
export function convertToTarget({ geometryType, srs }: StoredGeometries): ConvertGeometry {
  const target = { ...geometryParts(geometryType), srs }
  let sink = bytesOf(Buffer.allocUnsafe(1 << 12))
  return (row) => {
    if ((row.lengths[geometryPosition] ?? -1) < 0) return undefined
    const geometry = readWkb(row, row.ats[geometryPosition])
    if (geometry.family !== target.family) return undefined
    if (!target.isMulti && geometry.parts.length !== 1) return undefined
    if (!target.hasZ && hasHeight(geometry)) return undefined
    const room = ewkbRoom(geometry)
    if (room > sink.bytes.length) sink = bytesOf(Buffer.allocUnsafeSlow(2 * room))
    const written = { ...sink, at: 0 }
    writeEwkb(written, geometry, target)
    return sink.bytes.subarray(0, written.at)
  }
}
