import { expect, test } from 'vitest'
import { doubleArea, type TileGeometry } from '../../src/geo/tile_geometry.ts'
import { leadAroundEdges } from '../../src/geo/world_edge.ts'

const polygon = (...ring: number[]): TileGeometry => ({ family: 'POLYGON', parts: [[ring]] })
const world = { size: 100, reach: 8 }

test('an edge of a polygon along an end of the world is led around it', () => {
  const half = polygon(0, 20, 30, 20, 30, 40, 0, 40, 0, 20)
  expect(leadAroundEdges(half, world).parts).toEqual([[[-8, 20, 0, 20, 30, 20, 30, 40, 0, 40, -8, 40]]])
})

test('of positions along an end of the world only the outermost stay', () => {
  const half = polygon(100, 20, 70, 20, 70, 40, 100, 40, 100, 30)
  expect(leadAroundEdges(half, world).parts).toEqual([
    [[108, 20, 100, 20, 70, 20, 70, 40, 100, 40, 108, 40, 108, 30]],
  ])
})

test('an area around a pole is led around both ends and the corners', () => {
  const south = polygon(0, 80, 50, 70, 100, 80, 100, 100, 0, 100)
  expect(leadAroundEdges(south, world).parts).toEqual([
    [[-8, 80, 0, 80, 50, 70, 100, 80, 108, 80, 108, 100, 108, 108, 100, 108, 0, 108, -8, 108, -8, 100]],
  ])
})

test('the area within the world stays the same, and so does what touches its end in one position', () => {
  const half = polygon(0, 20, 30, 20, 30, 40, 0, 40)
  const [[led = []] = []] = leadAroundEdges(half, world).parts
  expect(Math.abs(doubleArea(led))).toBe(2 * (30 * 20 + 8 * 20))
  const wedge = polygon(0, 20, 30, 10, 30, 40)
  expect(leadAroundEdges(wedge, world)).toEqual(wedge)
  const line: TileGeometry = { family: 'LINESTRING', parts: [[[0, 20, 0, 40]]] }
  expect(leadAroundEdges(line, world)).toBe(line)
})
