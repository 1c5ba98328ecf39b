import { expect, test } from 'vitest'
import type { TileGeometry } from '../../src/geo/packed_geometry.ts'
import { doubleArea } from '../../src/geo/tile_geometry.ts'
import { moveWorldEdges } from '../../src/geo/world_edge.ts'

const polygon = (...ring: number[]): TileGeometry => ({ family: 'POLYGON', parts: [[ring]] })
const world = { size: 100, reach: 8 }

test('moves an edge along an edge of the world out of sight', () => {
  const half = polygon(0, 20, 30, 20, 30, 40, 0, 40, 0, 20)
  expect(moveWorldEdges(half, world).parts).toEqual([[[-8, 20, 0, 20, 30, 20, 30, 40, 0, 40, -8, 40]]])
})

test('keeps only the outermost positions along an edge of the world', () => {
  const half = polygon(100, 20, 70, 20, 70, 40, 100, 40, 100, 30)
  expect(moveWorldEdges(half, world).parts).toEqual([
    [[108, 20, 100, 20, 70, 20, 70, 40, 100, 40, 108, 40, 108, 30]],
  ])
})

test('extends an area around a pole beyond both edges and the corners', () => {
  const south = polygon(0, 80, 50, 70, 100, 80, 100, 100, 0, 100)
  expect(moveWorldEdges(south, world).parts).toEqual([
    [[-8, 80, 0, 80, 50, 70, 100, 80, 108, 80, 108, 100, 108, 108, 100, 108, 0, 108, -8, 108, -8, 100]],
  ])
})

test('preserves the area within the world, and geometries that touch its edge in one position', () => {
  const half = polygon(0, 20, 30, 20, 30, 40, 0, 40)
  const [[led = []] = []] = moveWorldEdges(half, world).parts
  expect(Math.abs(doubleArea(led))).toBe(2 * (30 * 20 + 8 * 20))
  const wedge = polygon(0, 20, 30, 10, 30, 40)
  expect(moveWorldEdges(wedge, world)).toEqual(wedge)
  const line: TileGeometry = { family: 'LINESTRING', parts: [[[0, 20, 0, 40]]] }
  expect(moveWorldEdges(line, world)).toBe(line)
})
