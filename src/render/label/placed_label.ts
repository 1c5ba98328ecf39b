import type { Bbox } from '../../geo/bbox.ts'
import type { Color } from '../../style/color.ts'
import type { LabelBuffer, LabelFont } from '../../style/label_model.ts'

/** Font of a text, in pixels. */
export type LabelFace = Omit<LabelFont<number>, 'capitalization'>

/** Size of a line of text, in pixels. */
export interface TextExtent {
  readonly width: number
  /** Distance from the baseline to the top of the font, and to its bottom. */
  readonly ascent: number
  readonly descent: number
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
}

/** Returns a label moved by a distance. */
export function moveLabel(label: PlacedLabel, dx: number, dy: number): PlacedLabel {
  const { runs, box, anchor } = label
  return {
    ...label,
    runs: runs.map((run) => ({ ...run, x: run.x + dx, y: run.y + dy })),
    box: [box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy],
    anchor: [anchor[0] + dx, anchor[1] + dy],
  }
}
