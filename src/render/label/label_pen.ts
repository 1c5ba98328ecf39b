import type { TextPen } from '../draw/text_marker.ts'
import type { Surface } from '../raster/surface.ts'
import type { MeasureText, PlacedLabel } from './placed_label.ts'

/** A drawn label: pixels with their place in the image. */
export interface LabelImage {
  readonly surface: Surface
  /** Column and row of the top left pixel. */
  readonly left: number
  readonly top: number
}

/** Measures and draws text: the only part of labels that depends on a library. */
export interface LabelPen extends TextPen {
  readonly measure: MeasureText
  /**
   * Draws a label with `pixelRatio` device pixels per pixel. The result depends on the place of the label only by fractions
   * of device pixels, so that adjacent tiles draw the same.
   */
  readonly draw: (label: PlacedLabel, pixelRatio: number) => LabelImage | undefined
}
