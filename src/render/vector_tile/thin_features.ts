/** How many times cells may be joined, four to one. */
export const coarserLevels = 6

/** Bits of a cell's number that hold its row; the column stands above. */
export const rowBits = 14

/** Features and the cells they stand in, place by place. */
export interface Crowd {
  readonly ids: readonly number[]
  /** Column times 2^14 plus row. */
  readonly cells: readonly number[]
}

/**
 * Returns one id a cell: the lowest, so that what a zoom level shows is there on all that are closer. While that is more
 * than the limit, cells are joined four to one.
 */
export function thinCrowd({ ids, cells }: Crowd, limit: number): Set<number> {
  let lowest = new Map<number, number>()
  for (const [at, id] of ids.entries()) keepLowest(lowest, cells[at] ?? 0, id)
  for (let level = 0; level < coarserLevels && lowest.size > limit; level += 1) lowest = joinCells(lowest)
  return new Set(lowest.values())
}

function joinCells(finer: ReadonlyMap<number, number>): Map<number, number> {
  const lowest = new Map<number, number>()
  for (const [cell, id] of finer) keepLowest(lowest, parentCell(cell), id)
  return lowest
}

function parentCell(cell: number): number {
  const row = cell & (2 ** rowBits - 1)
  return ((cell >> (rowBits + 1)) << rowBits) | (row >> 1)
}

function keepLowest(lowest: Map<number, number>, cell: number, id: number): void {
  const known = lowest.get(cell)
  if (known === undefined || id < known) lowest.set(cell, id)
}
