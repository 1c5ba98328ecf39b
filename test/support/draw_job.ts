import type { DrawJob, JobFeatures } from '../../src/render/image/draw_job.ts'
import type { Style } from '../../src/style/style_model.ts'
import type { MapSymbol, SymbolLayer } from '../../src/style/symbol_layer.ts'

/** A polygon or line in pixels: the positions of its rings. */
export type Rings = readonly (readonly (readonly [x: number, y: number])[])[]

/** Units per pixel of the jobs of tests. */
const units = 64

/** Returns features whose geometries are given in pixels. */
export function featuresOf(
  family: 'LINESTRING' | 'POLYGON',
  geometries: readonly Rings[],
  attributes: readonly Readonly<Record<string, unknown>>[] = [],
): JobFeatures {
  const encoded = geometries.map((rings) => (family === 'POLYGON' ? encodePolygon(rings) : encodeLine(rings)))
  let end = 0
  const fields = Object.keys(attributes[0] ?? {})
  return {
    family,
    ids: Float64Array.from(geometries, (_, at) => at + 1),
    unitsPerPixel: [units, units],
    // Far from the edges of the world.
    corner: [2 ** 20, 2 ** 20],
    points: new Float64Array(),
    worldUnits: 2 ** 40,
    geometries: Uint8Array.from(encoded.flat()),
    ends: Uint32Array.from(encoded, ({ length }) => {
      end += length
      return end
    }),
    isLocal: new Uint8Array(geometries.length),
    fields,
    columns: fields.map((name) => attributes.map((values) => values[name])),
  }
}

/** Returns point features at positions in pixels. */
export function pointFeatures(points: readonly (readonly [x: number, y: number])[]): JobFeatures {
  return {
    ...featuresOf('POLYGON', []),
    family: 'POINT',
    ids: Float64Array.from(points, (_, at) => at + 1),
    points: Float64Array.from(points.flat(), (value) => value * units),
  }
}

/** Returns a job that draws features with a style. */
export function jobOf(features: JobFeatures, style: Style, [width, height] = [64, 64]) {
  return {
    width: width ?? 0,
    height: height ?? 0,
    origin: [0, 0],
    scaleDenom: 1000,
    pixelsPerMapUnit: 1,
    layers: [{ style, features }],
  } satisfies DrawJob
}

/** Returns a style with one rule and symbol. */
export function styleOf(
  type: MapSymbol['type'],
  layers: readonly SymbolLayer[],
  more: Partial<Style> = {},
): Style {
  return {
    rules: [{ isElse: false, isDrawn: true, symbol: { type, opacity: 1, layers }, labels: [], children: [] }],
    ...{ matching: 'first', levels: 'none', order: [], opacity: 1 },
    ...{ blending: 'normal', featureBlending: 'normal', labels: [] },
    ...more,
  }
}

function encodePolygon(rings: Rings): number[] {
  const cursor = startOfGeometry()
  return [3, 0, ...varint(rings.length), ...rings.flatMap((ring) => encodePositions(ring, cursor))]
}

function encodeLine([line = []]: Rings): number[] {
  return [2, 0, ...encodePositions(line, startOfGeometry())]
}

function encodePositions(positions: Rings[number], cursor: { x: number; y: number }): number[] {
  const differences = positions.flatMap(([x, y]) => {
    const [nextX, nextY] = [Math.round(x * units), Math.round(y * units)]
    const moved = [...varint(zigzag(nextX - cursor.x)), ...varint(zigzag(nextY - cursor.y))]
    cursor.x = nextX
    cursor.y = nextY
    return moved
  })
  return [...varint(positions.length), ...differences]
}

/** Coordinates are relative to the image: the first one is moved to its corner. */
const startOfGeometry = () => ({ x: -(2 ** 20), y: -(2 ** 20) })

const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value)

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}
