import { describe, expect, it } from 'vitest'
import { formatParameter, parseQuery, type RawQuery } from '../../src/contract/query.ts'
import { type RouteName, routeOf } from '../../src/contract/routes.ts'
import { isProblem } from '../../src/core/problem.ts'

const parse = (name: RouteName, raw: RawQuery) => parseQuery(routeOf(name), raw)

function refusal(name: RouteName, raw: RawQuery): string {
  try {
    parse(name, raw)
  } catch (error) {
    if (isProblem(error, 'request/invalid')) return error.message
    throw error
  }
  return 'accepted'
}

describe('parseQuery', () => {
  it.each(['true', 'True', 'yes', '1'])('reads %s as true', (text) => {
    expect(parse('feature.list', { geom: text }).named).toEqual({ geom: true })
  })

  it.each(['false', 'False', 'no', '0'])('reads %s as false', (text) => {
    expect(parse('feature.list', { geom: text }).named).toEqual({ geom: false })
  })

  it('reads comma-separated lists, the empty string as the empty list', () => {
    expect(parse('feature.list', { fields: 'a,b', extensions: '' }).named).toEqual({
      fields: ['a', 'b'],
      extensions: [],
    })
    expect(parse('render.mvt', { resource: '4,5' }).named).toEqual({ resource: [4, 5] })
  })

  it('reads a percent-encoded comma as part of the value', () => {
    expect(parse('feature.list', { fields: 'a%2Cb,c' }).named).toEqual({ fields: ['a,b', 'c'] })
  })

  it('shows an example of the expected format', () => {
    expect(refusal('attachment.image', { size: '100' })).toBe(
      'Parameter "size": expected a value such as 300x200, got "100".',
    )
  })

  it('reads parameters escaped twice', () => {
    expect(parse('render.tile', { z: '6', 'amp;x': '33', 'amp;y': '29' }).named).toEqual({
      z: 6,
      x: 33,
      y: 29,
    })
  })

  it('keeps field filters as strings, including repeated ones, and ignores unknown parameters', () => {
    const { more, named } = parse('feature.list', {
      fld_a__gt: '1',
      fld_b: ['x', 'y'],
      id__in: '1,2',
      ngid: 'q',
    })
    expect(more).toEqual([
      ['fld_a__gt', '1'],
      ['fld_b', 'x'],
      ['fld_b', 'y'],
      ['id__in', '1,2'],
    ])
    expect(named).toEqual({})
  })

  it('uses the last value of a repeated parameter', () => {
    expect(parse('feature.list', { limit: ['1', '2'] }).named).toEqual({ limit: 2 })
  })

  it('reports the parameter and the invalid value', () => {
    expect(refusal('feature.list', { limit: '-1' })).toBe('Parameter "limit": expected at least 0, got "-1".')
    expect(refusal('feature.list', { limit: '1.5' })).toBe(
      'Parameter "limit": expected an integer, got "1.5".',
    )
    expect(refusal('feature.list', { geom: 'maybe' })).toBe(
      'Parameter "geom": expected true or false, got "maybe".',
    )
    expect(refusal('feature.list', { geom_format: 'wkb' })).toContain('expected one of wkt, geojson')
    expect(refusal('render.mvt', { resource: '4,x' })).toContain('expected an integer, got "x"')
    expect(refusal('render.image', { size: '999999x999999' })).toBe(
      'Parameter "size": expected an integer from 1 to 8192, got "999999x999999".',
    )
    expect(refusal('render.image', { size: '999999,999999' })).toContain('expected at most 8192')
    expect(refusal('render.mvt', { padding: 'NaN' })).toContain('expected a number')
  })
})

describe('formatParameter', () => {
  it('formats values as parseQuery reads them', () => {
    const fields = ['a,b', '100%', 'c']
    expect(parse('feature.list', { fields: formatParameter(fields) }).named).toEqual({ fields })
  })
})
