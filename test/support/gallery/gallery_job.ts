import type { GeometryFamily } from '../../../src/contract/geometry.ts'
import type { DensityPoints } from '../../../src/render/draw/density.ts'
import { drawImage } from '../../../src/render/image/draw_image.ts'
import type { DrawJob, FeatureJobLayer, JobFeatures, PointBlock } from '../../../src/render/image/draw_job.ts'
import { placeJobLabels } from '../../../src/render/image/job_labels.ts'
import { loadSvgImages } from '../../../src/render/image/svg_images.ts'
import { createCanvasPen } from '../../../src/render/label/canvas_pen.ts'
import type { Surface } from '../../../src/render/raster/surface.ts'
import { compileExpression } from '../../../src/style/expression/expression_evaluate.ts'
import type { Heatmap } from '../../../src/style/heatmap.ts'
import { pixelsOf } from '../../../src/style/scale_layer.ts'
import type { Style } from '../../../src/style/style_model.ts'
import type { GalleryData, Position } from './gallery_data.ts'

/** A style over features. */
export interface GalleryPlate {
  readonly data: GalleryData
  readonly style: Style
  /** Colour of all pixels below the layer. */
  readonly background: readonly [red: number, green: number, blue: number]
}

/** Draws features with our renderer. */
export async function drawPlate({ data, style, background }: GalleryPlate): Promise<Surface> {
  const { width, height, box } = data
  const pixelsPerMapUnit = width / (box[2] - box[0])
  const job: DrawJob = {
    ...{ width, height, origin: [0, 0], pixelsPerMapUnit },
    scaleDenom: 96 / 0.0254 / pixelsPerMapUnit,
    layers: [{ pixels: backgroundOf(background, width * height) }, layerOf(data, style)],
  }
  const pen = createCanvasPen()
  const placed = placeJobLabels(job, { pen, check: () => undefined })
  return drawImage(job, {
    images: await loadSvgImages(job, { placed }),
    textPen: pen,
    labels: { placed, pen },
  })
}

function backgroundOf([red, green, blue]: GalleryPlate['background'], count: number) {
  return Uint8Array.from({ length: 4 * count }, (_, at) => [red, green, blue, 255][at % 4] ?? 0)
}

function layerOf(data: GalleryData, style: Style): FeatureJobLayer {
  const features = featuresOf(data)
  if (style.groups !== undefined)
    return { style, features, groups: [{ block: blockOf(data), left: 0, top: 0 }] }
  return style.heatmap === undefined
    ? { style, features }
    : { style, features, density: densityOf(data, style.heatmap) }
}

function blockOf({ features, box, width }: GalleryData): PointBlock {
  const perMapUnit = width / (box[2] - box[0])
  const points = features.flatMap(({ parts, values }, at) =>
    parts
      .flat(2)
      .map(([x, y]) => ({ id: at + 1, values, x: (x - box[0]) * perMapUnit, y: (box[3] - y) * perMapUnit })),
  )
  const fields = Object.keys(features[0]?.values ?? {})
  return {
    ids: Float64Array.from(points, ({ id }) => id),
    positions: Float64Array.from(points.flatMap(({ x, y }) => [x, y])),
    counts: new Float64Array(points.length).fill(1),
    fields,
    columns: fields.map((name) => points.map(({ values }) => values[name] ?? null)),
  }
}

function densityOf(
  { features, box, width }: GalleryData,
  { radius, weight, maximum }: Heatmap,
): DensityPoints {
  const perMapUnit = width / (box[2] - box[0])
  const weightOf = weight === undefined ? () => 1 : compileExpression(weight)
  const points = features.flatMap(({ parts, values }) => {
    const sum = Number(weightOf({ attributes: values }) ?? 0)
    return parts
      .flat(2)
      .map(([x, y]) => ({ x: (x - box[0]) * perMapUnit, y: (box[3] - y) * perMapUnit, sum }))
  })
  return {
    columns: Int32Array.from(points, ({ x }) => Math.floor(x + 1e-6)),
    rows: Int32Array.from(points, ({ y }) => Math.floor(y + 1e-6)),
    weights: Float64Array.from(points, ({ sum }) => sum),
    radius: Math.round(pixelsOf(radius, perMapUnit)),
    ...(maximum === undefined ? {} : { maximum }),
  }
}

/** Units per pixel of coordinates. */
const units = 64

/** Position of the image in the world, in units: far from its edges. */
const corner = 2 ** 20

function featuresOf({ family, features, box, width, height }: GalleryData): JobFeatures {
  const [scaleX, scaleY] = [(width * units) / (box[2] - box[0]), (height * units) / (box[3] - box[1])]
  const place = ([x, y]: Position): Position => [(x - box[0]) * scaleX, (box[3] - y) * scaleY]
  const placed = features.map(({ parts }) => parts.map((part) => part.map((one) => one.map(place))))
  const isSingle = family === 'POINT' && placed.every((parts) => parts.flat(2).length === 1)
  const encoded = isSingle ? [] : placed.map((parts) => encodeMulti(family, parts))
  const fields = Object.keys(features[0]?.values ?? {})
  let end = 0
  return {
    family,
    ids: Float64Array.from(features, (_, at) => at + 1),
    ...{ unitsPerPixel: [units, units], corner: [corner, corner], worldUnits: 2 ** 40 },
    points: Float64Array.from(isSingle ? placed.flat(4) : []),
    geometries: Uint8Array.from(encoded.flat()),
    ends: Uint32Array.from(encoded, ({ length }) => {
      end += length
      return end
    }),
    isLocal: new Uint8Array(features.length),
    fields,
    columns: fields.map((name) => features.map(({ values }) => values[name] ?? null)),
  }
}

const multiTypes = { POINT: 4, LINESTRING: 5, POLYGON: 6 } as const

/** Encodes a multi geometry as TWKB. @see https://github.com/TWKB/Specification/blob/master/twkb.md */
function encodeMulti(family: GeometryFamily, parts: readonly (readonly (readonly Position[])[])[]): number[] {
  const cursor: Cursor = { x: -corner, y: -corner }
  const count = (list: readonly unknown[]) => varint(list.length)
  const sequence = (positions: readonly Position[]) => [
    ...count(positions),
    ...encodePositions(positions, cursor),
  ]
  if (family === 'POINT') return [multiTypes.POINT, 0, ...sequence(parts.flat(2) as never)]
  if (family === 'LINESTRING') {
    const lines = parts.flat()
    return [multiTypes.LINESTRING, 0, ...count(lines), ...lines.flatMap(sequence)]
  }
  return [
    ...[multiTypes.POLYGON, 0, ...count(parts)],
    ...parts.flatMap((rings) => [...count(rings), ...rings.flatMap(sequence)]),
  ]
}

interface Cursor {
  x: number
  y: number
}

function encodePositions(positions: readonly Position[], cursor: Cursor): number[] {
  return positions.flatMap(([x, y]) => {
    const [nextX, nextY] = [Math.round(x), Math.round(y)]
    const moved = [...varint(zigzag(nextX - cursor.x)), ...varint(zigzag(nextY - cursor.y))]
    cursor.x = nextX
    cursor.y = nextY
    return moved
  })
}

const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value)

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}
