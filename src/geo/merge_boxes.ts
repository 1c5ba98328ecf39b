import { type Bbox, emptyBbox, growBbox } from './bbox.ts'

/**
 * Merges boxes until at most `count` are left, each time the two neighbors whose common box adds least to the sum of the
 * widths and heights. Neighbors are those along a Z-order curve through the centers of the boxes.
 */
export function mergeBoxes(boxes: readonly Bbox[], count: number): Bbox[] {
  const around = emptyBbox()
  for (const box of boxes) growBbox(around, box)
  const merged = boxes
    .map((box) => ({ box, order: orderOf(box, around) }))
    .sort((one, other) => one.order - other.order)
    .map(({ box }) => box)
  while (merged.length > Math.max(1, count)) {
    const at = findCheapest(merged)
    merged.splice(at, 2, joinBoxes(merged[at] ?? around, merged[at + 1] ?? around))
  }
  return merged
}

/** Returns the position of the first box of the pair whose common box adds least. */
function findCheapest(boxes: readonly Bbox[]): number {
  let best = { at: 0, cost: Infinity }
  for (const [at, box] of boxes.slice(0, -1).entries()) {
    const next = boxes[at + 1] ?? box
    const cost = sizeOf(joinBoxes(box, next)) - sizeOf(box) - sizeOf(next)
    if (cost < best.cost) best = { at, cost }
  }
  return best.at
}

function joinBoxes(one: Bbox, other: Bbox): Bbox {
  const joined = emptyBbox()
  growBbox(joined, one)
  growBbox(joined, other)
  return joined
}

const sizeOf = ([minX, minY, maxX, maxY]: Bbox) => maxX - minX + maxY - minY

/** Bits of each coordinate along the curve. */
const bits = 16

/** Returns the position of the center of a box along a Z-order curve through the area. */
function orderOf([minX, minY, maxX, maxY]: Bbox, [left, bottom, right, top]: Bbox): number {
  const size = Math.max(right - left, top - bottom)
  const cell = (center: number, start: number) =>
    size > 0 ? Math.min(2 ** bits - 1, Math.floor(((center - start) / size) * 2 ** bits)) : 0
  const column = cell((minX + maxX) / 2, left)
  const row = cell((minY + maxY) / 2, bottom)
  let order = 0
  for (let bit = bits - 1; bit >= 0; bit -= 1)
    order = order * 4 + ((row >> bit) & 1) * 2 + ((column >> bit) & 1)
  return order
}
