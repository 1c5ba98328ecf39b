import type { Queryable } from '../../database/database.ts'
import type { Bindings } from '../../store/feature/feature_sql.ts'
import type { LayerField } from '../../store/layer/stored_layer.ts'
import type { TileGrid } from '../vector_tile/tile_grid.ts'
import { type FilteredLayer, isPointLayer, nearSql } from '../vector_tile/tile_source.ts'

/** Returns SQL of the points of a layer near an image as rows `t` with their position `p`: one for each part of a multipoint. */
export function pointsSql(layer: FilteredLayer, grid: TileGrid, bindings: Bindings): string {
  const near = nearSql(layer, grid, bindings)
  if (isPointLayer(layer)) return `(select *, g as p from ${near} near offset 0) t`
  const [minX, minY, maxX, maxY] = grid.box.map((edge) => bindings.bind(edge, 'float8'))
  // A multipoint may extend far beyond the image.
  return `(select * from (select *, (ST_Dump(g)).geom as p from ${near} near offset 0) parts
    where ST_X(p) between ${minX} and ${maxX} and ST_Y(p) between ${minY} and ${maxY}) t`
}

/** Parameters of a statement, and the columns of its rows. */
export interface RowColumns {
  readonly values: readonly unknown[]
  /** Names of columns of numbers. */
  readonly names: readonly string[]
  /** Fields with columns `a0`, `a1`, … */
  readonly read: readonly LayerField[]
}

/** Values by the names of their columns. */
export type ColumnRow = Readonly<Record<string, unknown>>

/** Reads rows as one array of each column, which is several times as fast. */
export async function selectColumns<R extends ColumnRow>(
  database: Queryable,
  text: string,
  { values, names: numbers, read }: RowColumns,
): Promise<R[]> {
  const names = [...numbers, ...read.map((_, at) => `a${at}`)]
  const columns = names.map((name) => `json_agg(${name})::text as ${name}`)
  const packed = `select ${columns.join(', ')} from (${text}) cells`
  const [row = {}] = await database.query<Record<string, string | null>>(packed, values)
  const lists = names.map((name) => JSON.parse(row[name] ?? '[]') as unknown[])
  return (lists[0] ?? []).map(
    (_, at) => Object.fromEntries(names.map((name, column) => [name, lists[column]?.[at]])) as R,
  )
}
