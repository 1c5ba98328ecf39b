import { problem } from '../../contract/problems.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'
import { mercatorHalfWorld } from '../../geo/mercator.ts'
import { type Bindings, createBindings } from '../../store/feature/feature_sql.ts'
import type { LayerField } from '../../store/layer/stored_layer.ts'
import type { Expression } from '../../style/expression/expression.ts'
import { compileExpression } from '../../style/expression/expression_evaluate.ts'
import { findNumber } from '../../style/expression/expression_value.ts'
import { withExpressionWork } from '../../style/expression/expression_work.ts'
import type { DensityPoints } from '../draw/density.ts'
import type { TileGrid } from '../vector_tile/tile_grid.ts'
import { attributeSql, attributeValues, type FilteredLayer } from '../vector_tile/tile_source.ts'
import { findFrameArea } from './frame_system.ts'
import { copiesOf, type ImageFrame, measureImage } from './image_features.ts'
import { type ColumnRow, pointsSql, selectColumns } from './point_rows.ts'

/** What a heatmap reads. */
export interface DensityRequest {
  readonly frame: ImageFrame
  /** In device pixels. */
  readonly radius: number
  readonly weight?: Expression | undefined
  /** Keynames of the fields of the weight. */
  readonly fields: readonly string[]
}

/** Maximum number of pixels with points, or of their different values. */
const maxRows = 500_000

/**
 * Reads the points of a layer for a heatmap: the sum of their weights in each pixel, without thinning.
 *
 * @throws {Problem} render/too-large if there are too many different points
 */
export async function readDensityPoints(
  database: Queryable,
  layer: FilteredLayer,
  { frame, radius, weight, fields }: DensityRequest,
): Promise<DensityPoints> {
  const measure = (one: ImageFrame) => measureImage(one, { reach: radius + 1, cell: 1 })
  const rows: WeightRow[] = []
  for (const { box } of copiesOf(frame, measure(frame).box)) {
    const grid = measure({ ...frame, box })
    const searchArea = await findFrameArea(database, layer, grid)
    const [left, bottom, right, top] = box
    const side = [(right - left) / frame.width, (top - bottom) / frame.height] as const
    const cells = { corner: [left, top], side } as const
    const found = await sumWeights(database, { layer, grid: { ...grid, searchArea }, cells, weight, fields })
    for (const row of found) rows.push(row)
  }
  return {
    columns: Int32Array.from(rows, ({ x }) => x),
    rows: Int32Array.from(rows, ({ y }) => y),
    weights: Float64Array.from(rows, ({ sum }) => sum),
    radius,
  }
}

/** Parts of the radius that are the side of a cell, to find the highest density of a layer. */
const partsOfRadius = 4

/** Maximum number of cells that are compared: those with the largest weights. */
const maxCells = 20_000

/**
 * Estimates the highest density of a layer at a zoom level, so that all tiles have the same colours: the points of each
 * quarter of the radius are counted at its middle.
 *
 * @param frame any image of the zoom level in EPSG:3857
 */
export async function findHighestDensity(
  database: Queryable,
  layer: FilteredLayer,
  { frame, radius, weight, fields }: DensityRequest,
): Promise<number> {
  const resolution = (frame.box[2] - frame.box[0]) / frame.width
  const size = (Math.max(1, radius) * resolution) / partsOfRadius
  const edge = mercatorHalfWorld
  const world: ImageFrame = { box: [-edge, -edge, edge, edge], width: 256, height: 256 }
  const grid = measureImage(world, { reach: 0, cell: 1 })
  const searchArea = await findFrameArea(database, layer, grid)
  const cells = { corner: [-edge, edge], side: [size, size] } as const
  const all = await sumWeights(database, { layer, grid: { ...grid, searchArea }, cells, weight, fields })
  const heaviest = mergeCells(all).sort((a, b) => b.sum - a.sum)
  return highestOf(heaviest.slice(0, maxCells))
}

/** Adds the weights of rows of one cell, which differ in their values. */
function mergeCells(rows: readonly WeightRow[]): WeightRow[] {
  const sums = new Map<string, WeightRow>()
  for (const row of rows) {
    const key = `${row.x} ${row.y}`
    sums.set(key, { ...row, sum: row.sum + (sums.get(key)?.sum ?? 0) })
  }
  return [...sums.values()]
}

