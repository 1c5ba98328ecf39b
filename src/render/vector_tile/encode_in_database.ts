import { type GeometryFamily, geometryParts } from '../../contract/geometry.ts'
import { tileLimits } from '../../contract/limits.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'
import { type Bindings, createBindings, type Statement } from '../../store/feature/feature_sql.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { type Importance, rankSql } from './importance.ts'
import { isAtWorldEdge, type TileGrid } from './tile_grid.ts'
import {
  boxSql,
  derivedColumns,
  isPointLayer,
  simplifiedSql,
  smallGeometrySql,
  type TileSource,
  tileSource,
  unitsSql,
  valueSql,
} from './tile_source.ts'

/** A layer of a tile for the database to encode. */
export interface DatabaseTile {
  readonly layer: Layer
  readonly grid: TileGrid
  /** Name of the layer in the tile. */
  readonly name: string
  /** Units along a side. */
  readonly extent: number
  readonly limitBytes: number
  readonly importance?: Importance | undefined
  /** The features to encode; by default those of the tile, without those that are thinned away. */
  readonly ids?: ReadonlySet<number> | undefined
}

/** Columns of the encoded rows that are not attributes. */
const idColumn = 'tile id'
const geometryColumn = 'tile geometry'

/** Maximum bytes of a column name of PostgreSQL, which is the name of an attribute. */
const maxNameBytes = 63

/** Maximum number of attributes: PostgreSQL's limit of columns is 1664. */
const maxFields = 1600

/** Largest integer that every reader of tiles represents. */
const maxInteger = Number.MAX_SAFE_INTEGER

/** Bytes from which a geometry is better simplified once, and cached, than by the database for each tile. */
const maxGeometryBytes = 16 * 1024

/** What the database made of a layer. */
export interface DatabaseEncoding {
  /** Undefined if the layer has to be encoded here. */
  readonly bytes: Uint8Array | undefined
  /** Whether there are more features than the limit. */
  readonly isDense: boolean
}

/**
 * Encodes a layer of a tile with ST_AsMVT, in one statement. The result has the features, attributes and, within one unit,
 * the geometries that `encodeTileLayer` writes. Where it would not, there is none: for integers beyond 2^53, if there are
 * more features or bytes than the limits, and for large geometries.
 */
export async function encodeInDatabase(database: Queryable, tile: DatabaseTile): Promise<DatabaseEncoding> {
  const { text, values } = encodingStatement(tile)
  const [row] = await database.query<EncodedRow>(text, values, { prepared: true })
  return { bytes: row?.tile ?? undefined, isDense: row?.dense === true }
}

interface EncodedRow {
  readonly tile: Uint8Array | null
  readonly dense: boolean
}

/**
 * Returns whether the database can encode a layer: names of attributes are column names, and outlines of polygons along
 * the edge of the world are hidden here.
 */
export function isEncodable({ fields, geometryType }: Layer, grid: TileGrid): boolean {
  if (geometryParts(geometryType).family === 'POLYGON' && isAtWorldEdge(grid)) return false
  return fields.length <= maxFields && fields.every(({ keyname }) => isColumnName(keyname))
}

const isColumnName = (name: string) =>
  name !== '' && name !== idColumn && name !== geometryColumn && Buffer.byteLength(name) <= maxNameBytes

interface EncodingParts {
  readonly source: TileSource
  readonly bindings: Bindings
}

