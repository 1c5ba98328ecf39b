import type { PixelGeometry } from '../../src/render/draw/pixel_geometry.ts'
import type { LabelFrame } from '../../src/render/label/label_frame.ts'
import type { LabelScene } from '../../src/render/label/place_labels.ts'
import type { MeasureText } from '../../src/render/label/placed_label.ts'
import type { LabelPlacement, Labels } from '../../src/style/label_model.ts'
import { styleOf } from './draw_job.ts'

/** Measures text whose letters are squares. */
export const measureSquares: MeasureText = (text, { size }) => ({
  width: [...text].length * size,
  ascent: 0.8 * size,
  descent: 0.2 * size,
  inkAscent: 0.7 * size,
  inkDescent: 0.1 * size,
})

/** Returns labels of 10 pixels with a placement; their text is the field `name`, or a string. */
export function labelsWith(
  placement: LabelPlacement,
  { text = 'name', ...more }: Partial<Omit<Labels, 'text'>> & { readonly text?: string } = {},
): Labels {
  return {
    text: text === 'name' ? { op: 'field', name: 'name' } : { op: 'literal', value: text },
    font: {
      ...{ family: 'DejaVu Sans', size: 10, weight: 400, isItalic: false },
      ...{ letterSpacing: 0, capitalization: 'mixed' },
    },
    color: '#000000',
    placement,
    ...{ offset: [0, 0], angle: 0, priority: 5, showsAll: false },
    ...{ wrapCharacter: '', wrapLength: 0, lineHeight: 1, alignment: 'center' },
    ...more,
  }
}

/** Returns features named a, b, c and so on, with the field `rank` in the same order, in an image of 400 × 400 pixels. */
export function sceneOf(
  geometries: readonly PixelGeometry[],
  labels: readonly Labels[],
  frame: LabelFrame = { box: [0, 0, 400, 400], bounds: [0, 0, 400, 400] },
): LabelScene {
  const features = geometries.map((geometry, at) => ({
    geometry,
    context: { id: at + 1, attributes: { name: String.fromCodePoint(97 + (at % 26)), rank: at } },
  }))
  return {
    layers: [{ style: styleOf('marker', [], { labels }), features }],
    scale: { scaleDenom: 1000, pixelsPerMapUnit: 1 },
    frame,
    measure: measureSquares,
    check: () => undefined,
  }
}
