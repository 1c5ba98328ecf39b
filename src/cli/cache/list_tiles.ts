import type { Bbox } from '../../geo/bbox.ts'
import { type TileAddress, tileAt } from '../../geo/tile.ts'

/** Tiles of one zoom level: columns and rows from the first to the last. */
export interface TileRange {
  readonly z: number
  readonly columns: readonly [first: number, last: number]
  readonly rows: readonly [first: number, last: number]
}

/** Returns the tiles of a zoom level that a box in degrees touches. */
export function tileRange([west, south, east, north]: Bbox, z: number): TileRange {
  const [first, last] = [tileAt([west, north], z), tileAt([east, south], z)]
  return { z, columns: [first.x, last.x], rows: [first.y, last.y] }
}

/** Counts the tiles of a range. */
export function countTiles({ columns, rows }: TileRange): number {
  return (columns[1] - columns[0] + 1) * (rows[1] - rows[0] + 1)
}

/** Side of the squares in which tiles are listed: the server places the labels of such a square at once. */
const side = 4

/** Lists the tiles of ranges, square by square. */
export function* listTiles(ranges: Iterable<TileRange>): Generator<TileAddress> {
  for (const range of ranges) yield* listRange(range)
}

function* listRange({ z, columns, rows }: TileRange): Generator<TileAddress> {
  for (const squareRows of squaresOf(rows))
    for (const squareColumns of squaresOf(columns))
      for (const y of squareRows) yield* squareColumns.map((x) => ({ z, x, y }))
}

/** Divides columns or rows into those of each square. */
function* squaresOf([first, last]: readonly [number, number]): Generator<number[]> {
  for (let start = first - (first % side); start <= last; start += side)
    yield Array.from({ length: side }, (_, at) => start + at).filter((one) => one >= first && one <= last)
}
