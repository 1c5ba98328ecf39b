import { expect, test } from 'vitest'
import { swapBbox, tileUrl } from '../../src/web/tile_address.ts'

test.each([
  ['{z}/{x}/{y}', true, '3/5/1'],
  ['{z}/{x}/{y}', false, '3/5/6'],
  ['{z}/{x}/{-y}', true, '3/5/6'],
  ['{q}', true, '103'],
  ['{q}', false, '103'],
])('%s with rows from the top: %s is %s', (template, isFromTop, expected) => {
  expect(tileUrl(template, [3, 5, 1], isFromTop)).toBe(expected)
})

test('the axes of a bounding box are swapped, and nothing else', () => {
  const swapped = new URL(swapBbox('https://maps.example.org/wms?map=a,b,c,d&BBOX=1%2C2%2C3%2C4&STYLES='))
  expect(Object.fromEntries(swapped.searchParams)).toEqual({ map: 'a,b,c,d', BBOX: '2,1,4,3', STYLES: '' })
})
