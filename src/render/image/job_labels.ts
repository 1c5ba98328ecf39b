import type { EvaluationContext } from '../../style/expression/expression_evaluate.ts'
import type { DrawnFeature } from '../draw/layer.ts'
import { prepareStyle } from '../draw/prepare_style.ts'
import type { LabelFrame } from '../label/label_frame.ts'
import type { LabelPen } from '../label/label_pen.ts'
import { hasLabels } from '../label/label_spec.ts'
import { markerRadius } from '../label/marker_radius.ts'
import { placeLabels } from '../label/place_labels.ts'
import type { PlacedLabel } from '../label/placed_label.ts'
import type { DrawJob, FeatureJobLayer, JobFeatures } from './draw_job.ts'
import { readFeatures } from './read_features.ts'
import { worldStrips } from './world_strips.ts'

/** Parts that placing labels needs. */
export interface LabelTools {
  readonly pen: Pick<LabelPen, 'measure'>
  /** Called again and again; throws to stop the work. */
  readonly check: () => void
}

/**
 * Places the labels of all layers of a job in a part of the image; in the whole image by default.
 *
 * @returns labels in pixels of 1/96 inch from the top left corner of the image, those of lower rank first
 * @throws what `check` throws
 */
export function placeJobLabels(
  job: DrawJob,
  { pen, check }: LabelTools,
  frame: LabelFrame = wholeImage(job),
): PlacedLabel[] {
  const { scaleDenom, pixelsPerMapUnit } = job
  const layers = job.layers.flatMap((layer) => {
    if (!('features' in layer) || !hasLabels(layer.style, scaleDenom)) return []
    const features = readLabelled(layer, job)
    const style = prepareStyle(layer.style, { scaleDenom, pixelsPerMapUnit })
    const radiusOf = (context: EvaluationContext) =>
      style
        .symbolsOf(context)
        .reduce((most, { symbolFor }) => Math.max(most, markerRadius(symbolFor(context))), 0)
    const whole = layer.features.copies?.some((copy) => copy !== 0) ? joinCopies(features) : features
    return [{ style: layer.style, features: style.sort(whole), radiusOf }]
  })
  if (layers.length === 0) return []
  return placeLabels({ layers, frame, check, scale: { scaleDenom, pixelsPerMapUnit }, measure: pen.measure })
}

/** Reads the features of a layer in pixels of 1/96 inch. */
function readLabelled(layer: FeatureJobLayer, job: DrawJob): readonly DrawnFeature[] {
  const features = inPixels(layer.features, job.pixelRatio ?? 1)
  if (worldStrips(layer.features, job) === undefined) return readFeatures({ ...layer, features }, job)
  // Outlines that continue out of sight would do so in the image. They are not those that are drawn.
  return readFeatures({ ...layer, features: { ...features } }, { ...job, keepsWorldEdges: true })
}

/**
 * Joins what lies of a feature on both sides of the antimeridian, where it is divided, so that it has one label. Features are in
 * the order of their ids.
 */
function joinCopies(features: readonly DrawnFeature[]): DrawnFeature[] {
  const joined: DrawnFeature[] = []
  for (const feature of features) {
    const last = joined.at(-1)
    if (last === undefined || last.context.id !== feature.context.id) {
      joined.push(feature)
      continue
    }
    const { context, geometry } = last
    const parts = [...geometry.parts, ...feature.geometry.parts]
    joined[joined.length - 1] = { context, geometry: { ...geometry, parts } }
  }
  return joined
}

/** Returns features in pixels of 1/96 inch, and not in device pixels. */
function inPixels(features: JobFeatures, pixelRatio: number): JobFeatures {
  if (pixelRatio === 1) return features
  const [x, y] = features.unitsPerPixel
  return { ...features, unitsPerPixel: [x * pixelRatio, y * pixelRatio] }
}

function wholeImage({ width, height, pixelRatio = 1 }: DrawJob): LabelFrame {
  const box = [0, 0, width / pixelRatio, height / pixelRatio] as const
  return { box, bounds: box }
}
