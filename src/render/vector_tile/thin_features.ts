/** How many times cells may be merged, four into one. */
export const maxMerges = 6

/** Low bits of a cell number that hold the row; the column is in the bits above. */
export const rowBits = 14

/** Ids of features and, at the same index, numbers of their cells. */
export interface ThinningCandidates {
  readonly ids: readonly number[]
  /** Column times 2^14 plus row. */
  readonly cells: readonly number[]
}

/**
 * Returns one id per cell: the lowest, so that a feature shown at one zoom level is shown at all higher ones. Merges
 * cells four into one while there are more than the limit.
 */
export function thinFeatures({ ids, cells }: ThinningCandidates, limit: number): Set<number> {
  let lowest = new Map<number, number>()
  for (const [at, id] of ids.entries()) keepLowest(lowest, cells[at] ?? 0, id)
  for (let level = 0; level < maxMerges && lowest.size > limit; level += 1) lowest = mergeCells(lowest)
  return new Set(lowest.values())
}

function mergeCells(finer: ReadonlyMap<number, number>): Map<number, number> {
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
