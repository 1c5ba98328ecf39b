import type { GeometryFamily, GeometryParts } from '../contract/geometry.ts'
import type { Bytes } from '../core/bytes.ts'
import type { Part, Path, Shape } from './shape.ts'

/** Where bytes are written to. */
export interface Sink extends Bytes {
  at: number
}

const familyCodes: Readonly<Record<GeometryFamily, number>> = { POINT: 1, LINESTRING: 2, POLYGON: 3 }

/** What the geometry of a layer is written as. */
export interface EwkbTarget extends GeometryParts {
  /** EPSG code; 0 writes none. */
  readonly srs: number
}

/**
 * Writes a shape as extended well-known binary, little-endian; there must be room for it.
 *
 * @see https://postgis.net/docs/using_postgis_dbmanagement.html EWKB
 */
export function writeEwkb(sink: Sink, shape: Shape, target: EwkbTarget): void {
  const zFlag = target.hasZ ? 0x8000_0000 : 0
  const single = familyCodes[target.family]
  sink.bytes[sink.at] = 1
  const sridFlag = target.srs === 0 ? 0 : 0x2000_0000
  sink.view.setUint32(sink.at + 1, (sridFlag | zFlag | (target.isMulti ? single + 3 : single)) >>> 0, true)
  sink.at += 5
  if (target.srs !== 0) writeCount(sink, target.srs)
  if (!target.isMulti) {
    const part = shape.parts[0]
    if (part !== undefined) writePart(sink, part.paths, target)
    return
  }
  writeCount(sink, shape.parts.length)
  for (const part of shape.parts) {
    sink.bytes[sink.at] = 1
    sink.view.setUint32(sink.at + 1, (zFlag | single) >>> 0, true)
    sink.at += 5
    writePart(sink, part.paths, target)
  }
}

/** Most bytes that `writeEwkb` needs. */
export function ewkbRoom(shape: Shape): number {
  let room = 32
  for (const { paths } of shape.parts) {
    room += 16
    for (const path of paths) room += 8 + 24 * (path.count + 1)
  }
  return room
}

function writePart(sink: Sink, paths: Part, { family, hasZ }: GeometryParts): void {
  if (family === 'POLYGON') writeCount(sink, paths.length)
  for (const path of paths) {
    if (family !== 'POINT') writeCount(sink, path.count + (path.isOpen ? 1 : 0))
    writePositions(sink, path, { from: 0, to: path.count, hasZ })
    if (path.isOpen) writePositions(sink, path, { from: 0, to: 1, hasZ })
  }
}

function writeCount(sink: Sink, count: number): void {
  sink.view.setUint32(sink.at, count, true)
  sink.at += 4
}

interface Run {
  readonly from: number
  readonly to: number
  readonly hasZ: boolean
}

function writePositions(sink: Sink, { data, at, step, zAt, zStep }: Path, { from, to, hasZ }: Run): void {
  if (!hasZ && step === 16 && to - from > 1) {
    sink.at += data.bytes.copy(sink.bytes, sink.at, at + from * step, at + to * step)
    return
  }
  for (let index = from; index < to; index++) {
    const xAt = at + index * step
    sink.view.setFloat64(sink.at, data.view.getFloat64(xAt, true), true)
    sink.view.setFloat64(sink.at + 8, data.view.getFloat64(xAt + 8, true), true)
    if (hasZ) {
      const z = zAt < 0 ? 0 : data.view.getFloat64(zAt + index * zStep, true)
      sink.view.setFloat64(sink.at + 16, z, true)
    }
    sink.at += hasZ ? 24 : 16
  }
}
