import type { CoordinateTransformation } from 'gdal-async'
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
import { type ContinueLongitude, findContinuation, turnOf } from '../sources/continue_longitude.ts'
import { misplaced } from '../sources/missing.ts'
import type { SourceLayer } from '../sources/source.ts'
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
  const parts = { gdal, transformation, continued }
  return (geometry) => {
    const moved = geometry.parts.map((part) => part.map((sequence) => reproject(sequence, parts)))
    const sequences = moved.map((part) => part.filter((sequence) => sequence !== undefined))
    const isWhole = moved.every((part) => part.every((sequence) => sequence !== undefined))
    if (isWhole) return { ...geometry, parts: sequences }
    return hasNumbers(geometry) ? misplaced : { reason: notNumber }
  }
}

const hasNumbers = ({ parts }: ByteGeometry) =>
  parts.every((part) => part.every((sequence) => numbersOf(sequence).every(Number.isFinite)))

function isBeyond({ layer }: SourceLayer, turn: number): boolean {
  // PROJ gives points the right place.
  if (layer.geomType % 1000 === wkbTypes.point) return false
  try {
    const { minX, maxX } = layer.getExtent(true)
    return Math.max(-minX, maxX) > turn / 2
  } catch {
    // Without geometries, or if they cannot be read.
    return false
  }
}

interface Reprojection {
  readonly gdal: GdalModule
  readonly transformation: CoordinateTransformation
  readonly continued: ContinueLongitude
}

const wkbHead = 9

function reproject(
  sequence: ByteSequence,
  { gdal, transformation, continued }: Reprojection,
): ByteSequence | undefined {
  const size = positionSize(sequence.zAt >= 0)
  const numbers = numbersOf(sequence)
  const wkb = Buffer.allocUnsafe(wkbHead + 8 * numbers.length)
  wkb[0] = 1
  wkb.writeUInt32LE(size === 3 ? wkbTypes.lineString + 1000 : wkbTypes.lineString, 1)
  wkb.writeUInt32LE(numbers.length / size, 5)
  for (const [at, number] of numbers.entries()) wkb.writeDoubleLE(number, wkbHead + 8 * at)
  const line = gdal.Geometry.fromWKB(wkb)
  try {
    line.transform(transformation)
  } catch {
    return undefined
  }
  const moved = line.toWKB('LSB', 'ISO')
  return byteSequenceOf(
    numbers.map((number, at) => {
      const value = moved.readDoubleLE(wkbHead + 8 * at)
      return at % size === 0 ? continued(value, number) : value
    }),
    size,
  )
}
