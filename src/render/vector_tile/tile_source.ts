import { geometryParts } from '../../contract/geometry.ts'
import { quoteName } from '../../core/sql_quote.ts'
import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { lonLatBbox, mercatorHalfWorld, mercatorMaxLatitude } from '../../geo/mercator.ts'
import type { Bindings } from '../../store/feature/feature_sql.ts'
import { featuresSql, idType } from '../../store/feature/feature_table.ts'
import type { Layer, LayerField } from '../../store/layer/stored_layer.ts'
import { clipSql, simplifySql } from './bounded_sql.ts'
import type { TileKey, TileValueKind } from './encode_mvt.ts'
import { rowBits, type TileGrid } from './tile_grid.ts'

/** A layer of which some features are drawn. */
export interface FilteredLayer extends Layer {
  /** Returns SQL that is true for the features to draw; absent for all. */
  readonly filter?: ((bindings: Bindings) => string) | undefined
  /** Whether the filter is that of many tiles, as that of a style is, so that its statement is prepared. @default false */
  readonly isFilterRecurring?: boolean
  /** Ids of the features to draw, of those that the filter finds; absent for all. */
  readonly ids?: ReadonlySet<number> | undefined
}

/** SQL of the features of a tile. */
export interface TileSource {
  /**
   * `from` item: rows `t` with the columns of the layer, its geometry in the reference system of the grid as `g`, and, named by `derivedColumns`,
   * the position of points in units or the box of other geometries.
   */
  readonly from: string
  /** True for points and geometries smaller than a cell. */
  readonly isSmall: string
  /** Number of the cell of a small geometry. */
  readonly cell: string
}

const mercator = 3857

/** Names of derived columns, which no column of a layer has. */
export const derivedColumns = { column: '"tile column"', row: '"tile row"', box: '"tile box"' } as const

/** SQL of the longer side of a geometry's box. */
export const sizeSql = (({ box }) =>
  `greatest(ST_XMax(${box}) - ST_XMin(${box}), ST_YMax(${box}) - ST_YMin(${box}))`)(derivedColumns)

/** The area of EPSG:3857 with a margin, in degrees. */
const world = expandBbox([-1000, -mercatorMaxLatitude, 1000, mercatorMaxLatitude], 1)

/** Returns the SQL of the features of a tile. */
export function tileSource(layer: FilteredLayer, grid: TileGrid, bindings: Bindings): TileSource {
  return {
    from: fromSql(layer, grid, bindings),
    isSmall: isPointLayer(layer) ? 'true' : `${sizeSql} < ${bindings.bind(grid.cell, 'float8')}`,
    cell: grid.cellUnits > 0 ? cellSql(layer, grid, bindings) : 'null::int',
  }
}

function cellSql(layer: Layer, grid: TileGrid, bindings: Bindings): string {
  const [x, y] = isPointLayer(layer) ? [derivedColumns.column, derivedColumns.row] : centreSql(grid, bindings)
  const side = isPointLayer(layer) ? grid.pointCellUnits : grid.cellUnits
  const index = (units: string) => `(${units} + ${grid.cellOffset}) / ${side}`
  return `((${index(x)}) << ${rowBits}) | (${index(y)})`
}

/** Returns SQL of the number of the cell that column `cell` belongs to after cells were merged a number of times. */
export function mergedCellSql(merges: number): string {
  return `(cell >> ${rowBits + merges} << ${rowBits}) | ((cell & ${2 ** rowBits - 1}) >> ${merges})`
}

/** Returns SQL of the centre of a geometry's box, in units. */
function centreSql(grid: TileGrid, bindings: Bindings): [x: string, y: string] {
  const { box } = derivedColumns
  const x = `((ST_XMin(${box}) + ST_XMax(${box})) / 2)`
  const y = `((ST_YMin(${box}) + ST_YMax(${box})) / 2)`
  return [columnSql(x, grid, bindings), rowSql(y, grid, bindings)]
}

/** Returns whether the features of a layer are single points. */
export function isPointLayer({ geometryType }: Layer): boolean {
  const { family, isMulti } = geometryParts(geometryType)
  return family === 'POINT' && !isMulti
}

/** Tolerance that assigns positions on the line between two units to the second, despite rounding errors. */
const tolerance = 1e-6

