import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { type TileAddress, tileBbox, tileWidth } from '../../geo/tile.ts'
import { coarserLevels } from './thin_features.ts'

/** Which tile is wanted, and how exactly. */
export interface TileRequest {
  readonly address: TileAddress
  /** Units along a side. */
  readonly extent: number
  /** Units within which shapes are simplified and small ones thinned to one; 0 keeps everything. */
  readonly simplification: number
  /** Margin around the tile, as a part of its side. */
  readonly padding: number
}

/** A tile in the metres of EPSG:3857. */
export interface TileGrid {
  /** The tile itself. */
  readonly tile: Bbox
  /** The tile with its margin. */
  readonly box: Bbox
  /** The tile with a whole tile around it. */
  readonly wide: Bbox
  /** The tile with its margin, in units. */
  readonly unitBox: Bbox
  /** Top left corner of the tile in units from that of the world. */
  readonly corner: readonly [x: number, y: number]
  /** Side of the world in units. */
  readonly worldUnits: number
  /** Units a metre. */
  readonly scale: number
  /** Side of a cell in units; 0 keeps everything. */
  readonly cellUnits: number
  /**
   * Side in units of the cells that points stand in; 0 keeps everything. Wide enough that no tile of a low zoom level
   * holds a crowd: were cells joined in some tiles only, one would see where they end.
   */
  readonly pointCellUnits: number
  /** Side of a cell in metres. */
  readonly cell: number
  /** Where to look for it in a reference system that is neither EPSG:3857 nor EPSG:4326. */
  readonly near?: TileNear | undefined
  /** Units from where cells are counted, left of the tile and above it, so that no number is negative. */
  readonly away: number
}

/** Where a tile with its margin lies in the reference system of a layer. */
export interface TileNear {
  /** A box around it; undefined where the reference system does not reach there. */
  readonly box: Bbox | undefined
  /** Whether the reference system is one of degrees. */
  readonly isDegrees: boolean
}

/** How often the side of a cell doubles for points: three times on low zoom levels, never on the closest. */
function pointCellDoublings(z: number): number {
  return Math.min(3, Math.max(0, 13 - z))
}

/** Measures a tile. Cells of a zoom level are the same for all its tiles, and four of them are one of the level above. */
export function measureTile({ address, extent, simplification, padding }: TileRequest): TileGrid {
  const tile = tileBbox(address)
  const width = tileWidth(address.z)
  const scale = extent / width
  const coarsest = simplification * 2 ** coarserLevels
  // One unit more than the margin: what lies on the edge of the box is rounded away from the tile.
  const away = coarsest === 0 ? 0 : Math.ceil((extent * padding + 1) / coarsest) * coarsest
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
    away,
  }
}
