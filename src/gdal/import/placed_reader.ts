import { wrapBytesToWorld } from '../../geo/antimeridian.ts'
import {
  type AnyByteGeometry,
  type ByteGeometry,
  type ByteSequence,
  byteSequenceOf,
  numbersOf,
} from '../../geo/byte_geometry.ts'
import { positionSize } from '../../geo/geometry.ts'
import { wkbTypes } from '../../geo/wkb.ts'
import { findWorld } from '../../geo/world.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { findContinuation, turnOf } from '../sources/continue_longitude.ts'
import { misplaced } from '../sources/missing.ts'
import type { SourceLayer } from '../sources/source.ts'
import { allocateLine, type LineTransformation, lineHead, transformLine } from '../sources/transform_line.ts'
import { openReferenceSystem } from '../sources/translate.ts'
import type { FeatureReader } from './feature_reader.ts'
import { type FeatureFault, isFault, notNumber } from './fit_geometry.ts'

/** Returns a reader that moves geometries onto the map that continue beyond the antimeridian. */
export function wrappingReader(reader: FeatureReader, srs: number): FeatureReader {
  const world = findWorld(srs)
  if (world === undefined) return reader
  return movingReader(reader, (geometry) => wrapBytesToWorld(geometry, world))
}

/** Returns a reader that reprojects geometries. */
export function reprojectingReader(reader: FeatureReader, reproject: ReprojectGeometry): FeatureReader {
  return movingReader(reader, reproject)
}

/** Reprojects a geometry; returns a fault if it has no coordinates in the target. */
export type ReprojectGeometry = (geometry: ByteGeometry) => ByteGeometry | FeatureFault

function movingReader(reader: FeatureReader, move: ReprojectGeometry): FeatureReader {
  return {
    ...reader,
    readGeometry(feature) {
      const geometry = reader.readGeometry(feature)
      return geometry === undefined || isFault(geometry) ? geometry : moveAny(geometry, move)
    },
  }
}

function moveAny(geometry: AnyByteGeometry, move: ReprojectGeometry): AnyByteGeometry | FeatureFault {
  if (geometry.family === 'UNSUPPORTED') return geometry
  if (geometry.family !== 'COLLECTION') return move(geometry)
  const members = geometry.members.map(move)
  return (
    members.find(isFault) ?? {
      ...geometry,
      members: members.filter((member): member is ByteGeometry => !isFault(member)),
    }
  )
}

/**
 * Finds how to reproject a source that extends beyond the antimeridian, which GDAL would wrap; undefined for other sources.
 * Opens the layer, so that it must not be called while the source is translated.
 *
 * @param srs EPSG code of the target
 * @throws {Problem} source/no-srs
 */
export function findReprojection(
  gdal: GdalModule,
  source: SourceLayer,
  srs: number,
): ReprojectGeometry | undefined {
  const from = openReferenceSystem(gdal, source)
  const to = gdal.SpatialReference.fromUserInput(srs === 4326 ? 'OGC:CRS84' : `EPSG:${srs}`)
  const continued = findContinuation(gdal, { from, srs })
  if (continued === undefined || from.isSame(to) || !isBeyond(source, turnOf(gdal, from) ?? 0))
    return undefined
  const transformation = new gdal.CoordinateTransformation(from, to)
  const moving = { transformation, continued }
  return (geometry) => {
    const moved = geometry.parts.map((part) => part.map((sequence) => reproject(gdal, sequence, moving)))
    const sequences = moved.map((part) => part.filter((sequence) => sequence !== undefined))
    const isWhole = moved.every((part) => part.every((sequence) => sequence !== undefined))
    if (isWhole) return { ...geometry, parts: sequences }
    return hasNumbers(geometry) ? misplaced : { reason: notNumber }
  }
}

const hasNumbers = ({ parts }: ByteGeometry) =>
  parts.every((part) => part.every((sequence) => numbersOf(sequence).every(Number.isFinite)))

function isBeyond({ layer }: SourceLayer, turn: number): boolean {
  // PROJ gives points the right place, as long as their longitudes are not wrong.
  const turns = layer.geomType % 1000 === wkbTypes.point ? 1.5 : 0.5
  try {
    const { minX, maxX } = layer.getExtent(true)
    return Math.max(-minX, maxX) > turns * turn
  } catch {
    // Without geometries, or if they cannot be read.
    return false
  }
}

function reproject(
  gdal: GdalModule,
  sequence: ByteSequence,
  moving: LineTransformation,
): ByteSequence | undefined {
  const size = positionSize(sequence.zAt >= 0)
  const step = size === 3 ? 24 : 16
  const numbers = numbersOf(sequence)
  const wkb = allocateLine(numbers.length / size, step)
  for (const [at, number] of numbers.entries()) wkb.writeDoubleLE(number, lineHead + 8 * at)
  const moved = transformLine(gdal, moving, { wkb, step })
  return (
    moved &&
    byteSequenceOf(
      numbers.map((_, at) => moved.readDoubleLE(lineHead + 8 * at)),
      size,
    )
  )
}
