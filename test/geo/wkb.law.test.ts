import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesOf } from '../../src/core/bytes.ts'
import { type AnyByteGeometry, byteSequenceOf, numbersOf } from '../../src/geo/byte_geometry.ts'
import { type Geometry, positionSize } from '../../src/geo/geometry.ts'
import { ewkbRoom, readWkb, writeEwkb } from '../../src/geo/wkb.ts'
import { geometries } from './arbitrary.ts'

const run = { seed: 20_261_201, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 500 }

/** Puts a geometry into bytes, as a database has it. */
function write(geometry: Geometry, srs: number, before = 0): Buffer {
  const size = positionSize(geometry.hasZ)
  const parts = geometry.parts.map((part) => part.map((sequence) => byteSequenceOf(sequence, size)))
  const sink = { ...bytesOf(Buffer.alloc(before + ewkbRoom({ parts }))), at: before }
  writeEwkb(sink, { parts }, { ...geometry, srs })
  return sink.bytes.subarray(0, sink.at)
}

/** Takes a geometry out of bytes. */
function take(found: AnyByteGeometry): Geometry {
  if (!('parts' in found)) throw new TypeError(`a ${found.family}`)
  return { ...found, parts: found.parts.map((part) => part.map(numbersOf)) }
}

// An empty point, line or polygon has a form of its own, which GDAL and PostGIS write and no row of ours has.
const written = geometries.filter(({ parts, isMulti }) => isMulti || parts.length > 0)

test('parses WKB at any offset and in any reference system', () => {
  fc.assert(
    fc.property(written, fc.constantFrom(0, 3857), fc.nat(9), (geometry, srs, before) => {
      const bytes = write(geometry, srs, before)
      expect(take(readWkb(bytesOf(bytes), before))).toEqual(geometry)
    }),
    run,
  )
})

test('closes an open ring', () => {
  fc.assert(
    fc.property(written, (geometry) => {
      const size = positionSize(geometry.hasZ)
      const open = geometry.parts.map((part) =>
        part.map((sequence) => ({ ...byteSequenceOf(sequence.slice(0, -size), size), isOpen: true })),
      )
      if (geometry.family !== 'POLYGON') return
      expect(open.map((part) => part.map(numbersOf))).toEqual(geometry.parts)
      const sink = { ...bytesOf(Buffer.alloc(ewkbRoom({ parts: open }))), at: 0 }
      writeEwkb(sink, { parts: open }, { ...geometry, srs: 4326 })
      expect(sink.bytes.subarray(0, sink.at)).toEqual(write(geometry, 4326))
    }),
    run,
  )
})

test.each([
  ['an empty point', '0101000000000000000000f87f000000000000f87f', { family: 'POINT', parts: [] }],
  ['a curve', '0108000000020000000000', { family: 'UNSUPPORTED' }],
  [
    'a collection in a collection',
    '010700000001000000010700000001000000010100000000000000000000000000000000000000',
    { family: 'COLLECTION', members: [{ family: 'POINT' }] },
  ],
  ['a point with Z in ISO form', `01e9030000${'00'.repeat(24)}`, { family: 'POINT', hasZ: true }],
])('%s is read as what it is', (_, hex, expected) => {
  expect(readWkb(bytesOf(Buffer.from(hex, 'hex')))).toMatchObject(expected)
})
