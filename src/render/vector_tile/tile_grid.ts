import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { type TileAddress, tileBbox, tileWidth } from '../../geo/tile.ts'

/** A tile and its resolution. */
export interface TileRequest {
  readonly address: TileAddress
  /** Units along a side. */
  readonly extent: number
  /** Tolerance of simplification and side of thinning cells, in units; 0 keeps all features within the limits. */
  readonly simplification: number
  /** Margin around the tile, as a fraction of its side. */
  readonly padding: number
  /** Field whose high values are kept where features are thinned; with a leading `-` its low values. */
  readonly thinBy?: string
}

/** A tile in the metres of EPSG:3857, or an image in the units of another reference system. */
export interface TileGrid {
  /** EPSG code; 3857 if it is missing. */
  readonly srs?: number
  /** The tile itself. */
  readonly tile: Bbox
  /** The tile with its margin. */
  readonly box: Bbox
  /** The tile with a margin of one tile. */
  readonly wide: Bbox
  /** The tile with its margin, in units. */
  readonly unitBox: Bbox
  /** Top left corner of the tile, in units from the top left corner of the world. */
  readonly corner: readonly [x: number, y: number]
  /** Top left corner of the world, in metres; that of EPSG:3857 if it is missing. */
  readonly origin?: readonly [x: number, y: number]
  /** Side of the world in units. */
  readonly worldUnits: number
  /** Units per metre. */
  readonly scale: number
  /** Side of a cell in units; 0 if features are neither simplified nor thinned. */
  readonly cellUnits: number
  /**
   * Side of a cell for points, in units; 0 if they are not thinned. Large enough that tiles of low zoom levels do not exceed the
   * limit of points: if cells were merged in some tiles only, their edges would be visible.
   */
  readonly pointCellUnits: number
  /** Side of a cell in metres. */
  readonly cell: number
  /** Tolerance of simplification in metres; `cell` if it is missing. */
  readonly tolerance?: number
  /** Whether small polygons are drawn as the square of their cell, and not as their box. @default false */
  readonly fillsCells?: boolean
  /** Tolerance of the simplification of lines above 512 KB, in metres; `cell` if it is missing. */
  readonly largeLineTolerance?: number
  /** Whether vertices are kept that are farther apart than `cell`, those of lines than `largeLineTolerance`, also where they change no shape. */
  readonly keepsVertices?: boolean | undefined
  /** Area to search, for a reference system other than EPSG:3857 and EPSG:4326. */
  readonly searchArea?: SearchArea | undefined
  /** Units that the origin of cells lies left of the tile and above it, so that cell numbers are not negative. */
  readonly cellOffset: number
}

/** The area of a tile with its margin in the reference system of a layer. */
export interface SearchArea {
  /** Bounding boxes: two if the tile crosses the antimeridian; undefined if it lies outside the reference system. */
  readonly boxes: readonly Bbox[] | undefined
  /** Whether the reference system is geographic. */
  readonly isDegrees: boolean
  /** Whether geometries are clipped to the boxes before they are transformed. */
  readonly isClipped?: boolean
}

/** Computes the grid of a tile whose cells are the same for points and other geometries, at every zoom level. */
export function measurePlainTile(request: TileRequest): TileGrid {
  return { ...measureTile(request), pointCellUnits: request.simplification }
}

/** Returns how many times the cell size is doubled for points: three times at low zoom levels, never at high ones. */
function pointCellDoublings(z: number): number {
  return Math.min(3, Math.max(0, 13 - z))
}

/** Computes the grid of a tile. Cells align across tiles, and four of them form one of the next lower zoom level. */
export function measureTile({ address, extent, simplification, padding }: TileRequest): TileGrid {
  const tile = tileBbox(address)
  const width = tileWidth(address.z)
  const scale = extent / width
  const coarsest = simplification * 2 ** maxMerges
  // One unit more than the margin, because positions on the edge are rounded away from the tile.
  const cellOffset = coarsest === 0 ? 0 : Math.ceil((extent * padding + 1) / coarsest) * coarsest
  const box = expandBbox(tile, width * padding)
  const wide = expandBbox(tile, width)
  const margin = Math.round(extent * padding)
  const unitBox: Bbox = [-margin, -margin, extent + margin, extent + margin]
  const corner = [address.x * extent, address.y * extent] as const
  return {
    tile,
    box,
    wide,
    unitBox,
    corner,
    worldUnits: extent * 2 ** address.z,
    scale,
    cellUnits: simplification,
    pointCellUnits: simplification * 2 ** pointCellDoublings(address.z),
    cell: simplification / scale,
    cellOffset,
  }
}

/** Returns the box of a tile with its margin, in units from the top left corner of the world. */
export function worldBox({ unitBox: [minX, minY, maxX, maxY], corner: [left, top] }: TileGrid): Bbox {
  return [minX + left, minY + top, maxX + left, maxY + top]
}

