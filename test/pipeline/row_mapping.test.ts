import { describe, expect, it } from 'vitest'
import type { Field } from '../../src/contract/classes/feature_layer.ts'
import { compileMapping, type RowMapping } from '../../src/pipeline/checked_table.ts'

const field = (keyname: string, datatype: Field['datatype']): Field => ({ keyname, datatype })
const mapping: RowMapping = {
  columns: ['name', 'lat', 'lon', 'people'],
  fields: [field('name', 'STRING'), field('population', 'INTEGER')],
  fieldColumns: { name: 'name', population: 'people' },
  geometry: { longitude: 'lon', latitude: 'lat' },
  check: { fields: { name: { required: true }, population: { minimum: 0 } } },
}
const check = (row: string[], changes: Partial<RowMapping> = {}) =>
  compileMapping({ ...mapping, ...changes }).checkRow(row)

describe('a compiled mapping', () => {
  it('returns the geometry first, then the fields in the order of the layer', () => {
    expect(compileMapping(mapping).header).toEqual(['longitude', 'latitude', 'name', 'population'])
    expect(check(['Oslo', '59.9', '10.7', '580000'])).toEqual({ values: ['10.7', '59.9', 'Oslo', '580000'] })
  })

  it('accepts empty values unless they are required', () => {
    expect(check(['Oslo', '59.9', '10.7', ''])).toEqual({ values: ['10.7', '59.9', 'Oslo', ''] })
    expect(check(['', '59.9', '10.7', '1'])).toEqual({ reason: 'name: is empty' })
  })

  it.each([
    [['Oslo', '59.9', '10.7', 'many'], 'population: "many" is not a 32-bit integer'],
    [['Oslo', '59.9', '10.7', '-1'], 'population: -1 is less than 0'],
    [['Oslo', '95', '10.7', '1'], 'latitude: 95 is not between -90 and 90'],
    [['Oslo', 'north', '10.7', '1'], 'latitude: "north" is not a finite number'],
    [['Oslo', '59.9', '', '1'], 'longitude: is empty'],
    [['Oslo', '59.9'], 'expected 4 columns, got 2'],
  ])('reports why %j is invalid', (row, reason) => {
    expect(check(row)).toEqual({ reason })
  })

  it('checks rows against the box, the pattern and the allowed values', () => {
    const bbox = { check: { bbox: [0, 50, 20, 70] } }
    expect(check(['Rome', '41.9', '12.5', '1'], bbox)).toEqual({
      reason: 'latitude: 41.9 is not between 50 and 70',
    })
    const pattern = { check: { fields: { name: { pattern: '^[A-Z]' } } } }
    expect(check(['oslo', '59.9', '10.7', '1'], pattern)).toEqual({
      reason: 'name: "oslo" does not match ^[A-Z]',
    })
    const words = { check: { fields: { name: { values: ['Oslo'] } } } }
    expect(check(['Rome', '59.9', '10.7', '1'], words)).toEqual({
      reason: 'name: "Rome" is not one of the allowed values',
    })
  })

  it('refuses values of earlier valid rows in unique fields, in whatever notation, and empty values never', () => {
    const unique = { fields: { name: { unique: true }, population: { unique: true, maximum: 9 } } }
    const { checkRow } = compileMapping({ ...mapping, check: unique })
    const reasonOf = (name: string, people: string) => {
      const checked = checkRow([name, '59.9', '10.7', people])
      return 'reason' in checked ? checked.reason : 'valid'
    }
    expect(reasonOf('Oslo', '10')).toBe('population: 10 is more than 9')
    expect(reasonOf('Oslo', '1')).toBe('valid')
    expect(reasonOf('Oslo', '2')).toBe('name: an earlier row has "Oslo", too')
    expect(reasonOf('Rome', '+01')).toBe('population: an earlier row has "+01", too')
    expect([reasonOf('Rome', '2'), reasonOf('', ''), reasonOf('', '')]).toEqual(['valid', 'valid', 'valid'])
  })

  it('reads numbers with a decimal comma, in coordinates and real fields, and refuses points and thousands', () => {
    const comma = { ...mapping, fields: [field('name', 'STRING'), field('population', 'REAL')] }
    const { checkRow, keyOf } = compileMapping({ ...comma, decimal: ',', key: ['population'] })
    const row = (lat: string, people: string) => ['Oslo, N', lat, '10,7', people]
    expect(checkRow(row('59,9', '1,5e3'))).toEqual({ values: ['10.7', '59.9', 'Oslo, N', '1.5e3'] })
    expect(keyOf(row('59,9', '1,5'))).toEqual(['1.5'])
    const reason = (text: string) => `"${text}" is not a number with a decimal comma`
    expect(checkRow(row('59.9', '1'))).toEqual({ reason: `latitude: ${reason('59.9')}` })
    expect(checkRow(row('59,9', '1.234,5'))).toEqual({ reason: `population: ${reason('1.234,5')}` })
    expect(checkRow(row('59,9', '1,234,5'))).toMatchObject({ reason: expect.stringContaining('is not') })
    // Without the option, a comma is not part of a number.
    expect(compileMapping(comma).checkRow(row('59,9', '1'))).toMatchObject({ reason: expect.anything() })
  })

  it('maps columns to fields of the same name by default', () => {
    const { fieldColumns: _, ...rest } = mapping
    expect(compileMapping({ ...rest, check: undefined }).header).toEqual(['longitude', 'latitude', 'name'])
  })

  it('refuses unknown columns and fields, with a suggestion', () => {
    expect(() => compileMapping({ ...mapping, geometry: { longitude: 'lng', latitude: 'lat' } })).toThrow(
      '"lng" is not a column of the file.',
    )
    expect(() => compileMapping({ ...mapping, fieldColumns: { nmae: 'name' } })).toThrow(
      expect.objectContaining({ code: 'usage/bad-argument', hint: 'did you mean "name"?' }),
    )
    expect(() => compileMapping({ ...mapping, check: { fields: { size: {} } } })).toThrow(
      '"size" is not a field of the layer.',
    )
  })
})
