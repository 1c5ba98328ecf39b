import type { Bbox } from '../../geo/bbox.ts'
import { moveWorldEdges } from '../../geo/world_edge.ts'
import type { AddWork } from '../draw/draw_work.ts'
import type { DrawnFeature } from '../draw/layer.ts'
import type { PixelGeometry } from '../draw/pixel_geometry.ts'
import { prepareStyle } from '../draw/prepare_style.ts'
import type { SvgImages } from '../draw/svg_marker.ts'
import type { TextPen } from '../draw/text_marker.ts'
import { visibleBoxOf } from '../draw/visible_part.ts'
import { drawLabels } from '../label/draw_labels.ts'
import type { LabelPen } from '../label/label_pen.ts'
import type { PlacedLabel } from '../label/placed_label.ts'
import { SpriteCache } from '../raster/sprite.ts'
import { createSurface, type Surface } from '../raster/surface.ts'
import { drawMarks } from './debug_marks.ts'
import { putDensity } from './density_layer.ts'
import type { DrawJob, FeatureJobLayer, JobFeatures } from './draw_job.ts'
import { prepareGroups } from './group_layer.ts'
import { isImageLayer, putImage } from './image_layer.ts'
import { parsePixelTwkb, type UnitTransform } from './twkb_pixels.ts'
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
            features: readFeatures(layer, job, check),
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

const knownFeatures = new WeakMap<JobFeatures, DrawnFeature[]>()

/**
 * Reads the features of a layer, once for the image and its labels.
 *
 * @throws what `check` throws
 */
export function readFeatures(
  { features, style }: FeatureJobLayer,
  job: DrawJob,
  check: () => void,
): DrawnFeature[] {
  const known = knownFeatures.get(features)
  if (known !== undefined) return known
  const { scaleDenom } = job
  const visible = visibleBoxOf(style, job)
  const isAtEdge = !job.keepsWorldEdges && isAtWorldEdge(features, job)
  const read = Array.from(features.ids, (id, at) => {
    check()
    const attributes =
      features.fields.length === 0
        ? noAttributes
        : Object.fromEntries(features.fields.map((name, field) => [name, features.columns[field]?.[at]]))
    return {
      geometry: readGeometry(features, at, { isAtEdge, visible }),
      context: { attributes, id, scaleDenom },
    }
  })
  knownFeatures.set(features, read)
  return read
}

const noAttributes: Readonly<Record<string, unknown>> = {}

/** What the geometries of a layer are read for. */
interface GeometryView {
  /** Whether an edge of the world may lie in the image. */
  readonly isAtEdge: boolean
  /** Outside of it, the course of lines and rings does not matter. */
  readonly visible: Bbox | undefined
}

function readGeometry(features: JobFeatures, at: number, { isAtEdge, visible }: GeometryView): PixelGeometry {
  const { family, points, geometries, ends, unitsPerPixel, corner, isLocal, copies } = features
  const [scaleX, scaleY] = [1 / unitsPerPixel[0], 1 / unitsPerPixel[1]]
  if (points.length > 0) {
    const point = Float64Array.of((points[2 * at] ?? 0) * scaleX, (points[2 * at + 1] ?? 0) * scaleY)
    return { family, parts: [[point]] }
  }
  const bytes = geometries.subarray(at === 0 ? 0 : ends[at - 1], ends[at])
  // The database has no geometry left where clipping removes all of it.
  if (bytes.length === 0) return { family, parts: [] }
  const [x, y] =
    isLocal[at] === 1 ? [0, 0] : [corner[0] - (copies?.[at] ?? 0) * features.worldUnits, corner[1]]
  const transform = { scaleX, scaleY, shiftX: -x * scaleX, shiftY: -y * scaleY, visible }
  const geometry = parsePixelTwkb(bytes, family, transform)
  const isCut = family === 'POLYGON' && isLocal[at] !== 1 && isAtEdge
  return isCut && touchesWorldEdge(geometry, features.worldUnits, transform)
    ? parseAtWorldEdge(bytes, features.worldUnits, transform)
    : geometry
}

/** Units of the margin around an image in which an edge of the world may be seen: that of the largest symbol. */
const edgeUnits = 2 ** 14

/** Reports whether an edge of the world may lie in the image. */
function isAtWorldEdge(
  { corner, unitsPerPixel, worldUnits }: JobFeatures,
  { width, height }: DrawJob,
): boolean {
  const [left, top] = corner
  const [right, bottom] = [left + width * unitsPerPixel[0], top + height * unitsPerPixel[1]]
  return Math.min(left, top) <= edgeUnits || Math.max(right, bottom) >= worldUnits - edgeUnits
}

/** Reports whether a position lies on an edge of the world. */
function touchesWorldEdge(
  { parts }: PixelGeometry,
  worldUnits: number,
  { scaleX, scaleY, shiftX, shiftY }: UnitTransform,
): boolean {
  const [left, top] = [shiftX + 0.1 * scaleX, shiftY + 0.1 * scaleY]
  const [right, bottom] = [(worldUnits - 0.1) * scaleX + shiftX, (worldUnits - 0.1) * scaleY + shiftY]
  const isOut = (value: number, at: number) =>
    at % 2 === 0 ? value < left || value > right : value < top || value > bottom
  return parts.some((part) => part.some((ring) => ring.some(isOut)))
}

/** Parses a polygon, and moves its outlines along an edge of the world out of sight. */
function parseAtWorldEdge(bytes: Uint8Array, worldUnits: number, transform: UnitTransform): PixelGeometry {
  const whole = parsePixelTwkb(bytes, 'POLYGON', { scaleX: 1, scaleY: 1, shiftX: 0, shiftY: 0 })
  // The side of the world is a whole number, unlike that of most resolutions, and positions are rounded.
  const snap = (value: number) => (Math.abs(value - worldUnits) <= 1 ? worldUnits : value)
  const parts = whole.parts.map((part) => part.map((ring) => Array.from(ring, snap)))
  const moved = moveWorldEdges({ family: 'POLYGON', parts }, { size: worldUnits, reach: worldUnits })
  const { scaleX, scaleY, shiftX, shiftY } = transform
  const place = (value: number, at: number) =>
    at % 2 === 0 ? value * scaleX + shiftX : value * scaleY + shiftY
  return {
    family: 'POLYGON',
    parts: moved.parts.map((part) => part.map((ring) => Float64Array.from(ring, place))),
  }
}

function moveUp({ geometry, context }: DrawnFeature, rows: number): DrawnFeature {
  const move = (sequence: Float64Array) => sequence.map((value, at) => (at % 2 === 0 ? value : value - rows))
  return { context, geometry: { ...geometry, parts: geometry.parts.map((part) => part.map(move)) } }
}
