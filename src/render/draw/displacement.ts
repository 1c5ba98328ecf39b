import type { Displacement } from '../../style/point_groups.ts'

/** Number and sizes of the symbols of a group, in pixels. */
export interface DisplacedSymbols {
  readonly count: number
  /** Diagonal of the largest symbol, and of that at the middle. */
  readonly diagonal: number
  readonly centreDiagonal: number
  readonly spacing: number
}

/** Where the points of a group are drawn, from their middle, in pixels. */
export interface DisplacedPlaces {
  readonly positions: readonly Shift[]
  /** Radius of the circle through the outermost points; absent for grids. */
  readonly radius?: number
  /** Lines between neighbours in a grid. */
  readonly lines: readonly (readonly [from: Shift, to: Shift])[]
}

/** Distance to the right and down. */
export type Shift = readonly [x: number, y: number]

/** Distance from their middle at which rings and grids end, in pixels of 1/96 inch; the points of larger ones are closer together. */
export const maxDisplacement = 320

/** Maximum number of symbols of a group. */
const maxSymbols = 1000

/** Returns the places of the points of a group, as in QGIS. */
export function displacePoints(
  placement: Displacement['placement'],
  symbols: DisplacedSymbols,
  limit: number,
): DisplacedPlaces {
  const count = Math.min(maxSymbols, symbols.count)
  const places = layouts[placement]({ ...symbols, count })
  const farthest = Math.max(...places.positions.map(([x, y]) => Math.hypot(x, y)))
  return farthest > limit ? shrink(places, limit / farthest) : places
}

const layouts: Readonly<Record<Displacement['placement'], (symbols: DisplacedSymbols) => DisplacedPlaces>> = {
  ring: placeOnRing,
  concentric_rings: placeOnRings,
  grid: placeOnGrid,
}

function placeOnRing({ count, diagonal, spacing }: DisplacedSymbols): DisplacedPlaces {
  const radius = Math.max(diagonal / 2, (count * diagonal) / (2 * Math.PI)) + spacing
  return { positions: ringPositions(count, radius), radius, lines: [] }
}

function ringPositions(count: number, radius: number): Shift[] {
  return Array.from({ length: count }, (_, at): Shift => {
    const angle = (at * 2 * Math.PI) / count
    return [radius * Math.sin(angle), radius * Math.cos(angle)]
  })
}

function placeOnRings({ count, diagonal, centreDiagonal, spacing }: DisplacedSymbols): DisplacedPlaces {
  const positions: Shift[] = []
  let radius = 0
  for (let ring = 1; positions.length < count; ring += 1) {
    const first = centreDiagonal / 2 + diagonal / 2
    radius = Math.max(0, first + (ring - 1) * diagonal + ring * spacing)
    const room = Math.max(1, Math.floor((2 * Math.PI * radius) / diagonal) || 1)
    positions.push(...ringPositions(Math.min(room, count - positions.length), radius))
  }
  return { positions, radius, lines: [] }
}

function placeOnGrid({ count, diagonal, centreDiagonal, spacing }: DisplacedSymbols): DisplacedPlaces {
  const side = Math.ceil(Math.sqrt(count))
  const columns = count - (side - 1) ** 2 < side ? side - 1 : side
  const distance = (centreDiagonal / 2 + diagonal / 2 + diagonal) / 2 + spacing
  const shift = (-distance * (columns - 1)) / 2
  const positions = Array.from(
    { length: count },
    (_, at): Shift => [shift + distance * (at % columns), shift + distance * Math.floor(at / columns)],
  )
  const lines = positions.flatMap((from, at) => {
    const right = (at + 1) % columns === 0 ? undefined : positions[at + 1]
    return [right, positions[at + columns]].flatMap((to) => (to === undefined ? [] : [[from, to] as const]))
  })
  return { positions, lines }
}

function shrink({ positions, radius, lines }: DisplacedPlaces, factor: number): DisplacedPlaces {
  const move = ([x, y]: Shift): Shift => [x * factor, y * factor]
  return {
    positions: positions.map(move),
    lines: lines.map(([from, to]) => [move(from), move(to)]),
    ...(radius === undefined ? {} : { radius: radius * factor }),
  }
}
