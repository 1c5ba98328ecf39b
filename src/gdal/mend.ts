import { bytesOf } from '../core/bytes.ts'
import { cutAtAntimeridian, findWorld } from './antimeridian.ts'
import { ewkbRoom, writeEwkb } from './ewkb.ts'
import type { GdalModule } from './open.ts'
import { parseWkb, type Shape } from './shape.ts'

/**
 * Makes what mends polygons: cuts them at the antimeridian, then lets GDAL make them valid. Sound ones stay as they
 * are.
 */
export function makeMender(gdal: GdalModule, srs: number): (shape: Shape) => Shape {
  const world = findWorld(srs)
  return (found) => {
    const shape = world === undefined ? found : cutAtAntimeridian(found, world)
    const geometry = gdal.Geometry.fromWKB(wkbOf(shape))
    return geometry.isValid() ? shape : parseWkb(geometry.makeValid().toWKB('LSB', 'ISO'))
  }
}

function wkbOf(shape: Shape): Buffer {
  const hasZ = shape.parts.some(({ paths }) => paths.some(({ zAt }) => zAt >= 0))
  const sink = { ...bytesOf(Buffer.allocUnsafe(ewkbRoom(shape))), at: 0 }
  writeEwkb(sink, shape, { family: 'POLYGON', isMulti: shape.parts.length > 1, hasZ, srs: 0 })
  return sink.bytes.subarray(0, sink.at)
}