/** Returns SQL of the column of a position: whole units from the left edge of the tile. */
export function columnSql(x: string, { tile, scale }: TileGrid, bindings: Bindings): string {
  const [left, factor] = [tile[0], scale].map((value) => bindings.bind(value, 'float8'))
  return `floor((${x} - ${left}) * ${factor} + ${tolerance})::int`
}

/** Returns SQL of the row of a position: whole units from the top edge of the tile. */
export function rowSql(y: string, { tile, scale }: TileGrid, bindings: Bindings): string {
  const [top, factor] = [tile[3], scale].map((value) => bindings.bind(value, 'float8'))
  return `floor((${top} - ${y}) * ${factor} + ${tolerance})::int`
}

/** Returns SQL of a box, as PostGIS geometry. */
export function boxSql(box: Bbox, srs: number, bindings: Bindings): string {
  return `ST_MakeEnvelope(${box.map((edge) => bindings.bind(edge, 'float8')).join(', ')}, ${srs})`
}

/** Returns the SQL of the rows of a source alone. Position and size are used several times: `offset 0` keeps the planner from computing them each time. */
export function fromSql(layer: FilteredLayer, grid: TileGrid, bindings: Bindings): string {
  const place = isPointLayer(layer)
    ? `${columnSql('ST_X(g)', grid, bindings)} as ${derivedColumns.column}, ${rowSql('ST_Y(g)', grid, bindings)} as ${derivedColumns.row}`
    : `box2d(g) as ${derivedColumns.box}`
  return `(select *, ${place} from ${nearSql(layer, grid, bindings)} near offset 0) t`
}

/** Tells whether the statement of a layer recurs, and is worth its own plan. */
export function isRecurring({ filter, isFilterRecurring = false }: FilteredLayer): boolean {
  return filter === undefined || isFilterRecurring
}

/** Returns SQL of the features near a tile, with their geometry in the reference system of the grid as `g`. */
export function nearSql(layer: FilteredLayer, grid: TileGrid, bindings: Bindings): string {
  const { srs } = layer
  const target = grid.srs ?? mercator
  if (srs !== target && target !== mercator) return movedSql(layer, { ...grid, srs: target }, bindings)
  const features = filteredSql(layer, bindings)
  if (srs === target)
    return `(select *, geom as g from ${features} where geom && ${boxSql(grid.box, srs, bindings)})`
  const { boxes, isDegrees } = grid.searchArea ?? { boxes: [lonLatBbox(grid.box)], isDegrees: true }
  // Clips to the area of EPSG:3857, which has no place for the rest: a geometry that cannot be clipped is left out. `offset 0` keeps the planner from transforming each geometry several times.
  const inside = isDegrees
    ? `case when abs(ST_YMin(box2d(geom))) > ${world[3]} or abs(ST_YMax(box2d(geom))) > ${world[3]}
       then ${clipSql('geom', boxSql(world, srs, bindings), 'null')} else geom end`
    : 'geom'
  const near = nearBoxesSql(boxes?.map((box) => boxSql(box, srs, bindings)))
  const moved = `(select *, ST_Transform(${inside}, ${mercator}) as g from ${features} where ${near} offset 0)`
  // The box in another reference system covers more than the tile.
  return grid.searchArea === undefined
    ? moved
    : `(select * from ${moved} moved where g && ${boxSql(grid.box, mercator, bindings)} offset 0)`
}

function filteredSql(layer: FilteredLayer, bindings: Bindings): string {
  const features = featuresSql(layer)
  const { filter, ids } = layer
  // `offset 0` keeps the planner from reading all features of the box instead.
  if (ids)
    return `(select * from ${features} where id = any(${bindings.bind([...ids], `${idType(layer)}[]`)}) offset 0) chosen`
  return filter ? `(select * from ${features} where ${filter(bindings)}) filtered` : features
}

/** Returns the features of an image in a reference system other than EPSG:3857 and that of the layer. */
function movedSql(
  layer: FilteredLayer,
  grid: TileGrid & { readonly srs: number },
  bindings: Bindings,
): string {
  const { boxes, isClipped = false } = grid.searchArea ?? {}
  const areas = boxes?.map((box) => boxSql(box, layer.srs, bindings))
  // Far away from the image, positions may have no coordinates in its reference system: what cannot be clipped is left out.
  const inside =
    areas && isClipped && !isPointLayer(layer)
      ? `case when ${areas.map((area) => `geom @ ${area}`).join(' or ')} then geom else ${clipToBoxesSql(layer, areas)} end`
      : 'geom'
  const moved = `(select *, ST_Transform(${inside}, ${grid.srs}) as g from ${filteredSql(layer, bindings)} where ${nearBoxesSql(areas)} offset 0)`
  return `(select * from ${moved} moved where g && ${boxSql(grid.box, grid.srs, bindings)} offset 0)`
}

