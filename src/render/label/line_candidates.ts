import type { LabelPlacement } from '../../style/label_model.ts'
import type { LinePath } from './line_path.ts'
import { boxesOverlap, createBox, growBox, type OrientedBox } from './oriented_box.ts'
import type { TextRun } from './placed_label.ts'
import { type Candidate, type LetterRow, straightCandidate, type TextBlock } from './text_block.ts'

/** Placement along a line. */
export type LinePlacement = Extract<LabelPlacement<number>, { kind: 'line' }>

/** A label to place along a line. */
export interface LineLabel {
  readonly path: LinePath
  /** Preferred distance of its middle from the start of the line. */
  readonly middle: number
  /** How far its middle may be shifted along the line, in pixels. */
  readonly shift: number
  readonly placement: LinePlacement
  readonly block: TextBlock
  /** Undefined for straight labels. */
  readonly row: LetterRow | undefined
}

/** Maximum number of positions along a line that are tried. */
const maxPositions = 24

/** Maximum angle between adjacent letters, as in QGIS. */
const maxLetterAngle = (25 * Math.PI) / 180

/** Lists the places of a label along a line: where the line is straight and near the middle first. */
export function lineCandidates(label: LineLabel): Candidate[] {
  const { path, placement } = label
  const width = label.row?.width ?? label.block.width
  if (width > path.length) return []
  const positions = listPositions(label, width).map((middle) => {
    const bend = bendOf(path, middle - width / 2, middle + width / 2)
    return { middle, cost: bend + Math.abs(middle - label.middle) / path.length }
  })
  positions.sort((a, b) => a.cost - b.cost)
  const sides = placement.sides.length === 0 ? (['on'] as const) : placement.sides
  return positions.flatMap(({ middle }) =>
    sides.flatMap((side) => {
      const found =
        label.row === undefined
          ? straightAt(label, middle, side)
          : curvedAt({ ...label, middle }, label.row, side)
      return found === undefined ? [] : [found]
    }),
  )
}

function listPositions({ path, middle, shift }: LineLabel, width: number): number[] {
  const [least, most] = path.isClosed ? [-Infinity, Infinity] : [width / 2, path.length - width / 2]
  const reach = Math.min(shift, path.length / 2)
  const step = Math.max(8, width / 4, (2 * reach) / maxPositions)
  const start = Math.min(most, Math.max(least, middle))
  const positions = [start]
  for (let distance = step; distance <= reach; distance += step)
    for (const position of [start - distance, start + distance])
      if (position >= least && position <= most) positions.push(position)
  return positions
}

/** Returns how much a line turns between two distances, in radians. */
function bendOf(path: LinePath, from: number, to: number): number {
  const steps = 8
  let [sum, last] = [0, Number.NaN]
  let [x, y] = path.pointAt(from)
  for (let at = 1; at <= steps; at += 1) {
    const [nextX, nextY] = path.pointAt(from + (at / steps) * (to - from))
    const angle = Math.atan2(nextY - y, nextX - x)
    if (at > 1) sum += Math.abs(turnOf(last, angle))
    last = angle
    x = nextX
    y = nextY
  }
  return sum
}

/** Returns the turn from one direction to another, from -π to π. */
function turnOf(from: number, to: number): number {
  const turn = to - from
  return turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI))
}

type Side = LinePlacement['sides'][number]

function straightAt(
  { path, block, placement }: LineLabel,
  middle: number,
  side: Side,
): Candidate | undefined {
  const [x0, y0] = path.pointAt(middle - block.width / 2)
  const [x1, y1] = path.pointAt(middle + block.width / 2)
  const direction = Math.atan2(y1 - y0, x1 - x0)
  // The line comes back to where it was.
  if (Math.hypot(x1 - x0, y1 - y0) < 0.5 * block.width) return undefined
  const angle = Math.cos(direction) < 0 ? turnOf(0, direction + Math.PI) : direction
  const away =
    side === 'on' ? 0 : (side === 'above' ? 1 : -1) * (placement.distance + block.margin + block.height / 2)
  const [x, y] = path.pointAt(middle)
  // Between the chord and the line, which may bulge.
  const center = [(x + (x0 + x1) / 2) / 2, (y + (y0 + y1) / 2) / 2] as const
  return straightCandidate(
    block,
    [center[0] + away * Math.sin(angle), center[1] - away * Math.cos(angle)],
    angle,
  )
}

function curvedAt(label: LineLabel, row: LetterRow, side: Side): Candidate | undefined {
  const { path, placement, block, middle } = label
  const [x0] = path.pointAt(middle - row.width / 2)
  const [x1] = path.pointAt(middle + row.width / 2)
  const sense = x1 < x0 ? -1 : 1
  const up = baselineShift(row, side, placement.distance + block.margin)
  const letters = row.letters.map((letter) => {
    const distance = middle + sense * (letter.middle - row.width / 2)
    const half = sense * Math.max(letter.width / 2, 3)
    const [fromX, fromY] = path.pointAt(distance - half)
    const [toX, toY] = path.pointAt(distance + half)
    const [x, y] = path.pointAt(distance)
    return { letter, x, y, angle: Math.atan2(toY - fromY, toX - fromX) }
  })
  const isSmooth = letters.every(
    ({ angle }, at) => Math.abs(turnOf(letters[at - 1]?.angle ?? angle, angle)) <= maxLetterAngle,
  )
  if (!isSmooth) return undefined
  const height = row.ascent + row.descent
  const letterBoxes = letters.map(({ letter, x, y, angle }) => {
    const center = up + (row.ascent - row.descent) / 2
    const position = [x + center * Math.sin(angle), y - center * Math.cos(angle)] as const
    return createBox(position, [letter.width, height], angle)
  })
  if (haveOverlap(letterBoxes)) return undefined
  const boxes = letterBoxes.map((box) => growBox(box, block.margin))
  const runs = () =>
    letters.map(({ letter, x, y, angle }): TextRun => {
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
      const back = letter.width / 2
      return { text: letter.text, x: x - back * cos + up * sin, y: y - back * sin - up * cos, angle }
    })
  return { boxes, runs }
}

/** Part of the height of letters by which the boxes of two may overlap: few letters fill their corners. */
const letterSlack = 0.25

/** Tells whether letters overlap: those inside a bend, and those of a line that turns back. */
function haveOverlap(letters: readonly OrientedBox[]): boolean {
  const bodies = letters.map((box) => ({
    ...box,
    halfWidth: Math.max(0, box.halfWidth - letterSlack * box.halfHeight),
  }))
  return bodies.some((body, at) => bodies.some((other, index) => index > at && boxesOverlap(body, other)))
}

/** Returns how far the baseline lies above the line, as seen by the reader. */
function baselineShift({ ascent, descent }: LetterRow, side: Side, distance: number): number {
  if (side === 'above') return distance + descent
  if (side === 'below') return -distance - ascent
  return (descent - ascent) / 2
}
