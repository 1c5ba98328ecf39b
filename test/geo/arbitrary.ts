import fc from 'fast-check'
import type { GeometryFamily } from '../../src/contract/geometry.ts'
import type { Geometry, Part } from '../../src/geo/geometry.ts'
import type { TileGeometry } from '../../src/geo/packed_geometry.ts'

const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  // Minus zero is written as zero.
  .map((value) => (value === 0 ? 0 : value))

const families: readonly GeometryFamily[] = ['POINT', 'LINESTRING', 'POLYGON']

/** Geometries of every type that layers support, including empty ones. */
export const geometries: fc.Arbitrary<Geometry> = fc
  .record({ family: fc.constantFrom(...families), isMulti: fc.boolean(), hasZ: fc.boolean() })
  .chain((type) =>
    fc
      .array(partOf(type.family, type.hasZ), { maxLength: type.isMulti ? 3 : 1 })
      .map((parts) => ({ ...type, parts })),
  )

function partOf(family: GeometryFamily, hasZ: boolean): fc.Arbitrary<Part> {
  const size = hasZ ? 3 : 2
  const sequence = (positions: { readonly min: number; readonly max: number }) =>
    fc
      .array(fc.array(number, { minLength: size, maxLength: size }), {
        minLength: positions.min,
        maxLength: positions.max,
      })
      .map((found) => found.flat())
  if (family === 'POINT') return sequence({ min: 1, max: 1 }).map((point) => [point])
  if (family === 'LINESTRING') return sequence({ min: 2, max: 6 }).map((line) => [line])
  const ring = sequence({ min: 3, max: 6 }).map((open) => [...open, ...open.slice(0, size)])
  return fc.array(ring, { minLength: 1, maxLength: 3 })
}

const unit = fc.integer({ min: -300, max: 4400 })

/** Polygons of whole tile units: any rings, crossing and collapsed ones too. */
export const tilePolygons: fc.Arbitrary<TileGeometry> = fc
  .array(
    fc.array(
      fc.array(unit, { minLength: 2, maxLength: 20 }).map((flat) => flat.slice(0, flat.length & ~1)),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    { maxLength: 3 },
  )
  .map((parts) => ({ family: 'POLYGON', parts }))

/** Lines of whole tile units. */
export const tileLines: fc.Arbitrary<TileGeometry> = fc
  .array(fc.array(fc.tuple(unit, unit), { minLength: 1, maxLength: 8 }), { maxLength: 3 })
  .map((lines) => ({ family: 'LINESTRING', parts: lines.map((line) => [line.flat()]) }))

/** Points of whole tile units. */
export const tilePoints: fc.Arbitrary<TileGeometry> = fc
  .array(fc.tuple(unit, unit), { maxLength: 5 })
  .map((points) => ({ family: 'POINT', parts: points.map((point) => [point]) }))
