import type { MarkerShape } from '../../style/symbol_layer.ts'

/** Outline of a marker within -1 to 1; y grows downwards. */
export interface MarkerOutline {
  /** x and y of positions, contour by contour. */
  readonly contours: readonly (readonly number[])[]
  /** Whether the contours enclose an area; else they are lines. */
  readonly isArea: boolean
}

/** Maximum distance between a curve and its segments, in pixels. */
const curveTolerance = 0.05

/** Returns the outline of a shape, with curves as smooth as a radius in pixels needs. */
export function markerOutline(shape: MarkerShape, radius: number): MarkerOutline {
  const arc = (from: number, to: number) => arcOf(radius, from, to)
  const half = Math.PI
  switch (shape) {
    case 'circle':
      return area(arc(0, 2 * half))
    case 'semi_circle':
      return area([...arc(0, half)])
    case 'third_circle':
      return area([...arc(half / 2, (half * 7) / 6), 0, 0])
    case 'quarter_circle':
      return area([...arc(half / 2, half), 0, 0])
    case 'half_arc':
      return lines(arc(0, half))
    case 'third_arc':
      return lines(arc(half / 2, (half * 7) / 6))
    case 'quarter_arc':
      return lines(arc(half / 2, half))
    case 'rounded_square':
      return area(roundedSquare(radius))
    case 'heart':
      return area(heart())
    case 'cross':
      return lines([-1, 0, 1, 0], [0, -1, 0, 1])
    case 'cross2':
      return lines([-1, -1, 1, 1], [1, -1, -1, 1])
    case 'line':
      return lines([0, -1, 0, 1])
    case 'arrowhead':
      return lines([-1, -1, 0, 0, -1, 1])
    default:
      return area(polygons[shape])
  }
}

const area = (...contours: number[][]): MarkerOutline => ({ contours, isArea: true })
const lines = (...contours: number[][]): MarkerOutline => ({ contours, isArea: false })

/** Positions of an arc around the origin; angles in radians, counterclockwise from the right. */
function arcOf(radius: number, from: number, to: number): number[] {
  const step = Math.max(0.05, 2 * Math.acos(Math.max(0, 1 - curveTolerance / Math.max(radius, 1))))
  const count = Math.max(2, Math.ceil((to - from) / step))
  return Array.from({ length: count + 1 }, (_, at) => from + ((to - from) * at) / count).flatMap((angle) => [
    Math.cos(angle),
    -Math.sin(angle),
  ])
}

function roundedSquare(radius: number): number[] {
  const corner = 0.2
  const quarter = Math.PI / 2
  return [0, 1, 2, 3].flatMap((at) => {
    const [x, y] = [at === 0 || at === 3 ? 1 - corner : corner - 1, at < 2 ? corner - 1 : 1 - corner]
    return arcOf(radius * corner, at * quarter, (at + 1) * quarter).map(
      (value, index) => (index % 2 === 0 ? x : y) + value * corner,
    )
  })
}

function heart(): number[] {
  const half = [
    ...bezier([0, -0.75, 0, -1, 1, -1, 1, -0.25]),
    ...bezier([1, -0.25, 1, 0.25, 0.25, 0.5, 0, 1]),
  ]
  const mirrored = pairsOf(half).toReversed()
  return [...half, ...mirrored.flatMap(([x, y]) => [-x, y])]
}

/** Positions of a cubic curve. */
function bezier([x0 = 0, y0 = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0]: number[]): number[] {
  return Array.from({ length: 17 }, (_, at) => at / 16).flatMap((t) => {
    const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3]
    return [a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3]
  })
}

function pairsOf(flat: readonly number[]): [number, number][] {
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at] ?? 0, flat[2 * at + 1] ?? 0])
}

/** A regular polygon with a corner at the top. */
const regular = (count: number) => star(count, 1)

/** A star with alternating radii of 1 and `inner`; a regular polygon for an inner radius of 1. */
function star(count: number, inner: number): number[] {
  const corners = inner === 1 ? count : 2 * count
  return Array.from({ length: corners }, (_, at) => {
    const angle = (at * 2 * Math.PI) / corners
    const radius = at % 2 === 0 ? 1 : inner
    return [radius * Math.sin(angle), -radius * Math.cos(angle)]
  }).flat()
}

const innerRadius = Math.cos((72 * Math.PI) / 180) / Math.cos((36 * Math.PI) / 180)
const octagon = 1 / (1 + Math.SQRT2)
const cutCorner = 0.6072

type PolygonShape = Exclude<
  MarkerShape,
  | 'circle'
  | 'semi_circle'
  | 'third_circle'
  | 'quarter_circle'
  | 'half_arc'
  | 'third_arc'
  | 'quarter_arc'
  | 'rounded_square'
  | 'heart'
  | 'cross'
  | 'cross2'
  | 'line'
  | 'arrowhead'
>

const cutSquare = (cut: number) => [-cut, -1, cut, -1, 1, -cut, 1, cut, cut, 1, -cut, 1, -1, cut, -1, -cut]

/** Corners of the shapes without curves. */
const polygons: Readonly<Record<PolygonShape, number[]>> = {
  square: [-1, -1, 1, -1, 1, 1, -1, 1],
  trapezoid: [0.5, -0.5, 1, 0.5, -1, 0.5, -0.5, -0.5],
  parallelogram_right: [0.5, 0.5, 1, -0.5, -0.5, -0.5, -1, 0.5],
  parallelogram_left: [1, 0.5, 0.5, -0.5, -1, -0.5, -0.5, 0.5],
  square_with_corners: cutSquare(cutCorner),
  diamond: [-1, 0, 0, -1, 1, 0, 0, 1],
  shield: [1, 0.5, 1, -1, -1, -1, -1, 0.5, 0, 1],
  pentagon: regular(5),
  hexagon: regular(6),
  octagon: cutSquare(octagon),
  decagon: regular(10),
  triangle: [-1, 1, 1, 1, 0, -1],
  equilateral_triangle: regular(3),
  star_diamond: star(4, innerRadius),
  star: star(5, innerRadius),
  arrow: [0, -1, 0.5, -0.5, 0.25, -0.5, 0.25, 1, -0.25, 1, -0.25, -0.5, -0.5, -0.5],
  cross_fill: plus(0.2),
  filled_arrowhead: [0, 0, -1, 1, -1, -1],
  quarter_square: [-1, -1, 0, -1, 0, 0, -1, 0],
  half_square: [-1, -1, 0, -1, 0, 1, -1, 1],
  diagonal_half_square: [-1, -1, 1, 1, -1, 1],
  right_half_triangle: [-1, 1, 0, 1, 0, -1],
  left_half_triangle: [0, 1, 1, 1, 0, -1],
  asterisk_fill: asterisk(0.15),
}

function plus(half: number): number[] {
  const a = half
  return [-1, -a, -1, a, -a, a, -a, 1, a, 1, a, a, 1, a, 1, -a, a, -a, a, -1, -a, -1, -a, -a]
}

/** Eight arms of the same width and length. */
function asterisk(half: number): number[] {
  const meet = half * (1 + Math.SQRT2)
  const arm = [-half, -1, half, -1, half, -meet]
  return Array.from({ length: 8 }, (_, at) => turn(arm, (at * Math.PI) / 4)).flat()
}

/** Rotates positions clockwise by an angle in radians. */
function turn(flat: readonly number[], angle: number): number[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return pairsOf(flat).flatMap(([x, y]) => [x * cos - y * sin, x * sin + y * cos])
}
