import type { Style } from '../../style/style_model.ts'
import type { AddWork } from '../draw/draw_work.ts'
import type { DrawnFeature } from '../draw/layer.ts'
import { prepareStyle } from '../draw/prepare_style.ts'
import type { SvgImages } from '../draw/svg_marker.ts'
import type { TextPen } from '../draw/text_marker.ts'
import { drawLabels } from '../label/draw_labels.ts'
import type { LabelPen } from '../label/label_pen.ts'
import type { PlacedLabel } from '../label/placed_label.ts'
import { SpriteCache } from '../raster/sprite.ts'
import { createSurface, type Surface } from '../raster/surface.ts'
import { drawMarks } from './debug_marks.ts'
import { putDensity } from './density_layer.ts'
import type { DrawJob } from './draw_job.ts'
import { prepareGroups } from './group_layer.ts'
import { isImageLayer, putImage } from './image_layer.ts'
import { readFeatures } from './read_features.ts'
import { drawStriped, worldStrips } from './world_strips.ts'

/** Caches and checks of drawing. */
export interface DrawOptions {
  readonly sprites?: SpriteCache
  /** Images of SVG markers; those without one are not drawn. */
  readonly images?: SvgImages
  /** Labels to draw over the layers, with the pen that draws them. */
  readonly labels?: { readonly placed: readonly PlacedLabel[]; readonly pen: LabelPen }
  /** Pen for markers of letters; without it, they are not drawn. */
  readonly textPen?: TextPen
  /** Pen for the names of the marks of the job; without it, they are not drawn. */
  readonly markPen?: LabelPen
  /** Called again and again, with the work of drawing; throws to stop it. */
  readonly check?: AddWork
}

/** Maximum number of pixels that are drawn at once, which bounds the memory of large images. */
const maxStripPixels = 2 ** 21

/**
 * Draws an image in strips of whole rows, from the top. The strips of an image are exactly what drawing it at once gives.
 * The layers are read once.
 */
export function* drawStrips(job: DrawJob, options: DrawOptions = {}): Generator<Surface> {
  const {
    sprites = new SpriteCache(),
    images = new Map(),
    check = () => undefined,
    labels,
    markPen,
    textPen,
  } = options
  const shown = job.showsLabelsOnly === true ? [] : job.layers
  const layers = shown.map((layer) =>
    isImageLayer(layer)
      ? layer
      : {
          ...layer,
          ...(prepareGroups(layer, job, check) ?? {
            style: prepareStyle(layer.style, job),
            features: readFeatures(layer, job, { isBrief: isDrawnBriefly(layer.style, job) }),
          }),
          copies: layer.features.copies,
          strips: worldStrips(layer.features, job),
        },
  )
  const { width, height, origin, pixelRatio = 1 } = job
  const stripHeight = stripHeightOf(job)
  for (let top = 0; top < height; top += stripHeight) {
    const surface = createSurface(width, Math.min(stripHeight, height - top))
    for (const [at, layer] of layers.entries()) {
      if (isImageLayer(layer)) {
        putImage(surface, layer, { top, check })
        continue
      }
      if (layer.density !== undefined) {
        const image = { width, height, stripHeight }
        putDensity(surface, { style: layer.style.style, points: layer.density, image }, { top, check })
        continue
      }
      const features = top === 0 ? layer.features : layer.features.map((feature) => moveUp(feature, top))
      const isLowest = at === 0
      drawStriped(surface, { ...layer, features, sprites, images, textPen, check, pixelRatio, isLowest }, [
        origin[0],
        origin[1] + top,
      ])
    }
    if (labels !== undefined)
      drawLabels(surface, { labels: labels.placed, pen: labels.pen, images, pixelRatio, top, check })
    if (markPen !== undefined)
      drawMarks(surface, { marks: job.marks ?? [], pen: markPen, pixelRatio, top, check })
    yield surface
  }
}

/** Reports whether each geometry of a layer is drawn at once, and not needed again. */
function isDrawnBriefly({ levels, featureBlending }: Style, job: DrawJob): boolean {
  return isOneStrip(job) && levels === 'none' && featureBlending === 'normal'
}

/** Returns whether an image is drawn at once. */
export function isOneStrip(job: Pick<DrawJob, 'width' | 'height'>): boolean {
  return stripHeightOf(job) === job.height
}

function stripHeightOf({ width, height }: Pick<DrawJob, 'width' | 'height'>): number {
  return Math.min(height, Math.max(64, Math.floor(maxStripPixels / width)))
}

/** Draws an image that is small enough to be one strip. */
export function drawImage(job: DrawJob, options?: DrawOptions): Surface {
  const [surface] = drawStrips(job, options)
  return surface ?? createSurface(job.width, job.height)
}

function moveUp({ geometry, context }: DrawnFeature, rows: number): DrawnFeature {
  const move = (sequence: Float64Array) => sequence.map((value, at) => (at % 2 === 0 ? value : value - rows))
  return { context, geometry: { ...geometry, parts: geometry.parts.map((part) => part.map(move)) } }
}
