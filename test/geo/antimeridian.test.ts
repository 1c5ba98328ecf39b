import { describe, expect, it } from 'vitest'
import { cutAtAntimeridian } from '../../src/geo/antimeridian.ts'
import { type ByteGeometry, byteSequenceOf, numbersOf } from '../../src/geo/byte_geometry.ts'
import { positionSize } from '../../src/geo/geometry.ts'
import { findWorld } from '../../src/geo/world.ts'

type Ring = readonly (readonly number[])[]

const world = findWorld(4326) ?? expect.fail('no world')

function polygon(...rings: Ring[]): ByteGeometry {
  const hasZ = rings[0]?.[0]?.length === 3
  const parts = [rings.map((ring) => byteSequenceOf(ring.flat(), positionSize(hasZ)))]
  return { family: 'POLYGON', isMulti: false, hasZ, parts }
}

function ringsOf({ parts, hasZ }: ByteGeometry): number[][][][] {
  const size = positionSize(hasZ)
  return parts.map((part) =>
    part.map((ring) => {
      const numbers = numbersOf(ring)
      return Array.from({ length: ring.count }, (_, at) => numbers.slice(size * at, size * (at + 1)))
    }),
  )
}

/** Area by the shoelace formula: what of a polygon lies where. */
function areaOf(ring: number[][]): number {
  const doubled = ring.reduce((sum, [x = 0, y = 0], index) => {
    const [nextX = 0, nextY = 0] = ring[(index + 1) % ring.length] ?? []
    return sum + x * nextY - nextX * y
  }, 0)
  return Math.abs(doubled / 2)
}

const island: Ring = [
  [178, -19],
  [179, -19],
  [-178, -19],
  [-178, -16],
  [178, -16],
  [178, -19],
]

