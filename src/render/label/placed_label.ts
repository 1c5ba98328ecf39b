import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import type { Color } from '../../style/color.ts'
import type { LabelBuffer, LabelFont } from '../../style/label_model.ts'
import { moveCallout, type PlacedCallout } from './callout.ts'

/** Font of a text, in pixels. */
export type LabelFace = Omit<LabelFont<number>, 'capitalization'>

/** Size of a line of text, in pixels. */
export interface TextExtent {
  readonly width: number
  /** Distance from the baseline to the top of the font, and to its bottom. */
  readonly ascent: number
  readonly descent: number
  /** Distance from the baseline to the top of the highest letter, and to the bottom of the lowest one. */
  readonly inkAscent: number
  readonly inkDescent: number
}

/** Measures a line of text. Results must be proportional to the size of the font. */
export type MeasureText = (text: string, face: LabelFace) => TextExtent

/** Text on a straight baseline. */
export interface TextRun {
  readonly text: string
  /** Left end of the baseline, in pixels. */
  readonly x: number
  readonly y: number
  /** Direction of the baseline in radians, clockwise from the right. */
  readonly angle: number
}

/** A label with its place. Plain data, since it crosses between threads; all lengths are in pixels of 1/96 inch. */
export interface PlacedLabel {
  readonly runs: readonly TextRun[]
  readonly face: LabelFace
  readonly color: Color
  readonly buffer?: LabelBuffer<number>
  /** Area that the label may cover, buffer included. */
  readonly box: Bbox
  /** Position of the feature that decides to which part of the map the label belongs. */
  readonly anchor: readonly [x: number, y: number]
  /** Line to the feature, below all labels. */
  readonly callout?: PlacedCallout
}

/** Returns a label moved by a distance. */
export function moveLabel(label: PlacedLabel, dx: number, dy: number): PlacedLabel {
  const { runs, box, anchor, callout } = label
  return {
    ...label,
    ...(callout === undefined ? {} : { callout: moveCallout(callout, dx, dy) }),
    runs: runs.map((run) => ({ ...run, x: run.x + dx, y: run.y + dy })),
    box: [box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy],
    anchor: [anchor[0] + dx, anchor[1] + dy],
  }
}

/** Returns the area where something of a label may be drawn, letters beyond its box and its callout included. */
export function reachOfLabel({ box, face, callout }: PlacedLabel): Bbox {
  const text = expandBbox(box, face.size + 4)
  if (callout === undefined) return text
  const { box: line } = callout
  return [
    Math.min(text[0], line[0]),
    Math.min(text[1], line[1]),
    Math.max(text[2], line[2]),
    Math.max(text[3], line[3]),
  ]
}