function encodingStatement(tile: DatabaseTile): Statement {
  const { layer, grid, name, extent, limitBytes, ids } = tile
  const bindings = createBindings()
  const source = tileSource({ ...layer, ids }, grid, bindings)
  const parts = { source, bindings }
  const kept = grid.cellUnits === 0 || ids !== undefined ? '' : `where ${keptSql(tile, source)}`
  const attributes = layer.fields.map(
    // The comment makes the prepared statement a new one when the type of a field changes.
    (field) => `, ${valueSql(field)} as ${quoteName(field.keyname)} /* ${field.datatype} */`,
  )
  const [id, geometry] = [idColumn, geometryColumn].map(quoteName)
  // Features without an id do not fit; those without a geometry are left out, but not those with an empty one.
  const rows = `select case when fits then t.id end as ${id},
      case when not ST_IsEmpty(drawn) then drawn end as ${geometry} ${attributes.join('')}
    from (select *, case when fits then ${geometrySql(tile, parts)} end as drawn
      from (select *, ${fitsSql(layer)} as fits
        from (select * from (select * from ${source.from} ${kept} limit ${tileLimits.small + 1}) few order by id) near) fitting offset 0) t`
  const [layerName, units] = [bindings.bind(name, 'text'), bindings.bind(extent, 'int')]
  const text = `select case when fits and length(tile) <= ${bindings.bind(limitBytes, 'int')} then tile end as tile, dense
    from (select ST_AsMVT(f, ${layerName}, ${units}, '${geometryColumn}', '${idColumn}') as tile,
        coalesce(bool_and(f.${id} is not null), true) as fits,
        count(*) > ${tileLimits.small} as dense from (${rows}) f) encoded`
  return { text, values: bindings.values }
}

/** Returns SQL that is true for features that are not thinned away: large ones, and the most important one of each cell. */
function keptSql({ layer, importance }: DatabaseTile, { from, isSmall, cell }: TileSource): string {
  const rank = rankSql(layer, importance)
  const best =
    rank === undefined
      ? `select max(id) from (select id, ${cell} as cell from ${from} offset 0) cells group by cell`
      : `select best[2] from (select max(array[rank, id]) as best from
          (select id, ${cell} as cell, ${rank} as rank from ${from} where ${isSmall} offset 0) cells group by cell) ranked`
  return isPointLayer(layer) ? `id in (${best})` : `(not ${isSmall} or id in (${best}))`
}

/** Returns SQL that is true for all rows if the database can encode them. */
function fitsSql(layer: Layer): string {
  const longFields = layer.fields.filter(({ datatype }) => datatype === 'BIGINT')
  const isTooLong = longFields.map(
    ({ columnName }) => `${quoteName(columnName)} not between ${-maxInteger} and ${maxInteger}`,
  )
  const isLarge = isPointLayer(layer) ? [] : [`ST_MemSize(g) > ${maxGeometryBytes}`]
  const faults = [...isLarge, ...isTooLong].map((fault) => `and bool_or(${fault}) over () is not true`)
  return ['count(*) over () <= ', tileLimits.small, ...faults].join(' ')
}

/** Numbers of geometry families, as ST_CollectionExtract takes them. */
const dimensions: Readonly<Record<GeometryFamily, number>> = { POINT: 1, LINESTRING: 2, POLYGON: 3 }

function geometrySql({ layer, grid, extent }: DatabaseTile, { source, bindings }: EncodingParts): string {
  const { column, row } = derivedColumns
  if (isPointLayer(layer)) return `ST_MakePoint(${column}, ${row})`
  const target = { layer, grid, bindings, clips: false }
  const { family } = geometryParts(layer.geometryType)
  // What is clipped away is an empty collection, which ST_AsMVT refuses.
  const clip = (geometry: string) =>
    `ST_CollectionExtract(ST_ClipByBox2D(${geometry}, ${boxSql(grid.unitBox, 0, bindings)}), ${dimensions[family]})`
  const small = clip(smallGeometrySql(target))
  const simple = simplifiedSql(target)
  if (family === 'LINESTRING') {
    const [left, , , top] = grid.tile
    const line = `ST_SetSRID(ST_SnapToGrid(${unitsSql(simple, [left, top], target)}, 1), 0)`
    // ST_AsMVTGeom removes lines that lead back the same way.
    return `case when ${source.isSmall} then ${small} else ${clip(line)} end`
  }
  const margin = bindings.bind(-grid.unitBox[0], 'int')
  const large = `ST_AsMVTGeom(${simple}, ${boxSql(grid.tile, 3857, bindings)}, ${bindings.bind(extent, 'int')}, ${margin}, true)`
  return `case when ${source.isSmall} then ${family === 'POLYGON' ? `ST_ForcePolygonCCW(${small})` : small} else ${large} end`
}
