import { geometryParts } from '../../contract/geometry.ts'
import type { Queryable, Row } from '../../database/database.ts'
import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { lonLatBbox, mercatorMaxLatitude } from '../../geo/mercator.ts'
import type { Bindings } from '../../store/feature/bindings.ts'
import { featuresSql } from '../../store/feature/feature_table.ts'
import type { Layer, LayerField } from '../../store/layer/stored_layer.ts'
import { rowBits } from './thin_features.ts'
import type { TileGrid } from './tile_grid.ts'

/** Where the features of a tile come from, as SQL. */
export interface TileSource {
  /**
   * What follows `from`: rows `t` with the columns of the layer, `g`, its geometry in EPSG:3857, and of points the
   * units they stand at, of shapes their box, by the names of `places`.
   */
  readonly from: string
  /** Holds for what is a point or smaller than a cell. */
  readonly isSmall: string
  /** Number of the cell that a small one stands in. */
  readonly cell: string
}

const mercator = 3857

/** Names that no column of a layer has. */
export const places = { column: '"tile column"', row: '"tile row"', box: '"tile box"' } as const

/** The part of the world that EPSG:3857 can show and somewhat more, in degrees. */
const world = expandBbox([-1000, -mercatorMaxLatitude, 1000, mercatorMaxLatitude], 1)

/** Gives the SQL of what a tile shows of a layer. */
export function tileSource(layer: Layer, grid: TileGrid, bindings: Bindings): TileSource {
  const { box } = places
  const size = `greatest(ST_XMax(${box}) - ST_XMin(${box}), ST_YMax(${box}) - ST_YMin(${box}))`
  return {
    from: fromSql(layer, grid, bindings),
    isSmall: isPointLayer(layer) ? 'true' : `${size} < ${bindings.bind(grid.cell, 'float8')}`,
    cell: grid.cellUnits > 0 ? cellSql(layer, grid, bindings) : 'null::int',
  }
}

function cellSql(layer: Layer, grid: TileGrid, bindings: Bindings): string {
  const [x, y] = isPointLayer(layer) ? [places.column, places.row] : middleSql(grid, bindings)
  const side = isPointLayer(layer) ? grid.pointCellUnits : grid.cellUnits
  const index = (units: string) => `(${units} + ${grid.away}) / ${side}`
  return `((${index(x)}) << ${rowBits}) | (${index(y)})`
}

/** Gives SQL of the units that the middle of a shape's box stands at. */
function middleSql(grid: TileGrid, bindings: Bindings): [x: string, y: string] {
  const { box } = places
  const x = `((ST_XMin(${box}) + ST_XMax(${box})) / 2)`
  const y = `((ST_YMin(${box}) + ST_YMax(${box})) / 2)`
  return [columnSql(x, grid, bindings), rowSql(y, grid, bindings)]
}

/** Tells whether every feature is one point. */
export function isPointLayer({ geometryType }: Layer): boolean {
  const { family, isMulti } = geometryParts(geometryType)
  return family === 'POINT' && !isMulti
}

/** What stands on the line between two units belongs to the second, whatever the last digit says. */
const onLine = 1e-6

/** Gives SQL of the whole units that a position is right of the tile's left edge. */
export function columnSql(x: string, { tile, scale }: TileGrid, bindings: Bindings): string {
  const [left, factor] = [tile[0], scale].map((value) => bindings.bind(value, 'float8'))
  return `floor((${x} - ${left}) * ${factor} + ${onLine})::int`
}

/** Gives SQL of the whole units that a position is below the tile's upper edge. */
export function rowSql(y: string, { tile, scale }: TileGrid, bindings: Bindings): string {
  const [top, factor] = [tile[3], scale].map((value) => bindings.bind(value, 'float8'))
  return `floor((${top} - ${y}) * ${factor} + ${onLine})::int`
}

/** Gives SQL of a box, as PostGIS geometry. */
export function boxSql(box: Bbox, srs: number, bindings: Bindings): string {
  return `ST_MakeEnvelope(${box.map((edge) => bindings.bind(edge, 'float8')).join(', ')}, ${srs})`
}

// Where a row is, and how large, is asked for many times. The offset keeps it from being found out as often.
function fromSql(layer: Layer, grid: TileGrid, bindings: Bindings): string {
  const place = isPointLayer(layer)
    ? `${columnSql('ST_X(g)', grid, bindings)} as ${places.column}, ${rowSql('ST_Y(g)', grid, bindings)} as ${places.row}`
    : `box2d(g) as ${places.box}`
  return `(select *, ${place} from ${nearSql(layer, grid, bindings)} near offset 0) t`
}

function nearSql(layer: Layer, grid: TileGrid, bindings: Bindings): string {
  const { srs } = layer
  if (srs === mercator)
    return `(select *, geom as g from ${featuresSql(layer)} where geom && ${boxSql(grid.box, srs, bindings)})`
  const { box, isDegrees } = grid.near ?? { box: lonLatBbox(grid.box), isDegrees: true }
  // What lies beyond the square world has no place there. The offset keeps it from being transformed many times.
  const inside = isDegrees
    ? `case when abs(ST_YMin(box2d(geom))) > ${world[3]} or abs(ST_YMax(box2d(geom))) > ${world[3]}
       then ST_ClipByBox2D(geom, ${boxSql(world, srs, bindings)}) else geom end`
    : 'geom'
  const near = box === undefined ? 'geom is not null' : `geom && ${boxSql(box, srs, bindings)}`
  const moved = `(select *, ST_Transform(${inside}, ${mercator}) as g from ${featuresSql(layer)} where ${near} offset 0)`
  // A box of another reference system is wider than the tile.
  return grid.near === undefined
    ? moved
    : `(select * from ${moved} moved where g && ${boxSql(grid.box, mercator, bindings)} offset 0)`
}

/** Names of the columns of whole numbers, which are never null. */
const numbers = ['id', 'x', 'y', 'cell'] as const

/** A statement that gives points: `id`, `x`, `y`, `cell`, and an attribute `a0`, `a1`, … for each field. */
interface PointStatement {
  readonly text: string
  readonly values: readonly unknown[]
  readonly fields: readonly LayerField[]
  readonly prepared: boolean
}

/**
 * Runs a statement that gives some thousand points at most, and gives its rows. They come over as one row of columns,
 * each a single text: that is read several times as fast as rows of ten values.
 */
export async function selectPoints(
  database: Queryable,
  { text, values, fields, prepared }: PointStatement,
): Promise<Row[]> {
  const whole = numbers.map((name) => `'[' || array_to_string(array_agg(${name}), ',') || ']' as ${name}`)
  // Whole numbers beyond 2^53 come as text, or their last digits would be lost.
  const others = fields.map(
    ({ datatype }, at) => `json_agg(a${at}${datatype === 'BIGINT' ? '::text' : ''})::text as a${at}`,
  )
  const packed = `select ${[...whole, ...others].join(', ')} from (${text}) points`
  const [columns = {}] = await database.query<Record<string, string | null>>(packed, values, { prepared })
  return unpack(columns)
}

function unpack(columns: Readonly<Record<string, string | null>>): Row[] {
  const rows: Record<string, unknown>[] = []
  for (const [name, text] of Object.entries(columns)) {
    const list = text === null ? [] : (JSON.parse(text) as unknown[])
    for (const [at, value] of list.entries()) {
      const row = rows[at]
      if (row === undefined) rows.push({ [name]: value })
      else row[name] = value
    }
  }
  return rows
}