function highestOf(cells: readonly WeightRow[]): number {
  const sums = new Map(cells.map(({ x, y, sum }) => [`${x} ${y}`, sum]))
  const offsets = Array.from({ length: 2 * partsOfRadius + 1 }, (_, at) => at - partsOfRadius)
  const kernel = offsets.flatMap((dx) =>
    offsets.flatMap((dy) => {
      const part = 1 - (dx * dx + dy * dy) / partsOfRadius ** 2
      return part > 0 ? { dx, dy, factor: part * part } : []
    }),
  )
  const densityAt = ({ x, y }: WeightRow) =>
    kernel.reduce((sum, { dx, dy, factor }) => sum + factor * (sums.get(`${x + dx} ${y + dy}`) ?? 0), 0)
  return cells.reduce((highest, cell) => Math.max(highest, densityAt(cell)), 0)
}

interface WeightRow {
  readonly x: number
  readonly y: number
  readonly sum: number
}

interface WeightQuery {
  readonly layer: FilteredLayer
  readonly grid: TileGrid
  /** Top left corner of the first cell, and width and height of cells, in the units of the image. */
  readonly cells: { readonly corner: readonly [number, number]; readonly side: readonly [number, number] }
  readonly weight: Expression | undefined
  readonly fields: readonly string[]
}

async function sumWeights(database: Queryable, query: WeightQuery): Promise<WeightRow[]> {
  const { layer, grid, weight } = query
  const field = layer.fields.find(({ keyname }) => weight?.op === 'field' && keyname === weight.name)
  const isSummed = weight === undefined || (field !== undefined && numeric.has(field.datatype))
  const read = isSummed ? [] : layer.fields.filter(({ keyname }) => query.fields.includes(keyname))
  const bindings = createBindings()
  const sum = isSummed && field !== undefined ? fieldSumSql(field) : 'count(*)::float8'
  const keys = Array.from({ length: read.length + 2 }, (_, at) => at + 2)
  const text = `select ${sum} as sum, ${cellsSql(query, bindings)} ${attributeSql(read)}
    from ${pointsSql(layer, grid, bindings)} group by ${keys.join(', ')} limit ${maxRows + 1}`
  const names = ['sum', 'x', 'y']
  const rows: ValueRow[] = await selectColumns(database, text, { values: bindings.values, names, read })
  if (rows.length > maxRows)
    throw problem(
      'render/too-large',
      `The heatmap of resource id = ${layer.resourceId} has too many points.`,
      {
        resource: layer.resourceId,
        hint: 'Use a field of numbers as the weight, or a larger scale.',
      },
    )
  return isSummed ? rows : withExpressionWork(maxWeightWork, () => weigh(rows, read, weight))
}

/** Work of the weights of a heatmap, which are computed beside requests. */
const maxWeightWork = 2e7

const numeric = new Set(['INTEGER', 'BIGINT', 'REAL'])

/** Sums a field; null counts as 0 and values that are not finite are left out, as QGIS does. */
function fieldSumSql({ columnName }: LayerField): string {
  const value = `t.${quoteName(columnName)}::float8`
  return `coalesce(sum(case when ${value} > '-infinity' and ${value} < 'infinity' then ${value} end), 0)`
}

function cellsSql({ cells: { corner, side } }: WeightQuery, bindings: Bindings): string {
  const [left, top, width, height] = [...corner, ...side].map((value) => bindings.bind(value, 'float8'))
  // Positions on the line between two pixels belong to the second, despite rounding errors.
  const cell = (distance: string, length: string | undefined) =>
    `floor((${distance}) / ${length} + 1e-6)::int`
  return `${cell(`ST_X(t.p) - ${left}`, width)} as x, ${cell(`${top} - ST_Y(t.p)`, height)} as y`
}

type ValueRow = WeightRow & ColumnRow

/** Multiplies the number of points of each row with the weight of its values. */
function weigh(rows: readonly ValueRow[], read: readonly LayerField[], weight: Expression): WeightRow[] {
  const evaluate = compileExpression(weight)
  return rows.map((row) => {
    const values = attributeValues(read, row)
    const attributes = Object.fromEntries(read.map(({ keyname }, at) => [keyname, values[at]]))
    const value = evaluate({ attributes })
    const factor = value === null ? 1 : (findNumber(value) ?? 1)
    return { x: row.x, y: row.y, sum: Number.isFinite(factor) ? factor * row.sum : 0 }
  })
}
