import { expect, test } from 'vitest'
import { outlineOf, type Position } from '../../../src/web/catalog/boundary_outline.ts'

const box = (west: number, south: number, east: number, north: number): Position[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
]

test('a ring away from the antimeridian is one line', () => {
  expect(outlineOf([[box(0, 0, 10, 10)]])).toEqual([[box(0, 0, 10, 10)]])
})

test('a boundary that ends at the antimeridian has an edge there', () => {
  expect(outlineOf([[box(170, 0, 180, 10)]])).toEqual([[box(170, 0, 180, 10)]])
})

test('a boundary across the antimeridian has no edge there', () => {
  const [east, west] = outlineOf([[box(170, -10, 180, 10)], [box(-180, -10, -170, 10)]])
  expect(east).toEqual([
    [
      [170, -10],
      [180, -10],
    ],
    [
      [180, 10],
      [170, 10],
      [170, -10],
    ],
  ])
  expect(west).toEqual([
    [
      [-180, -10],
      [-170, -10],
      [-170, 10],
      [-180, 10],
    ],
  ])
})

test('an edge at the antimeridian is left out only where the boundary goes on', () => {
  const [east = [], west = []] = outlineOf([[box(170, -10, 180, 10)], [box(-180, -4, -170, 20)]])
  const onMeridian = (lines: Position[][]) =>
    lines.flatMap((line) =>
      line.flatMap((to, at) =>
        at > 0 && Math.abs(to[0]) === 180 && line[at - 1]?.[0] === to[0] ? [[line[at - 1]?.[1], to[1]]] : [],
      ),
    )
  expect(onMeridian(east)).toEqual([[-10, -4]])
  expect(onMeridian(west)).toEqual([[20, 10]])
})
