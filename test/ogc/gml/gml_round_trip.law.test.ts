import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type GeometryType, geometryParts, geometryTypes } from '../../../src/contract/geometry.ts'
import { byteSequenceOf } from '../../../src/geo/byte_geometry.ts'
import type { Geometry } from '../../../src/geo/geometry.ts'
import { readGml } from '../../../src/ogc/gml/read_gml.ts'
import { type GmlVersion, gmlText } from '../../../src/ogc/gml/write_gml.ts'
import { readXmlNode } from '../../../src/ogc/xml_tree.ts'

const numRuns = process.env.LANDFORM_SOAK ? 20_000 : 300
const seed = 20_261_123
const versions: readonly GmlVersion[] = ['2.1.2', '3.1.1', '3.2.1']

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)

/** A sequence with a number of positions; rings are closed. */
function sequenceOf(count: number, size: number, isClosed: boolean) {
  return fc
    .array(number, { minLength: count * size, maxLength: count * size })
    .map((values) => (isClosed ? [...values, ...values.slice(0, size)] : values))
}

function geometryOf(type: GeometryType): fc.Arbitrary<Geometry> {
  const { family, isMulti, hasZ } = geometryParts(type)
  const size = hasZ ? 3 : 2
  const sequence = {
    POINT: sequenceOf(1, size, false),
    LINESTRING: sequenceOf(3, size, false),
    POLYGON: sequenceOf(4, size, true),
  }[family]
  const part = fc.array(sequence, { minLength: 1, maxLength: family === 'POLYGON' ? 3 : 1 })
  return fc
    .array(part, { minLength: 1, maxLength: isMulti ? 3 : 1 })
    .map((parts) => ({ family, isMulti, hasZ, parts }))
}

test('a geometry is read as it was written, in every version', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...versions),
      fc.constantFrom(...geometryTypes).chain(geometryOf),
      (version, geometry) => {
        const size = geometry.hasZ ? 3 : 2
        const parts = geometry.parts.map((part) => part.map((numbers) => byteSequenceOf(numbers, size)))
        const format = { version, srsName: 'EPSG:3857', isSwapped: false, isTransformed: false }
        const xml = gmlText({ ...geometry, parts }, format, 'a.1').replaceAll('gml:', '')
        expect(readGml(readXmlNode(xml))).toEqual({ geometry, srsName: 'EPSG:3857' })
      },
    ),
    { numRuns, seed },
  )
})