/** Returns SQL that is true for geometries near one of some boxes. */
function nearBoxesSql(areas: readonly string[] | undefined): string {
  return areas === undefined ? 'geom is not null' : `(${areas.map((area) => `geom && ${area}`).join(' or ')})`
}

/** Returns SQL of the parts of a geometry in some boxes, without those that cannot be clipped. */
function clipToBoxesSql({ geometryType }: Layer, areas: readonly string[]): string {
  const parts = areas.map((area) => clipSql('geom', area, 'null'))
  if (parts.length === 1) return parts.join()
  const kind = { POINT: 1, LINESTRING: 2, POLYGON: 3 }[geometryParts(geometryType).family]
  // A collection of collections has no place in TWKB of one kind.
  return `ST_CollectionExtract(ST_Collect(${parts.join(', ')}), ${kind})`
}

const kinds: Readonly<Record<LayerField['datatype'], TileValueKind>> = {
  INTEGER: 'integer',
  BIGINT: 'integer',
  REAL: 'real',
  STRING: 'text',
  DATE: 'text',
  TIME: 'text',
  DATETIME: 'text',
}

/** Returns the tile attributes for the fields of a layer. */
export function tileKeys(fields: readonly LayerField[]): TileKey[] {
  return fields.map(({ keyname, datatype }) => ({ name: keyname, kind: kinds[datatype] }))
}

/** Returns SQL of the values of table `t` as columns `a0`, `a1`, …, each with a leading comma. */
export function attributeSql(fields: readonly LayerField[]): string {
  // The comment makes the prepared statement a new one when the type of a field changes.
  return fields.map((field, at) => `, ${valueSql(field)} as a${at} /* ${field.datatype} */`).join('')
}

/** Returns the values of a row for a tile: integers beyond 2^53 as strings. */
export function attributeValues(
  fields: readonly LayerField[],
  row: Readonly<Record<string, unknown>>,
): (number | string | null)[] {
  return fields.map((field, at) => attributeValue(field, row[`a${at}`]))
}

