import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { createBindings } from '../../store/feature/feature_sql.ts'
import type { LayerField } from '../../store/layer/stored_layer.ts'
import { attributeSql, attributeValues, type FilteredLayer } from '../vector_tile/tile_source.ts'
import type { PointBlock } from './draw_job.ts'
import { findFrameArea } from './frame_system.ts'
import { copiesOf, type ImageFrame, measureImage } from './image_features.ts'
import { type ColumnRow, pointsSql, selectColumns } from './point_rows.ts'

/** Points to read for groups. */
export interface BlockRequest {
  /** Extent of the block; points on its left and lower edge do not belong to it. Its pixels are those of 1/96 inch. */
  readonly frame: ImageFrame
  /** Keynames of the fields to read. */
  readonly fields: readonly string[]
}

/** Maximum number of cells with points, or of the different values in them. */
const maxRows = 500_000

/** Cells of a pixel along each side. Points of one cell that have equal values are not told apart. */
const cellsPerPixel = 2

/**
 * Reads all points of a block: the number of those of each cell and value, and the mean of their positions, in the order of
 * their first ids.
 *
 * @throws {Problem} render/too-large if there are too many different points
 */
export async function readPointBlock(
  database: Queryable,
  layer: FilteredLayer,
  { frame, fields }: BlockRequest,
): Promise<PointBlock> {
  const read = layer.fields.filter(({ keyname }) => fields.includes(keyname))
  const rows: CellRow[] = []
  for (const { box } of copiesOf(frame, measureBlock(frame).box)) {
    const found = await readCells(database, layer, { frame: { ...frame, box }, read })
    for (const row of found) rows.push(row)
  }
  rows.sort((a, b) => a.id - b.id || a.x - b.x || a.y - b.y)
  const values = rows.map((row) => attributeValues(read, row))
  return {
    ids: Float64Array.from(rows, ({ id }) => id),
    positions: Float64Array.from(rows.flatMap((row) => [row.x, row.y])),
    counts: Float64Array.from(rows, ({ n }) => n),
    fields: read.map(({ keyname }) => keyname),
    columns: read.map((_, at) => values.map((row) => row[at] ?? null)),
  }
}

const measureBlock = (frame: ImageFrame) => measureImage(frame, { reach: 1, cell: 1 })

interface CellRequest {
  readonly frame: ImageFrame
  readonly read: readonly LayerField[]
}

/** Reads the cells of a block in one copy of the world. */
async function readCells(
  database: Queryable,
  layer: FilteredLayer,
  { frame, read }: CellRequest,
): Promise<CellRow[]> {
  const grid = measureBlock(frame)
  const searchArea = await findFrameArea(database, layer, grid)
  const bindings = createBindings()
  const [left, bottom, right, top] = frame.box
  const edges = { left, top, width: (right - left) / frame.width, height: (top - bottom) / frame.height }
  const names = Object.fromEntries(
    Object.entries({ ...edges, bottom, right }).map(([name, value]) => [
      name,
      bindings.bind(value, 'float8'),
    ]),
  )
  const [x, y] = [
    `((ST_X(p) - ${names.left}) / ${names.width})`,
    `((${names.top} - ST_Y(p)) / ${names.height})`,
  ]
  const keys = Array.from({ length: read.length + 2 }, (_, at) => at + 5)
  const cell = (position: string) => `floor(${position} * ${cellsPerPixel})::int`
  const text = `select count(*)::float8 as n, min(t.id)::float8 as id, avg(${x}) as x, avg(${y}) as y,
    ${cell(x)} as cx, ${cell(y)} as cy ${attributeSql(read)}
    from ${pointsSql(layer, { ...grid, searchArea }, bindings)}
    where ST_X(p) > ${names.left} and ST_X(p) <= ${names.right} and ST_Y(p) > ${names.bottom} and ST_Y(p) <= ${names.top}
    group by ${keys.join(', ')} order by 2, 3, 4 limit ${maxRows + 1}`
  const rows = await selectColumns<CellRow>(database, text, {
    values: bindings.values,
    names: ['n', 'id', 'x', 'y'],
    read,
  })
  if (rows.length > maxRows)
    throw problem('render/too-large', `Resource id = ${layer.resourceId} has too many points to group.`, {
      resource: layer.resourceId,
      hint: 'Use fewer fields in the style, or a larger scale.',
    })
  return rows
}

interface CellRow extends ColumnRow {
  readonly n: number
  readonly id: number
  readonly x: number
  readonly y: number
}
