import { describe, expect, it } from 'vitest'
import { findGeojsonStreamFault, NotJsonFault, showPath } from '../../src/catalog/geojson_stream.ts'
import { inPieces } from '../support/pieces.ts'

const read = (body: string | Uint8Array) => findGeojsonStreamFault(inPieces(Buffer.from(body), [65_536]))

const feature = (properties: object | null) => JSON.stringify({ type: 'Feature', geometry: null, properties })

describe('findGeojsonStreamFault', () => {
  it.each([
    '{"type": "FeatureCollection", "features": []}',
    '\ufeff{"features": [], "type": "FeatureCollection"}',
    ` ${feature(null)}\r\n`,
  ])('accepts %j', async (body) => {
    expect(await read(body)).toBeUndefined()
  })

  it('reports the path of a fault in a feature', async () => {
    const point =
      '{"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [1, "2"]}}'
    const fault = await read(`{"type": "FeatureCollection", "features": [${feature({})}, ${point}]}`)
    expect(showPath(fault?.path ?? [])).toBe('$.features.1.geometry.coordinates.1')
    expect(fault?.reason).toBe('expected a number, got a string')
  })

  it.each([
    ['', 'it is empty'],
    ['{"type": "FeatureCollection", "features": [', 'it ends too early'],
    ['{"type": "Feature"', 'it ends too early'],
    ['<html>', 'in $, from byte 0: Unexpected token'],
    ['{"features": [1, x]}', 'in $.features.1, from byte 17: Unexpected token'],
    ['{"type": nothing}', 'in $.type, from byte 9: Unexpected token'],
    ['{"type" 1}', 'in $, from byte 1: Unexpected'],
    ['{type: 1}', 'unexpected "t" at the start of an object'],
    ['{"a": 1} 2', 'unexpected "2" after the end of the document'],
    [Buffer.from('{"name": "M\xfcnchen"}', 'latin1'), 'it is not UTF-8'],
    [Buffer.of(0xef, 0xbb, 0x7b, 0x7d), 'it is not UTF-8'],
    [`${'['.repeat(500_000)}`, 'it nests more than 200 levels deep'],
  ])('refuses %j as JSON', async (body, reason) => {
    const fault: unknown = await read(body).catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(NotJsonFault)
    expect(String(fault)).toContain(reason)
  })

  it('reads any number of features, but none that is too large', async () => {
    const large = feature({ text: 'x'.repeat(9 * 2 ** 20) })
    expect(await read(`{"type": "FeatureCollection", "features": [${feature({})}, ${large}]}`)).toEqual({
      path: ['features', 1],
      reason: 'the value is larger than 8388608 bytes',
    })
    const half = feature({ text: 'x'.repeat(5 * 2 ** 20) })
    expect(await read(`{"type": "FeatureCollection", "features": [${half}, ${half}]}`)).toBeUndefined()
  })
})
