import { expect, test } from 'vitest'
import { findUnknownStyles, formatAddress, parseAddress } from '../../src/web/address.ts'

test('reads position, zoom, rotation and styles from a URL', () => {
  expect(parseAddress('?base=x&lon=10.5&lat=-3&zoom=4.25&angle=90&styles=7,8')).toEqual({
    lon: 10.5,
    lat: -3,
    zoom: 4.25,
    angle: 90,
    styles: [7, 8],
  })
})

test.each([
  ['', {}],
  ['?lon=&lat=%20&zoom=near', {}],
  ['?lon=181&lat=91&zoom=99&angle=400', {}],
  ['?lon=Infinity&lat=NaN&zoom=1e1', { zoom: 10 }],
  ['?styles=', { styles: [] }],
  ['?styles=a,2', { styles: [2] }],
])('reads only the valid position of %j', (query, state) => {
  expect(parseAddress(query)).toEqual(state)
})

test.each([
  ['?base=12', { base: 12 }],
  ['?base=none', { base: 'none' }],
  ['?base=-1', {}],
])('reads the base map of %j', (query, state) => {
  expect(parseAddress(query)).toEqual(state)
})

test('writes the base map of maps that have some', () => {
  const state = { lon: 1, lat: 2, zoom: 3, angle: 0, styles: [] }
  expect(formatAddress('?base=3', { ...state, base: 'none' })).toContain('base=none')
  expect(formatAddress('', state)).not.toContain('base')
})

test('reads and writes the opacity of layers', () => {
  expect(parseAddress('?opacity=7:50,8:0,9:101,x:5,10,11:-1').opacity).toEqual(
    new Map([
      [7, 50],
      [8, 0],
    ]),
  )
  const state = { lon: 1, lat: 2, zoom: 3, angle: 0, styles: [7] }
  expect(formatAddress('', { ...state, opacity: new Map([[7, 50]]) })).toContain('&opacity=7:50')
  expect(formatAddress('?opacity=7:50', state)).not.toContain('opacity')
})

test('finds the styles of a URL that a map does not have', () => {
  expect(findUnknownStyles('?styles=7,8', [7, 8, 9])).toEqual([])
  expect(findUnknownStyles('?styles=', [7])).toEqual([])
  expect(findUnknownStyles('?lon=1', [7])).toEqual([])
  expect(findUnknownStyles('?styles=roads,7,99', [7])).toEqual(['roads', '99'])
})

test('keeps other parameters, and omits a rotation of zero', () => {
  const state = { lon: 1, lat: 2, zoom: 3, angle: 0, styles: [4, 5] }
  expect(formatAddress('?lang=en&angle=4', state)).toBe('?lang=en&lon=1.0000&lat=2.0000&zoom=3&styles=4,5')
})
