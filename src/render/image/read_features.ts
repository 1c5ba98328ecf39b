import type { Bbox } from '../../geo/bbox.ts'
import { moveWorldEdges } from '../../geo/world_edge.ts'
import type { EvaluationContext } from '../../style/expression/expression_evaluate.ts'
import type { DrawnFeature } from '../draw/layer.ts'
import type { PixelGeometry } from '../draw/pixel_geometry.ts'
import { visibleBoxOf } from '../draw/visible_part.ts'
import type { DrawJob, FeatureJobLayer, JobFeatures } from './draw_job.ts'
import { parsePixelTwkb, type UnitTransform } from './twkb_pixels.ts'

const knownFeatures = new WeakMap<JobFeatures, readonly DrawnFeature[]>()

/** What features are read for. */
export interface FeatureUse {
  /**
   * Whether geometry and context of a feature are used once, and not after those of another one: their memory is used again.
   * Objects that live as long as the image keep the garbage collector busier than drawing takes.
   */
  readonly isBrief?: boolean
}

/** Reads the features of a layer, once for the image and its labels unless they are used briefly. */
export function readFeatures(
  { features, style }: FeatureJobLayer,
  job: DrawJob,
  { isBrief = false }: FeatureUse = {},
): readonly DrawnFeature[] {
  const known = knownFeatures.get(features)
  if (known !== undefined) return known
  const { scaleDenom } = job
  const layer: PackedLayer = {
    features,
    scaleDenom,
    view: {
      isAtEdge: !job.keepsWorldEdges && isAtWorldEdge(features, job),
      visible: visibleBoxOf(style, job),
    },
  }
  const read: DrawnFeature[] = []
  if (isBrief) {
    const shared = createShared(scaleDenom)
    for (let at = 0; at < features.ids.length; at += 1) read.push(new BriefFeature(layer, shared, at))
    return read
  }
  for (let at = 0; at < features.ids.length; at += 1) read.push(new KeptFeature(layer, at))
  knownFeatures.set(features, read)
  return read
}

/** Features of a layer, and what is the same for all of them. */
interface PackedLayer {
  readonly features: JobFeatures
  readonly scaleDenom: number
  readonly view: GeometryView
}

/** A feature that is read when it is asked for, and kept. */
class KeptFeature implements DrawnFeature {
  readonly #layer: PackedLayer
  readonly #at: number
  #geometry: PixelGeometry | undefined
  #context: EvaluationContext | undefined

  constructor(layer: PackedLayer, at: number) {
    this.#layer = layer
    this.#at = at
  }

  get geometry(): PixelGeometry {
    this.#geometry ??= readGeometry(this.#layer.features, this.#at, this.#layer.view)
    return this.#geometry
  }

  get context(): EvaluationContext {
    this.#context ??= readContext(this.#layer, this.#at)
    return this.#context
  }
}

/** Objects that are used for one brief feature after the other. */
interface SharedParts {
  /** Position of the only part of `point`. */
  readonly position: Float64Array
  readonly point: PixelGeometry
  /** Context of features of which the style reads no attributes. */
  readonly context: { -readonly [Name in keyof EvaluationContext]: EvaluationContext[Name] }
}

function createShared(scaleDenom: number): SharedParts {
  const position = new Float64Array(2)
  const point: PixelGeometry = { family: 'POINT', parts: [[position]] }
  return { position, point, context: { attributes: noAttributes, id: 0, scaleDenom } }
}

/** A feature that is read when it is asked for, and valid until the next one is. */
class BriefFeature implements DrawnFeature {
  readonly #layer: PackedLayer
  readonly #shared: SharedParts
  readonly #at: number

  constructor(layer: PackedLayer, shared: SharedParts, at: number) {
    this.#layer = layer
    this.#shared = shared
    this.#at = at
  }

  get geometry(): PixelGeometry {
    const { features, view } = this.#layer
    if (features.points.length === 0) return readGeometry(features, this.#at, view)
    readPosition(features, this.#at, this.#shared.position)
    return this.#shared.point
  }

  get context(): EvaluationContext {
    const { features } = this.#layer
    if (features.fields.length > 0) return readContext(this.#layer, this.#at)
    const { context } = this.#shared
    context.id = features.ids[this.#at] ?? 0
    return context
  }
}

function readContext({ features, scaleDenom }: PackedLayer, at: number): EvaluationContext {
  const { fields, columns, ids } = features
  const attributes =
    fields.length === 0
      ? noAttributes
      : Object.fromEntries(fields.map((name, field) => [name, columns[field]?.[at]]))
  return { attributes, id: ids[at] ?? 0, scaleDenom }
}

/** Reads a point into the memory of its position. */
function readPosition({ points, unitsPerPixel }: JobFeatures, at: number, position: Float64Array): void {
  position[0] = (points[2 * at] ?? 0) * (1 / unitsPerPixel[0])
  position[1] = (points[2 * at + 1] ?? 0) * (1 / unitsPerPixel[1])
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
  if (features.points.length > 0) {
    const position = new Float64Array(2)
    readPosition(features, at, position)
    return { family: 'POINT', parts: [[position]] }
  }
  const { family, geometries, ends, unitsPerPixel, corner, isLocal, copies } = features
  const [scaleX, scaleY] = [1 / unitsPerPixel[0], 1 / unitsPerPixel[1]]
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
