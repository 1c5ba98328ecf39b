/**
 * Returns a position inside a polygon, given as its rings: `wanted` if it lies inside; else the middle of the widest part of a
 * horizontal line near the middle of the polygon. Undefined for a polygon without area.
 */
export function pointOnSurface(
  rings: readonly Float64Array[],
  wanted: readonly [x: number, y: number],
): readonly [x: number, y: number] | undefined {
  if (isInside(rings, wanted)) return wanted
  const y = scanLineOf(rings)
  const crossings = crossingsOf(rings, y)
  let widest: readonly [from: number, to: number] | undefined
  for (let at = 0; at + 1 < crossings.length; at += 2) {
    const [from, to] = [crossings[at] ?? 0, crossings[at + 1] ?? 0]
    if (widest === undefined || to - from > widest[1] - widest[0]) widest = [from, to]
  }
  return widest === undefined ? undefined : [(widest[0] + widest[1]) / 2, y]
}

/** Reports whether a position lies inside of a polygon, given as its rings. */
export function isInside(rings: readonly Float64Array[], [x, y]: readonly [x: number, y: number]): boolean {
  return crossingsOf(rings, y).filter((crossing) => crossing <= x).length % 2 === 1
}

/** Half-way between the positions next above and next below the middle, so that the line has no position on it. */
function scanLineOf(rings: readonly Float64Array[]): number {
  let [top, bottom] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  eachY(rings, (y) => {
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  })
  const middle = (top + bottom) / 2
  let [above, below] = [top, bottom]
  eachY(rings, (y) => {
    if (y <= middle) above = Math.max(above, y)
    else below = Math.min(below, y)
  })
  return (above + below) / 2
}

function eachY(rings: readonly Float64Array[], use: (y: number) => void): void {
  for (const ring of rings) for (let at = 1; at < ring.length; at += 2) use(ring[at] ?? 0)
}

/** Where the rings cross a horizontal line, from the left. */
function crossingsOf(rings: readonly Float64Array[], y: number): number[] {
  const crossings = rings.flatMap((ring) => {
    const found: number[] = []
    for (let at = 0; at < ring.length; at += 2) {
      const next = (at + 2) % ring.length
      const [ax, ay, bx, by] = [ring[at] ?? 0, ring[at + 1] ?? 0, ring[next] ?? 0, ring[next + 1] ?? 0]
      if (ay <= y !== by <= y) found.push(ax + ((y - ay) / (by - ay)) * (bx - ax))
    }
    return found
  })
  return crossings.sort((a, b) => a - b)
}
