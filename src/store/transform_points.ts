import { isProblem } from '../core/problem.ts'
import type { Queryable } from '../database/database.ts'
import { lonLatOfMercator, unclampedMercatorOfLonLat } from '../geo/mercator.ts'

/** Reference systems of positions, as EPSG codes. */
export interface PointTransform {
  readonly from: number
  readonly to: number
}

/**
 * Transforms positions, x first, to another reference system; undefined if a position cannot be transformed.
 *
 * @param points x and y of each position
 */
export async function transformPoints(
  tx: Queryable,
  points: Float64Array,
  { from, to }: PointTransform,
): Promise<Float64Array | undefined> {
  if (from === to) return points
  if (from === 3857 && to === 4326) return eachPoint(points, lonLatOfMercator)
  if (from === 4326 && to === 3857 && isInside(points)) return eachPoint(points, unclampedMercatorOfLonLat)
  const [xs, ys] = [0, 1].map((axis) => Array.from(points.filter((_, at) => at % 2 === axis)))
  try {
    const rows = await tx.query<{ x: number; y: number }>(
      `select ST_X(p) as x, ST_Y(p) as y
         from unnest($1::float8[], $2::float8[]) with ordinality as given (x, y, place),
              lateral (select ST_Transform(ST_SetSRID(ST_MakePoint(given.x, given.y), $3::int), $4::int) as p) as moved
        order by place`,
      [xs, ys, from, to],
    )
    return Float64Array.from(rows.flatMap(({ x, y }) => [x, y]))
  } catch (error) {
    if (isProjectionError(error)) return undefined
    throw error
  }
}

/** Maximum number of statements that look for positions without coordinates. */
const maxStatements = 64

/** Transforms positions as `transformPoints` does; those that cannot be transformed are NaN. */
export async function transformDefinedPoints(
  tx: Queryable,
  points: Float64Array,
  systems: PointTransform,
): Promise<Float64Array> {
  const moved = new Float64Array(points.length).fill(Number.NaN)
  let rest: (readonly [start: number, end: number])[] = [[0, points.length]]
  for (let count = 0; count < maxStatements && rest.length > 0; count += 1) {
    const [[start, end] = [0, 0], ...others] = rest
    const found = await transformPoints(tx, points.subarray(start, end), systems)
    if (found !== undefined) moved.set(found, start)
    const middle = start + 2 * Math.floor((end - start) / 4)
    const isDivided = found === undefined && middle > start
    // The largest parts come first.
    rest = isDivided ? [...others, [start, middle], [middle, end]] : others
  }
  return moved.map((value) => (Number.isFinite(value) ? value : Number.NaN))
}

/** Reports whether positions in degrees have coordinates in EPSG:3857. */
function isInside(points: Float64Array): boolean {
  return points.every((value, at) => at % 2 === 0 || Math.abs(value) < 90)
}

function eachPoint(
  points: Float64Array,
  move: (x: number, y: number) => readonly [number, number],
): Float64Array {
  const moved = new Float64Array(points.length)
  for (let at = 0; at < points.length; at += 2) moved.set(move(points[at] ?? 0, points[at + 1] ?? 0), at)
  return moved
}

/** PostGIS reports positions outside of a reference system as internal errors. */
function isProjectionError(error: unknown): boolean {
  return isProblem(error, 'database/query') && error.data.sqlstate === 'XX000'
}
