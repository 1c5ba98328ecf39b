import { bytesOf } from '../../core/bytes.ts'
import { cutAtAntimeridian } from '../../geo/antimeridian.ts'
import type { AnyByteGeometry, ByteGeometry } from '../../geo/byte_geometry.ts'
import { ewkbRoom, readWkb, writeEwkb } from '../../geo/wkb.ts'
import { findWorld } from '../../geo/world.ts'
import type { OpenGdal } from '../runner/gdal_module.ts'

/**
 * Creates a function that repairs lines and polygons: it cuts them at the antimeridian, then makes polygons valid with GDAL.
 * Valid geometries are not changed.
 */
export function createRepair(openGdal: OpenGdal, srs: number): (geometry: ByteGeometry) => AnyByteGeometry {
  const world = findWorld(srs)
  return (found) => {
    const cut = world === undefined ? found : cutAtAntimeridian(found, world)
    if (cut.family !== 'POLYGON') return cut
    const geometry = openGdal().Geometry.fromWKB(wkbOf(cut))
    return geometry.isValid() ? cut : readWkb(bytesOf(geometry.makeValid().toWKB('LSB', 'ISO')))
  }
}

function wkbOf(polygon: ByteGeometry): Buffer {
  const sink = { ...bytesOf(Buffer.allocUnsafe(ewkbRoom(polygon))), at: 0 }
  const hasZ = polygon.parts.some((part) => part.some(({ zAt }) => zAt >= 0))
  writeEwkb(sink, polygon, { family: 'POLYGON', isMulti: polygon.parts.length > 1, hasZ, srs: 0 })
  return sink.bytes.subarray(0, sink.at)
}
