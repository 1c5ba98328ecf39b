import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { mercatorHalfWorld } from '../../geo/mercator.ts'
import { createBindings } from '../../store/feature/feature_sql.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { findSearchArea } from '../vector_tile/search_area.ts'
import type { SearchArea, TileGrid } from '../vector_tile/tile_grid.ts'

/** Reference system of an image. */
export interface FrameSystem {
  /** EPSG code. */
  readonly srs: number
  /** Length of a unit in metres; of a degree, on the equator. */
  readonly metresPerUnit: number
  /** Whether coordinates are longitude and latitude. */
  readonly isGeographic: boolean
  /** Units after which the world is repeated to the east and west; undefined if it is not. */
  readonly worldWidth?: number
}

/** Equatorial radius in metres, by which an angle becomes a length. @see OGC 06-042 clause 7.2.4.6.9 */
const radius = 6_378_137

/**
 * Finds a reference system of images; undefined if the database does not know it, or if it is neither geographic nor
 * projected.
 */
export async function findFrameSystem(database: Queryable, srs: number): Promise<FrameSystem | undefined> {
  const [row] = await database.query<{ wkt: string }>(
    "select srtext as wkt from spatial_ref_sys where auth_name = 'EPSG' and auth_srid = $1::int and srid = auth_srid",
    [srs],
  )
  const kind = /^(GEOGCS|PROJCS)\[/.exec(row?.wkt ?? '')?.[1]
  // The unit of a projected system follows that of its geographic system.
  const unit = Number([...(row?.wkt ?? '').matchAll(/UNIT\["[^"]*",([-\d.eE+]+)/g)].at(-1)?.[1])
  if (kind === undefined || !(unit > 0)) return undefined
  const isGeographic = kind === 'GEOGCS'
  if (!isGeographic) return { srs, metresPerUnit: unit, isGeographic }
  // A full turn is 360 degrees or 400 gradians, and the unit is rounded.
  return { srs, metresPerUnit: unit * radius, isGeographic, worldWidth: Math.round((2 * Math.PI) / unit) }
}

/** Positions along each side of the image whose coordinates are computed; an even number avoids the centre, often a pole. */
const samples = 16

/** Margin of the area, as a fraction of its size: the image may extend beyond the sampled positions. */
const marginPart = 1 / 8

/** Upper bound of the shift between geographic reference systems, in degrees. */
const maxShift = 0.01

/**
 * Finds the area of an image in the reference system of a layer; undefined if both are the same. Without a box, the image
 * extends beyond the reference system of the layer.
 */
export async function findFrameArea(
  database: Queryable,
  layer: Layer,
  { box, srs }: Pick<TileGrid, 'box' | 'srs'>,
): Promise<SearchArea | undefined> {
  if (srs === undefined) return findSearchArea(database, layer, { box })
  if (srs === layer.srs) return undefined
  const degrees = await findDegrees(database, [layer.srs, srs])
  const [isDegrees, isFrameDegrees] = [degrees.has(layer.srs), degrees.has(srs)]
  if (isDegrees && isFrameDegrees) return { box: expandBbox(box, maxShift), isDegrees }
  const sampled = isFrameDegrees ? clampDegrees(box) : box
  const found = await sampleBox(database, sampled, { from: srs, to: layer.srs })
  return { box: found && placeBox(found, { srs: layer.srs, isDegrees }), isDegrees }
}

/** Returns the geographic ones of some reference systems. */
async function findDegrees(database: Queryable, codes: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await database.query<{ srid: number }>(
    "select srid from spatial_ref_sys where srid = any($1::int[]) and proj4text like '%+proj=longlat%'",
    [codes],
  )
  return new Set(rows.map(({ srid }) => srid))
}

/** Latitude up to which projections have coordinates. */
const maxLatitude = 89.99

function clampDegrees([west, south, east, north]: Bbox): Bbox {
  const clamp = (value: number, limit: number) => Math.max(-limit, Math.min(limit, value))
  return [clamp(west, 180), clamp(south, maxLatitude), clamp(east, 180), clamp(north, maxLatitude)]
}

/** Adds a margin to a sampled box; half the world becomes the whole, since it may cross the antimeridian. */
function placeBox(
  found: Bbox,
  { srs, isDegrees }: { readonly srs: number; readonly isDegrees: boolean },
): Bbox {
  const [west, south, east, north] = expandBbox(
    found,
    Math.max(found[2] - found[0], found[3] - found[1]) * marginPart + (isDegrees ? maxShift : 0),
  )
  const edge = mercatorHalfWorld
  // Beyond the antimeridian, longitudes would continue on the other side of the image.
  if (srs === 3857) return [Math.max(west, -edge), south, Math.min(east, edge), north]
  if (!isDegrees) return [west, south, east, north]
  const isHalf = found[2] - found[0] > 180
  return [isHalf ? -180 : west, Math.max(south, -90), isHalf ? 180 : east, Math.min(north, 90)]
}

interface Systems {
  readonly from: number
  readonly to: number
}

async function sampleBox(
  database: Queryable,
  [minX, minY, maxX, maxY]: Bbox,
  { from, to }: Systems,
): Promise<Bbox | undefined> {
  const bindings = createBindings()
  const bind = (value: number) => bindings.bind(value, 'float8')
  const x = `${bind(minX)} + i * ${bind((maxX - minX) / (samples - 1))}`
  const y = `${bind(minY)} + j * ${bind((maxY - minY) / (samples - 1))}`
  const isNumber = (value: string) => `${value} > '-infinity' and ${value} < 'infinity'`
  const text = `select min(ST_X(p)) as a, min(ST_Y(p)) as b, max(ST_X(p)) as c, max(ST_Y(p)) as d
    from (select ST_Transform(ST_SetSRID(ST_MakePoint(${x}, ${y}), ${Math.trunc(from)}), ${Math.trunc(to)}) as p
      from generate_series(0, ${samples - 1}) as i, generate_series(0, ${samples - 1}) as j offset 0) moved
    where ${isNumber('ST_X(p)')} and ${isNumber('ST_Y(p)')}`
  try {
    const [row] = await database.query<Record<'a' | 'b' | 'c' | 'd', number | null>>(text, bindings.values)
    const { a = null, b = null, c = null, d = null } = row ?? {}
    return a === null || b === null || c === null || d === null ? undefined : [a, b, c, d]
  } catch (error) {
    // The image extends beyond one of the reference systems.
    if (isProblem(error) && error.data.sqlstate === 'XX000') return undefined
    throw error
  }
}
