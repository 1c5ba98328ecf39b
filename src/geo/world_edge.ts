import type { Sequence } from './geometry.ts'
import type { TileGeometry } from './packed_geometry.ts'

/** Side of the world in tile units, and the distance beyond its edges that is out of sight. */
export interface WorldUnits {
  readonly size: number
  readonly reach: number
}

/**
 * Moves edges of polygons along an edge of the world out of sight. Areas are split there only because the map ends;
 * otherwise their outlines would be drawn as lines across land that continues on the other side.
 */
export function moveWorldEdges(geometry: TileGeometry, world: WorldUnits): TileGeometry {
  if (geometry.family !== 'POLYGON') return geometry
  return {
    ...geometry,
    parts: geometry.parts.map((rings) => rings.map((ring) => moveRingEdges(ring, world))),
  }
}

type Position = readonly [x: number, y: number]

function moveRingEdges(sequence: Sequence, world: WorldUnits): Sequence {
  if (!sequence.some((value) => value === 0 || value === world.size)) return sequence
  const ring = positionsOf(sequence)
  const moved = ring.flatMap((position, at) => {
    const [x, y] = position
    const [beforeX, beforeY] = outwards(ring.at(at - 1) ?? position, position, world)
    const [afterX, afterY] = outwards(position, ring[(at + 1) % ring.length] ?? position, world)
    const isEntered = beforeX !== 0 || beforeY !== 0
    const isLeft = afterX !== 0 || afterY !== 0
    if (isEntered && isLeft && beforeX === afterX && beforeY === afterY) return [x + beforeX, y + beforeY]
    return [
      ...(isEntered ? [x + beforeX, y + beforeY] : []),
      ...(isEntered && isLeft ? [x + beforeX + afterX, y + beforeY + afterY] : [x, y]),
      ...(isLeft ? [x + afterX, y + afterY] : []),
    ]
  })
  return moved.length === 2 * ring.length ? sequence : moved
}

/** Returns the offset that moves an edge along an edge of the world out of sight; 0 for other edges. */
function outwards([x0, y0]: Position, [x1, y1]: Position, { size, reach }: WorldUnits): Position {
  const way = (from: number, to: number) =>
    from !== to ? 0 : from === 0 ? -reach : from === size ? reach : 0
  return x0 === x1 && y0 === y1 ? [0, 0] : [way(x0, x1), way(y0, y1)]
}

function positionsOf(sequence: Sequence): Position[] {
  const positions = Array.from(
    { length: sequence.length / 2 },
    (_, at): Position => [sequence[2 * at] ?? 0, sequence[2 * at + 1] ?? 0],
  )
  const [first] = positions
  const last = positions.at(-1)
  const isClosed = positions.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1]
  return isClosed ? positions.slice(0, -1) : positions
}
