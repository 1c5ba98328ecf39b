import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { geometryTypeOf } from '../../src/contract/geometry.ts'
import { fitGeometry, type Geometry } from '../../src/geo/geometry.ts'
import { formatWkt } from '../../src/geo/wkt.ts'
import { parseWkt } from '../../src/geo/wkt_reader.ts'
import { geometries } from './arbitrary.ts'

const run = { seed: 20_240_501, numRuns: process.env.LANDFORM_SOAK ? 20_000 : 300 }

describe('WKT', () => {
  test('is parsed and formatted without loss', () => {
    fc.assert(
      fc.property(geometries, (geometry) => {
        expect(parseWkt(formatWkt(geometry)).geometry).toEqual(geometry)
      }),
      run,
    )
  })

  test('is parsed in any case and spacing', () => {
    fc.assert(
      fc.property(geometries, (geometry) => {
        const text = formatWkt(geometry)
        const loose = text.toLowerCase().replaceAll(/([(),])/g, ' $1\n')
        expect(formatWkt(parseWkt(loose).geometry)).toBe(text)
      }),
      run,
    )
  })

  test('matches its type and the multi type; Z is added or dropped on request only', () => {
    fc.assert(
      fc.property(geometries, (geometry) => {
        const multi = { ...geometry, isMulti: true }
        expect(fitGeometry(geometry, geometryTypeOf(geometry))).toEqual(geometry)
        expect(fitGeometry(geometry, geometryTypeOf(multi))).toEqual(multi)
        const other = { ...multi, hasZ: !geometry.hasZ }
        if (geometry.parts.length === 0) expect(fitGeometry(geometry, geometryTypeOf(other))).toEqual(other)
        else expect(() => fitGeometry(geometry, geometryTypeOf(other))).toThrow('does not match')
        const fit = fitGeometry(geometry, geometryTypeOf(other), { fitsZ: true })
        expect(geometryTypeOf(fit)).toBe(geometryTypeOf(other))
        const flat = ({ parts, hasZ }: Geometry) =>
          parts.flat().map((sequence) => sequence.filter((_, at) => !hasZ || at % 3 < 2))
        expect(flat(fit)).toEqual(flat(geometry))
        const heights = fit.parts.flat(2).filter((_, at) => fit.hasZ && at % 3 === 2)
        expect(heights.every((z) => z === 0)).toBe(true)
      }),
      run,
    )
  })
})
