import type { LabelSpec } from './label_spec.ts'
import { type Candidate, straightCandidate, type TextBlock } from './text_block.ts'

/** Directions around a point, from the preferred one on: to the upper right first, as on printed maps. */
const directions = [
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
] as const

/** Lists the places of a label at a point, the preferred one first. */
export function* pointCandidates(
  spec: LabelSpec,
  block: TextBlock,
  [x, y]: readonly [number, number],
): Generator<Candidate> {
  const { placement, offset } = spec
  const angle = (spec.angle * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  // Rotated around the point.
  const at = (dx: number, dy: number) =>
    straightCandidate(
      block,
      [x + offset[0] + cos * dx - sin * dy, y + offset[1] + sin * dx + cos * dy],
      angle,
    )
  const [halfWidth, halfHeight] = [block.width / 2, block.height / 2]
  if (placement.kind !== 'around') {
    const [right, down] = placement.kind === 'over' ? placement.quadrant : [0, 0]
    yield at(right * halfWidth, down * halfHeight)
    return
  }
  const radius = (spec.markerRadius ?? 0) + block.margin
  const reach = Math.max(placement.distance + block.margin, radius)
  // In corners, the nearest point of the label is in the distance.
  const diagonal = Math.max(reach * Math.SQRT1_2, diagonalGap(radius, halfHeight / 2))
  for (const [right, down] of directions) {
    const gap = right !== 0 && down !== 0 ? diagonal : reach
    yield at(right * (halfWidth + gap), down * (halfHeight * (right === 0 ? 1 : 0.5) + gap))
  }
}

/** Returns the gap on both axes that keeps a label, which extends beyond it by `overlap` vertically, out of a circle. */
function diagonalGap(radius: number, overlap: number): number {
  if (radius <= overlap) return radius
  return (overlap + Math.sqrt(2 * radius ** 2 - overlap ** 2)) / 2
}