/** Returns a value of a field for a tile: an integer beyond 2^53 as a string. */
export function attributeValue({ datatype }: LayerField, value: unknown): number | string | null {
  if (value === null || value === undefined) return null
  if (datatype !== 'BIGINT') return typeof value === 'number' ? value : String(value)
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** Returns SQL of the value of a field of table `t`, as tiles contain it: dates and times as strings. */
export function valueSql({ columnName, datatype }: LayerField): string {
  const column = `t.${quoteName(columnName)}`
  if (datatype === 'DATE') return `to_char(${column}, 'YYYY-MM-DD')`
  if (datatype === 'DATETIME') return `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS')`
  return datatype === 'TIME' ? `${column}::text` : column
}

/**
 * Geometries above this size are clipped to the surroundings of the tile before they are simplified. Smaller ones are
 * not, because fast clipping of self-intersecting rings fills wrong areas.
 */
const clipThresholdBytes = 512 * 1024

/** The layer and tile that geometries are selected for. */
export interface GeometryTarget {
  readonly layer: Layer
  readonly grid: TileGrid
  readonly bindings: Bindings
  /** Whether the database clips large geometries, which may fail for invalid ones. */
  readonly clips: boolean
}

/** Returns SQL that is true for geometries that are not clipped to the tile. */
export function completeSql({ clips }: GeometryTarget): string {
  return clips ? `ST_MemSize(g) <= ${clipThresholdBytes}` : 'true'
}

/** Returns SQL of the geometry `g` as TWKB, simplified, in units from the top left corner of the world. */
export function largeGeometrySql(target: GeometryTarget): string {
  const { grid } = target
  const { origin: [left, top] = [-mercatorHalfWorld, mercatorHalfWorld] } = grid
  const units = unitsSql(simplifiedSql(target), [left, top], target)
  return `ST_AsTWKB(${grid.cell === 0 ? distinctSql(units, target) : units}, 0)`
}

/**
 * Returns SQL of a large geometry in units without positions that are repeated once they are rounded: TWKB leaves them out, too, but
 * takes ten times as long. Geometries of less than two units stay, since they might vanish.
 */
function distinctSql(units: string, { grid, bindings }: GeometryTarget): string {
  const isLarge = `ST_MemSize(g) > ${clipThresholdBytes} and ${sizeSql} >= ${bindings.bind(2 / grid.scale, 'float8')}`
  return `case when ${isLarge} then ST_SnapToGrid(${units}, 1) else ${units} end`
}

/** Returns SQL of a geometry in units from a top left corner. */
export function unitsSql(
  geometry: string,
  [left, top]: readonly [left: number, top: number],
  { grid, bindings }: Pick<GeometryTarget, 'grid' | 'bindings'>,
): string {
  const numbers = [-left, -top, grid.scale, -grid.scale]
  return `ST_TransScale(${[geometry, ...numbers.map((value) => bindings.bind(value, 'float8'))].join(', ')})`
}

/**
 * Returns SQL of the geometry `g`, simplified and without Z. It may extend beyond the tile: simplifying precedes clipping,
 * so that geometries match at the edges of adjacent tiles.
 */
export function simplifiedSql(target: GeometryTarget): string {
  const { layer, grid, bindings, clips } = target
  const { wide, cell, srs = mercator, keepsVertices = false } = grid
  const plain = geometryParts(layer.geometryType).hasZ ? 'ST_Force2D(g)' : 'g'
  // Binds the box only where it is used: PostgreSQL refuses parameters without a type.
  const clip = () => clipSql(plain, boxSql(wide, srs, bindings), 'whole')
  const near = clips ? `case when ${completeSql(target)} then ${plain} else ${clip()} end` : plain
  if (cell === 0) return near
  const tolerance = toleranceSql(target)
  return keepsVertices ? `ST_RemoveRepeatedPoints(${near}, ${tolerance})` : simplifySql(near, tolerance)
}

/**
 * Returns SQL of the tolerance of simplification. Polygons have the same one, whatever their size, so that neighbours have the same
 * border.
 */
function toleranceSql({ layer, grid, bindings }: GeometryTarget): string {
  const { cell, tolerance: least = cell, largeLineTolerance = least, keepsVertices = false } = grid
  const isCoarser = largeLineTolerance > least && geometryParts(layer.geometryType).family === 'LINESTRING'
  // Binds each tolerance only where it is used: PostgreSQL refuses parameters without a type.
  if (isCoarser && keepsVertices) return bindings.bind(largeLineTolerance, 'float8')
  const tolerance = bindings.bind(least, 'float8')
  if (!isCoarser) return tolerance
  const large = bindings.bind(largeLineTolerance, 'float8')
  return `case when ST_MemSize(g) > ${clipThresholdBytes} then ${large} else ${tolerance} end`
}

/** Returns SQL of a small geometry as its box in units, at least one unit wide and high, so that it stays visible; or as its cell. */
export function smallGeometrySql(target: GeometryTarget): string {
  const { layer, grid, bindings } = target
  if (grid.fillsCells && geometryParts(layer.geometryType).family === 'POLYGON') return cellSquareSql(target)
  const { box } = derivedColumns
  const x0 = columnSql(`ST_XMin(${box})`, grid, bindings)
  const y0 = rowSql(`ST_YMax(${box})`, grid, bindings)
  const corner = `ST_MakePoint(${x0}, ${y0})`
  const { family } = geometryParts(layer.geometryType)
  // Binds the other corner only where it is used: PostgreSQL refuses parameters without a type.
  if (family === 'POINT') return corner
  const x1 = `${columnSql(`ST_XMax(${box})`, grid, bindings)} + 1`
  const y1 = `${rowSql(`ST_YMin(${box})`, grid, bindings)} + 1`
  return family === 'POLYGON'
    ? `ST_MakeEnvelope(${x0}, ${y0}, ${x1}, ${y1})`
    : `ST_MakeLine(${corner}, ST_MakePoint(${x1}, ${y1}))`
}

/** Returns SQL of the square of the cell in which a small geometry is thinned. */
function cellSquareSql({ grid, bindings }: GeometryTarget): string {
  const { cellUnits: side, cellOffset } = grid
  const [left, top] = centreSql(grid, bindings).map(
    (units) => `((${units} + ${cellOffset}) / ${side} * ${side} - ${cellOffset})`,
  )
  return `ST_MakeEnvelope(${left}, ${top}, ${left} + ${side}, ${top} + ${side})`
}