/** Returns whether a tile with its margin reaches an edge of the world. */
export function isAtWorldEdge(grid: TileGrid): boolean {
  const [minX, minY, maxX, maxY] = worldBox(grid)
  return Math.min(minX, minY) <= 0 || Math.max(maxX, maxY) >= grid.worldUnits
}

/** How many times cells may be merged, four into one: enough that cells of one unit meet the limit of any tile. */
export const maxMerges = 8

/** Low bits of a cell number that hold the row; the column is in the bits above. */
export const rowBits = 15

/** Ids of features and, at the same index, numbers of their cells and their ranks. */
export interface ThinningCandidates {
  readonly ids: readonly number[]
  /** Column times 2^15 plus row. */
  readonly cells: readonly number[]
  /** Higher for more important features; empty if only their order counts. */
  readonly ranks: readonly number[]
}

/** Returns the ids of the features that `thinPlaces` keeps. */
export function thinFeatures(candidates: ThinningCandidates, limit: number): Set<number> {
  return new Set(Array.from(thinPlaces(candidates, limit), (place) => candidates.ids[place] ?? 0))
}

/**
 * Returns the index of one feature per cell: that of the highest rank, or of the last drawn one among these, which covers the
 * others. A feature shown at one zoom level is shown at all higher ones. Merges cells four into one while there are more than
 * the limit.
 */
export function thinPlaces(candidates: ThinningCandidates, limit: number): Int32Array {
  const { codes, places } = sortByCell(candidates.cells)
  const shift = 2 * neededMerges(codes, limit)
  let count = 0
  let cell = -1
  for (let at = 0; at < codes.length; at += 1) {
    const place = places[at] ?? 0
    const next = (codes[at] ?? 0) >> shift
    // The list of those that are kept grows over what is read already.
    if (next !== cell) count += 1
    else if (!precedes(candidates, place, places[count - 1] ?? 0)) continue
    places[count - 1] = place
    cell = next
  }
  return places.subarray(0, count)
}

/** Reports whether a feature is kept in place of another one of its cell. */
function precedes({ ids, ranks }: ThinningCandidates, one: number, other: number): boolean {
  const difference = (ranks[one] ?? 0) - (ranks[other] ?? 0)
  return difference > 0 || (difference === 0 && (ids[one] ?? 0) > (ids[other] ?? 0))
}

/** Returns the numbers of the cells of points, by their positions in units. */
export function cellsOf(
  xs: readonly number[],
  ys: readonly number[],
  { pointCellUnits, cellOffset }: Pick<TileGrid, 'pointCellUnits' | 'cellOffset'>,
): number[] {
  const index = (units: number) => Math.trunc((units + cellOffset) / pointCellUnits)
  return xs.map((x, at) => (index(x) << rowBits) | index(ys[at] ?? 0))
}

/** Cells in the order of their Morton codes, in which each two bits more are the quarters of a cell. */
interface SortedCells {
  readonly codes: Int32Array
  /** Index of each cell in the list of candidates. */
  readonly places: Int32Array
}

/** Sorts cells. Numbers are sorted many times as fast as objects: each is a code and, below it, an index. @see Morton 1966 */
function sortByCell(cells: readonly number[]): SortedCells {
  const rowMask = 2 ** rowBits - 1
  const count = cells.length
  const order = new Float64Array(count)
  for (let at = 0; at < count; at += 1) {
    const cell = cells[at] ?? 0
    order[at] = ((spreadBits(cell >> rowBits) << 1) | spreadBits(cell & rowMask)) * count + at
  }
  order.sort()
  const [codes, places] = [new Int32Array(count), new Int32Array(count)]
  for (let at = 0; at < count; at += 1) {
    const key = order[at] ?? 0
    const code = Math.floor(key / count)
    codes[at] = code
    places[at] = key - code * count
  }
  return { codes, places }
}

/** Puts a zero before each of the lower 15 bits of a number. */
function spreadBits(value: number): number {
  let bits = value & 0x7fff
  bits = (bits | (bits << 8)) & 0x00ff00ff
  bits = (bits | (bits << 4)) & 0x0f0f0f0f
  bits = (bits | (bits << 2)) & 0x33333333
  return (bits | (bits << 1)) & 0x55555555
}

/** Returns how many times cells have to be merged so that no more than the limit remain. */
function neededMerges(codes: Int32Array, limit: number): number {
  // By number of merges: neighbours that are in different cells until then.
  const divided = new Int32Array(rowBits)
  let count = Math.min(1, codes.length)
  for (let at = 1; at < codes.length; at += 1) {
    const difference = (codes[at - 1] ?? 0) ^ (codes[at] ?? 0)
    if (difference === 0) continue
    const level = (31 - Math.clz32(difference)) >> 1
    divided[level] = (divided[level] ?? 0) + 1
    count += 1
  }
  let merges = 0
  for (; merges < maxMerges && count > limit; merges += 1) count -= divided[merges] ?? 0
  return merges
}
