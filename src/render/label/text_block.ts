import type { LabelSpec } from './label_spec.ts'
import { splitLetters } from './label_text.ts'
import { createBox, growBox, type OrientedBox } from './oriented_box.ts'
import type { MeasureText, TextExtent, TextRun } from './placed_label.ts'

/** A line of a label, with the offset of the left end of its baseline from the center. */
interface BlockLine {
  readonly text: string
  readonly width: number
  readonly x: number
  readonly y: number
}

/** Lines of a label, laid out around its center. */
export interface TextBlock {
  readonly width: number
  readonly height: number
  readonly lines: readonly BlockLine[]
  /** Margin that other labels may not cover: that of the buffer. */
  readonly margin: number
  /** Whether lines are aligned on the side of the point that the label is beside of. @default false */
  readonly followsPoint?: boolean
}

/** Share of the room beside a line that lies to its left. */
const shares = { left: 0, center: 0.5, right: 1 } as const

/** Lays out the lines of a label. */
export function layoutBlock(spec: LabelSpec, measure: MeasureText): TextBlock {
  const extents = spec.lines.map((line) => measure(line, spec.face))
  const { above, below, gap } = measureLines(spec, extents)
  const width = extents.reduce((most, extent) => Math.max(most, extent.width), 0)
  const height = above + (extents.length - 1) * gap + below
  const followsPoint = spec.alignment === 'follow'
  const share = shares[spec.alignment === 'follow' ? 'center' : spec.alignment]
  return {
    ...{ width, height, followsPoint },
    lines: extents.map((extent, at) => ({
      text: spec.lines[at] ?? '',
      width: extent.width,
      x: alignedX(width, extent.width, share),
      y: -height / 2 + above + at * gap,
    })),
    margin: spec.buffer?.size ?? 0,
  }
}

/** Heights in a block of lines. */
interface LineHeights {
  /** From the first baseline to the top, and from the last one to the bottom. */
  readonly above: number
  readonly below: number
  /** Distance of baselines. */
  readonly gap: number
}

function measureLines(spec: LabelSpec, extents: readonly TextExtent[]): LineHeights {
  const [{ ascent, descent } = { ascent: 0, descent: 0 }] = extents
  if (spec.hasInkHeight === true) return measureInk(spec, extents)
  if (spec.hasWholePixels !== true)
    return { above: ascent, below: descent, gap: (ascent + descent) * spec.lineHeight }
  const [above, height] = [wholeAbove(ascent), wholeAbove(ascent) + wholeAbove(descent)]
  // QGIS has the baseline there.
  return { above: height - above / 4, below: above / 4, gap: height * spec.lineHeight }
}

/** Least height of the letters of a label, as a part of the size of its font. */
export const leastInkHeight = 0.5

/** Measures lines that are as high as their letters. */
function measureInk({ face, lineHeight }: LabelSpec, extents: readonly TextExtent[]): LineHeights {
  const below = finite(extents.at(-1)?.inkDescent)
  const above = Math.max(finite(extents[0]?.inkAscent), leastInkHeight * face.size - below)
  return { above, below, gap: face.size * lineHeight }
}

/** Spaces have no letters. */
const finite = (value = 0) => (Number.isFinite(value) ? value : 0)

/** Rounds up, but not what exceeds a whole number by rounding errors. */
const wholeAbove = (value: number) => Math.ceil(value - 1e-6)

const alignedX = (blockWidth: number, width: number, share: number) =>
  -blockWidth / 2 + share * (blockWidth - width)

/** Returns a block to the left (-1) or right (1) of a point, or over it (0), with its lines on that side if they follow the point. */
export function besidePoint(block: TextBlock, side: -1 | 0 | 1): TextBlock {
  if (block.followsPoint !== true || side === 0) return block
  const share = shares[side === 1 ? 'left' : 'right']
  return {
    ...block,
    lines: block.lines.map((line) => ({ ...line, x: alignedX(block.width, line.width, share) })),
  }
}

/** A possible place of a label. */
export interface Candidate {
  /** Boxes that the label covers, buffer included. */
  readonly boxes: readonly OrientedBox[]
  /** Computes the runs of the text; only called for the place that is taken. */
  readonly runs: () => readonly TextRun[]
}

/** Returns the place of a block with its center at a position, and its lines in a direction. */
export function straightCandidate(block: TextBlock, [x, y]: readonly [number, number], angle = 0): Candidate {
  const box = growBox(createBox([x, y], [block.width, block.height], angle), block.margin)
  const { cos, sin } = box
  const runs = () =>
    block.lines.map((line) => ({
      text: line.text,
      x: x + cos * line.x - sin * line.y,
      y: y + sin * line.x + cos * line.y,
      angle,
    }))
  return { boxes: [box], runs }
}

/** A letter of a text, with its place along it. */
export interface Letter {
  readonly text: string
  /** Distance of its middle from the start of the text. */
  readonly middle: number
  readonly width: number
}

/** A text as letters that can be bent. */
export interface LetterRow {
  readonly letters: readonly Letter[]
  readonly width: number
  readonly ascent: number
  readonly descent: number
}

/** Lays out a label as one row of letters; undefined if its letters are joined. */
export function layoutLetters(spec: LabelSpec, measure: MeasureText): LetterRow | undefined {
  const text = spec.lines.join(' ')
  const parts = splitLetters(text)
  if (parts === undefined) return undefined
  let [start, prefix] = [0, '']
  const letters = parts.map((part): Letter => {
    prefix += part
    // Widths of prefixes include kerning.
    const end = measure(prefix, spec.face).width
    const letter = { text: part, middle: (start + end) / 2, width: end - start }
    start = end
    return letter
  })
  const extent = measure(text, spec.face)
  if (spec.hasInkHeight !== true) return { ...extent, letters, width: start }
  const { above, below } = measureInk(spec, [extent])
  return { letters, width: start, ascent: above, descent: below }
}
