import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { mercatorWorld } from '../../geo/mercator.ts'
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
  const [row] = await database.query<{ wkt: string; proj: string }>(
    "select srtext as wkt, proj4text as proj from spatial_ref_sys where auth_name = 'EPSG' and auth_srid = $1::int and srid = auth_srid",
    [srs],
  )
  // Some projections, such as Equal Earth, have no text in the old form of WKT.
  if (row?.wkt === '') return projectedByProj(srs, row.proj)
  const kind = /^(GEOGCS|PROJCS)\[/.exec(row?.wkt ?? '')?.[1]
  // The unit of a projected system follows that of its geographic system.
  const unit = Number([...(row?.wkt ?? '').matchAll(/UNIT\["[^"]*",([-\d.eE+]+)/g)].at(-1)?.[1])
  if (kind === undefined || !(unit > 0)) return undefined
  const isGeographic = kind === 'GEOGCS'
  if (!isGeographic) return { srs, metresPerUnit: unit, isGeographic }
  // A full turn is 360 degrees or 400 gradians, and the unit is rounded.
  return { srs, metresPerUnit: unit * radius, isGeographic, worldWidth: Math.round((2 * Math.PI) / unit) }
}

/** Lengths in metres of the units of PROJ that reference systems have. */
const projUnits: Readonly<Record<string, number>> = { m: 1, km: 1000, ft: 0.3048, 'us-ft': 1200 / 3937 }

/** Reads a projected reference system from its definition for PROJ; undefined for others. */
function projectedByProj(srs: number, definition: string): FrameSystem | undefined {
  const partOf = (name: string) => new RegExp(`\\+${name}=(\\S+)`).exec(definition)?.[1]
  const projection = partOf('proj')
  if (projection === undefined || ['longlat', 'latlong', 'geocent'].includes(projection)) return undefined
  const metres = Number(partOf('to_meter') ?? projUnits[partOf('units') ?? 'm'])
  return metres > 0 ? { srs, metresPerUnit: metres, isGeographic: false } : undefined
}

/** Positions along each side of the image whose coordinates are computed; an even number avoids the centre, often a pole. */
const samples = 16

/** Margin of the area, as a fraction of its size: the image may extend beyond the sampled positions. */
const marginPart = 1 / 8

/** Upper bound of the shift between geographic reference systems, in degrees. */
const maxShift = 0.01

/**
 * Finds the area of an image in the reference system of a layer; undefined if both are the same. Without boxes, the image
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
  if (isDegrees && isFrameDegrees) return { boxes: [expandBbox(box, maxShift)], isDegrees }
  const sampled = isFrameDegrees ? clampDegrees(box) : box
  const found = await sampleBox(database, sampled, { from: srs, to: layer.srs })
  return {
    boxes: found && placeBoxes(found, { isDegrees, world: worldWidthOf(layer.srs, isDegrees) }),
    isDegrees,
  }
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

/** Returns the width of the world of a layer; undefined in a reference system that does not wrap around the earth. */
function worldWidthOf(srs: number, isDegrees: boolean): number | undefined {
  if (isDegrees) return 360
  return srs === 3857 ? mercatorWorld : undefined
}

/** The box of sampled positions, and their inner ends on both sides of the prime meridian. */
interface SampledBox {
  readonly box: Bbox
  /** Easternmost x below 0, and westernmost from 0; infinite if there is none. */
  readonly inner: readonly [west: number, east: number]
}

interface SampledWorld {
  readonly isDegrees: boolean
  /** Width of the world; undefined for a reference system that does not wrap around the earth. */
  readonly world: number | undefined
}

/**
 * Adds a margin to a sampled box. Beyond the antimeridian, an image shows the other side of the world: if less than half of the world lies
 * across it, there are two boxes, otherwise degrees are those of the whole world, since a pole may be inside.
 */
function placeBoxes({ box, inner }: SampledBox, place: SampledWorld): readonly Bbox[] {
  const { isDegrees, world = Number.POSITIVE_INFINITY } = place
  const [west, south, east, north] = box
  if (east - west <= world / 2) return [widenBox(box, place)]
  if (inner[1] - inner[0] >= world / 2) {
    const margin = marginOf([inner[1], south, inner[0] + world, north], place)
    return [
      limitBox([inner[1] - margin, south - margin, world / 2 + margin, north + margin], place),
      limitBox([-world / 2 - margin, south - margin, inner[0] + margin, north + margin], place),
    ]
  }
  const [left, bottom, right, top] = widenBox(box, place)
  return [isDegrees ? [-180, bottom, 180, top] : [left, bottom, right, top]]
}

function widenBox(box: Bbox, place: SampledWorld): Bbox {
  return limitBox(expandBbox(box, marginOf(box, place)), place)
}

function marginOf([west, south, east, north]: Bbox, { isDegrees }: SampledWorld): number {
  return Math.max(east - west, north - south) * marginPart + (isDegrees ? maxShift : 0)
}

/** Ends a box where its world ends; degrees may continue beyond the antimeridian. */
function limitBox([west, south, east, north]: Bbox, { isDegrees, world }: SampledWorld): Bbox {
  if (world === undefined) return [west, south, east, north]
  if (isDegrees) return [west, Math.max(south, -90), east, Math.min(north, 90)]
  return [Math.max(west, -world / 2), south, Math.min(east, world / 2), north]
}

interface Systems {
  readonly from: number
  readonly to: number
}

async function sampleBox(
  database: Queryable,
  [minX, minY, maxX, maxY]: Bbox,
  { from, to }: Systems,
): Promise<SampledBox | undefined> {
  const bindings = createBindings()
  const bind = (value: number) => bindings.bind(value, 'float8')
  const x = `${bind(minX)} + i * ${bind((maxX - minX) / (samples - 1))}`
  const y = `${bind(minY)} + j * ${bind((maxY - minY) / (samples - 1))}`
  const isNumber = (value: string) => `${value} > '-infinity' and ${value} < 'infinity'`
  const text = `select min(ST_X(p)) as a, min(ST_Y(p)) as b, max(ST_X(p)) as c, max(ST_Y(p)) as d,
      max(ST_X(p)) filter (where ST_X(p) < 0) as e, min(ST_X(p)) filter (where ST_X(p) >= 0) as f
    from (select ST_Transform(ST_SetSRID(ST_MakePoint(${x}, ${y}), ${Math.trunc(from)}), ${Math.trunc(to)}) as p
      from generate_series(0, ${samples - 1}) as i, generate_series(0, ${samples - 1}) as j offset 0) moved
    where ${isNumber('ST_X(p)')} and ${isNumber('ST_Y(p)')}`
  try {
    const [row] = await database.query<Record<'a' | 'b' | 'c' | 'd' | 'e' | 'f', number | null>>(
      text,
      bindings.values,
    )
    const { a = null, b = null, c = null, d = null, e, f } = row ?? {}
    if (a === null || b === null || c === null || d === null) return undefined
    return { box: [a, b, c, d], inner: [e ?? Number.NEGATIVE_INFINITY, f ?? Number.POSITIVE_INFINITY] }
  } catch (error) {
    // The image extends beyond one of the reference systems.
    if (isProblem(error) && error.data.sqlstate === 'XX000') return undefined
    throw error
  }
}