describe('cutAtAntimeridian', () => {
  it('splits an island into its two halves', () => {
    const cut = cutAtAntimeridian(polygon(island), world)
    const [east, west] = ringsOf(cut).map(([ring = []]) => ring)
    expect(cut.isMulti).toBe(true)
    expect(areaOf(east ?? [])).toBeCloseTo(6)
    expect(areaOf(west ?? [])).toBeCloseTo(6)
    expect((east ?? []).every(([x = 0]) => x >= 178 && x <= 180)).toBe(true)
    expect((west ?? []).every(([x = 0]) => x >= -180 && x <= -178)).toBe(true)
  })

  it('assigns holes and Z values to their half', () => {
    const ring: Ring = island.map(([x = 0, y = 0]) => [x, y, 5])
    const lake: Ring = [
      [-179.5, -18, 1],
      [-179, -18, 1],
      [-179, -17, 1],
      [-179.5, -18, 1],
    ]
    const [east, west] = ringsOf(cutAtAntimeridian(polygon(ring, lake), world))
    expect(east).toHaveLength(1)
    expect(west).toHaveLength(2)
    expect(west?.[1]).toEqual(lake)
    expect(east?.[0]?.every(([, , z]) => z === 5)).toBe(true)
  })

  it('extends a ring around the pole along the edge of the map', () => {
    const coast: Ring = [
      [-180, -80],
      [-90, -70],
      [0, -75],
      [90, -65],
      [180, -80],
      [-180, -80],
    ]
    const rings = ringsOf(cutAtAntimeridian(polygon(coast), world)).flat()
    const area = rings.reduce((sum, ring) => sum + areaOf(ring), 0)
    expect(area).toBeCloseTo(90 * (15 + 17.5 + 20 + 17.5))
    expect(rings.flat().every(([x = 0, y = 0]) => Math.abs(x) <= 180 && y >= -90)).toBe(true)
  })

  it('fills between two rings around the pole, whichever of them is the hole', () => {
    const coast: Ring = [
      [-120, -70],
      [-60, -75],
      [0, -70],
      [60, -75],
      [120, -65],
      [-120, -70],
    ]
    // Topologies of the earth have a ring along the pole.
    const pole: Ring = [
      [-180, -89],
      [120, -89],
      [60, -89],
      [0, -89],
      [-60, -89],
      [-120, -89],
      [-180, -89],
    ]
    for (const rings of [
      [pole, coast],
      [coast, pole],
    ]) {
      const [[band = []] = [], ...others] = ringsOf(cutAtAntimeridian(polygon(...rings), world))
      expect(others).toEqual([])
      expect(areaOf(band)).toBeCloseTo(60 * (16.5 + 16.5 + 16.5 + 19) + 120 * 21.5)
      const meridians = band.filter(([x, y], at) => band[at - 1]?.[0] === x && band[at - 1]?.[1] !== y)
      expect(meridians.map(([x = 0]) => Math.abs(x))).toEqual([180, 180])
    }
  })

  it('keeps a hole in an area around the pole', () => {
    const coast: Ring = [
      [-180, -80],
      [-90, -70],
      [0, -75],
      [90, -65],
      [180, -80],
      [-180, -80],
    ]
    const lake: Ring = [
      [10, -85],
      [12, -85],
      [12, -84],
      [10, -85],
    ]
    const [land] = ringsOf(cutAtAntimeridian(polygon(coast, lake), world))
    expect(land?.slice(1)).toEqual([lake])
  })

  it('leaves other geometries unchanged, boxes around the world included', () => {
    const plain = polygon([
      [0, 0],
      [170, 0],
      [170, 10],
      [0, 10],
      [0, 0],
    ])
    const box = polygon([
      [-180, -90],
      [180, -90],
      [180, 90],
      [-180, 90],
      [-180, -90],
    ])
    expect(cutAtAntimeridian(plain, world)).toBe(plain)
    expect(cutAtAntimeridian(box, world)).toBe(box)
  })

  const line = (...positions: Ring): ByteGeometry => ({
    family: 'LINESTRING',
    isMulti: false,
    hasZ: false,
    parts: [[byteSequenceOf(positions.flat(), 2)]],
  })

  it('splits lines that continue beyond the antimeridian, and those that jump there', () => {
    for (const x of [190, -170]) {
      const cut = cutAtAntimeridian(line([170, 0], [x, 10], [x, 20]), world)
      expect(cut.isMulti).toBe(true)
      expect(ringsOf(cut).flat()).toEqual([
        [
          [170, 0],
          [180, 5],
        ],
        [
          [-180, 5],
          [-170, 10],
          [-170, 20],
        ],
      ])
    }
  })

  it('leaves parallels around the world unchanged', () => {
    const equator = line([-180, 0], [180, 0])
    expect(cutAtAntimeridian(equator, world)).toBe(equator)
  })

  it('splits polygons of four corners that are not boxes', () => {
    const scene = polygon([
      [178, 0],
      [-178, 1],
      [-179, 5],
      [177, 4],
      [178, 0],
    ])
    const [east, west] = ringsOf(cutAtAntimeridian(scene, world)).map(([ring = []]) => ring)
    expect((east ?? []).every(([x = 0]) => x >= 177 && x <= 180)).toBe(true)
    expect((west ?? []).every(([x = 0]) => x >= -180 && x <= -178)).toBe(true)
  })

  it('does not cut a polygon of a full turn at the meridian where it begins and ends', () => {
    const band = (west: number): Ring => [
      [west, -10],
      [west + 90, -12],
      [west + 200, -8],
      [west + 360, -10],
      [west + 360, 20],
      [west + 260, 22],
      [west + 150, 25],
      [west, 20],
      [west, -10],
    ]
    const lake: Ring = [
      [200, 0],
      [210, 0],
      [210, 5],
      [200, 5],
      [200, 0],
    ]
    for (const west of [0, -90, 180, -180]) {
      const cut = cutAtAntimeridian(polygon(band(west), ...(west === 0 ? [lake] : [])), world)
      expect(cut.isMulti).toBe(false)
      const [[outer = [], ...holes] = []] = ringsOf(cut)
      expect(areaOf(outer)).toBeCloseTo(areaOf(band(west).map((one) => [...one])))
      // Its only sides along a meridian are those of the map.
      const sides = outer.flatMap(([x], at) => (x === outer[at + 1]?.[0] ? [x] : []))
      expect(sides.map(Math.abs as (value: unknown) => number)).toEqual([180, 180])
      expect(holes).toEqual(west === 0 ? [lake.map(([x = 0, y]) => [x - 360, y])] : [])
    }
  })

  it('does not move positions on the antimeridian with rounding errors to its other side', () => {
    const ring: Ring = [
      [170, 0],
      [180.000_000_000_1, 0],
      [180.000_000_000_1, 10],
      [170, 0],
    ]
    expect(ringsOf(cutAtAntimeridian(polygon(ring), world))).toEqual([
      [
        [
          [170, 0],
          [180, 0],
          [180, 10],
          [170, 0],
        ],
      ],
    ])
  })

  it('has a width for global reference systems only', () => {
    expect(findWorld(3857)?.width).toBeCloseTo(40_075_016.6856, 3)
    expect(findWorld(25832)).toBeUndefined()
  })
})
