/** Position in degrees. */
export type Position = readonly [lon: number, lat: number]

/** Interval of latitudes. */
type Interval = readonly [south: number, north: number]

/** A ring, closed. */
type Ring = readonly Position[]

/**
 * Returns the outlines of the parts of a boundary, which are lists of rings, as lists of lines. Edges along the antimeridian
 * are left out where the boundary goes on beyond it.
 */
export function outlineOf(parts: readonly (readonly Ring[])[]): Position[][][] {
  const inner = new Map<number, Interval[]>([
    [180, []],
    [-180, []],
  ])
  for (const edge of parts.flat().flatMap(edgesOf))
    if (isOnMeridian(edge)) inner.get(-edge[0][0])?.push(intervalOf(edge))
  return parts.map((rings) => rings.flatMap((ring) => linesOf(ring, inner)))
}

type Edge = readonly [from: Position, to: Position]

function edgesOf(ring: Ring): Edge[] {
  return ring.slice(1).map((to, at) => [ring[at] ?? to, to])
}

const isOnMeridian = ([from, to]: Edge) => Math.abs(from[0]) === 180 && from[0] === to[0]
const intervalOf = ([from, to]: Edge): Interval => [Math.min(from[1], to[1]), Math.max(from[1], to[1])]

function linesOf(ring: Ring, inner: ReadonlyMap<number, readonly Interval[]>): Position[][] {
  const edges = edgesOf(ring).flatMap((edge) =>
    isOnMeridian(edge) ? outerPieces(edge, inner.get(edge[0][0]) ?? []) : [edge],
  )
  const lines: Position[][] = []
  for (const [start, end] of edges) {
    const line = lines.at(-1)
    const last = line?.at(-1)
    if (last?.[0] === start[0] && last[1] === start[1]) line?.push(end)
    else lines.push([start, end])
  }
  return lines
}

/** Returns what is left of an edge without some intervals, in its direction. */
function outerPieces(edge: Edge, intervals: readonly Interval[]): Edge[] {
  let pieces: Interval[] = [intervalOf(edge)]
  for (const [south, north] of intervals)
    pieces = pieces.flatMap(([low, high]): Interval[] => [
      ...(Math.min(high, south) > low ? [[low, Math.min(high, south)] as const] : []),
      ...(Math.max(low, north) < high ? [[Math.max(low, north), high] as const] : []),
    ])
  const [from, to] = edge
  const lon = from[0]
  const sorted = pieces.toSorted(([one], [other]) => one - other)
  if (from[1] < to[1])
    return sorted.map(([low, high]) => [
      [lon, low],
      [lon, high],
    ])
  return sorted.toReversed().map(([low, high]) => [
    [lon, high],
    [lon, low],
  ])
}
