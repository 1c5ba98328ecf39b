import { geometryParts } from '../../contract/geometry.ts'
import type { Queryable } from '../../database/database.ts'
import { type Bbox, expandBbox } from '../../geo/bbox.ts'
import { mercatorWorld } from '../../geo/mercator.ts'
import { listCopies, moveBox } from '../../geo/world.ts'
import type { Importance } from '../vector_tile/importance.ts'
import type { RowSelection } from '../vector_tile/row_selection.ts'
import { withClipping } from '../vector_tile/search_area.ts'
import { selectTileRows } from '../vector_tile/select_features.ts'
import { joinPoints, type PointColumns, selectTilePoints } from '../vector_tile/select_points.ts'
import type { TileGrid } from '../vector_tile/tile_grid.ts'
import { type FilteredLayer, isPointLayer } from '../vector_tile/tile_source.ts'
import type { JobFeatures } from './draw_job.ts'
import { type FrameSystem, findFrameArea } from './frame_system.ts'
import { type PlacedRow, packGeometries, packPoints } from './pack_features.ts'

/** The extent of an image. */
export interface ImageFrame {
  /** In EPSG:3857, or in `system`. */
  readonly box: Bbox
  /** In device pixels. */
  readonly width: number
  readonly height: number
  /** Another reference system than EPSG:3857. */
  readonly system?: FrameSystem
  /** Device pixels per pixel of 1/96 inch. @default 1 */
  readonly pixelRatio?: number
}

/** Features to read for an image. */
export interface FeatureRequest {
  readonly frame: ImageFrame
  /** Margin around the image from which symbols reach into it, in device pixels. */
  readonly reach: number
  /** Additional margin within which geometries are not clipped, in pixels. @default 256 */
  readonly clipMargin?: number
  /** Keynames of the fields to read. */
  readonly fields: readonly string[]
  /** Which features are kept where they are denser than pixels; by default large ones, and points that are drawn last. */
  readonly importance?: Importance | undefined
  /** Whether symbols lie on vertices, which are kept then also where they change no shape. @default false */
  readonly keepsVertices?: boolean | undefined
  /** Which features beyond the antimeridian are read, in copies of the world: `symbols` is points, lines, and what the image shows of polygons. @default 'symbols' */
  readonly copies?: 'none' | 'symbols' | 'all'
}

/** Units of coordinates per pixel; of the shorter side, if pixels are not square. */
const minUnitsPerPixel = 64

/** Sides of the cells in which points and small geometries are thinned, in units: half and an eighth of a pixel. */
const cellUnits = { points: 32, others: 8 }

/** Tolerance of lines with tens of thousands of positions, in units: half a pixel, as in vector tiles. */
const largeLineUnits = 32

/**
 * Maximum number of small and of all features in 256 × 256 pixels, and of an image. Polygons may be somewhat more than pixels,
 * so that areas stay filled.
 */
const limits = {
  points: { small: 16_384, features: 16_384 },
  others: { small: 81_920, features: 163_840 },
  image: 500_000,
}

/**
 * Reads the features of a layer for an image: transformed, simplified to an eighth of a pixel and thinned to one per half a
 * pixel (points) or an eighth of a pixel (geometries smaller than that), in the order of their ids. Lines whose vertices are kept
 * have those that are at least half a pixel apart.
 *
 * @throws {Problem} render/too-large if the geometries are too large
 */
export async function readImageFeatures(
  database: Queryable,
  layer: FilteredLayer,
  { frame, reach, fields, clipMargin, importance, keepsVertices, copies = 'symbols' }: FeatureRequest,
): Promise<JobFeatures> {
  const { height, width } = frame
  const isOfPoints = isPointLayer(layer)
  const cell = isOfPoints ? cellUnits.points : cellUnits.others
  const measure = (one: ImageFrame) => measureImage(one, { reach, cell, clipMargin })
  const read = { ...layer, fields: layer.fields.filter(({ keyname }) => fields.includes(keyname)) }
  const tiles = Math.max(1, (width * height) / 2 ** 16)
  const most = isOfPoints ? limits.points : limits.others
  const part = Math.min(tiles, limits.image / most.features)
  const limited = (count: number) => Math.ceil(count * part)
  const grid = measure(frame)
  // Polygons are divided at the antimeridian, and their outlines continue beyond it, out of sight unless the image does so, too.
  const isSeen = geometryParts(layer.geometryType).family !== 'POLYGON' || showsWorldEdge(frame)
  const isCopied = copies === 'all' || (copies === 'symbols' && isSeen)
  const points: PointColumns[] = []
  const rows: PlacedRow[] = []
  for (const { copy, box } of isCopied ? copiesOf(frame, grid.box) : [{ copy: 0, box: frame.box }]) {
    const copied = copy === 0 ? grid : measure({ ...frame, box })
    const searchArea = await findFrameArea(database, layer, copied)
    const selectionOf = (clips: boolean): RowSelection => ({
      layer: read,
      grid: { ...copied, keepsVertices, searchArea: searchArea && { ...searchArea, isClipped: clips } },
      clips,
      importance,
      fillsCells: true,
      limits: { small: limited(most.small), features: limited(most.features) },
    })
    if (isOfPoints) {
      points.push(await withClipping((clips) => selectTilePoints(database, selectionOf(clips))))
      continue
    }
    const found = await withClipping((clips) => selectTileRows(database, selectionOf(clips)))
    for (const row of found ?? []) rows.push({ row, copy })
  }
  const packed = isOfPoints ? packPoints(joinPoints(points), read) : packGeometries(rows, read)
  return { ...packed, ...unitsOf(frame, grid) }
}

/**
 * Returns the copies of the world that an image shows a part of, with the place of its box there. Symbols reach over
 * the antimeridian, where the world continues with its other side.
 *
 * @param area the box with the margin in which features are read
 */
export function copiesOf(
  frame: Pick<ImageFrame, 'box' | 'system'>,
  area: Bbox,
): readonly { readonly copy: number; readonly box: Bbox }[] {
  const { box } = frame
  const world = worldWidthOf(frame)
  if (world === undefined) return [{ copy: 0, box }]
  // The world itself comes first, also for features that continue beyond its edge.
  const others = listCopies(area, world).filter((copy) => copy !== 0)
  return [0, ...others].map((copy) => ({ copy, box: moveBox(box, -copy, world) }))
}

/** Returns the width of the world of a frame; undefined in a reference system whose world is not repeated. */
function worldWidthOf({ system }: Pick<ImageFrame, 'system'>): number | undefined {
  return system === undefined ? mercatorWorld : system.worldWidth
}

/** Tells whether an image extends beyond the antimeridian, by more than rounding. */
function showsWorldEdge(frame: ImageFrame): boolean {
  const {
    box: [west, , east],
    width,
  } = frame
  const edge = (worldWidthOf(frame) ?? Number.POSITIVE_INFINITY) / 2
  const tolerance = (0.1 * (east - west)) / width
  return west < -edge - tolerance || east > edge + tolerance
}

function unitsOf({ box, width, height }: ImageFrame, { corner, scale, worldUnits }: TileGrid) {
  const unitsPerPixel = [((box[2] - box[0]) * scale) / width, ((box[3] - box[1]) * scale) / height] as const
  // Whole, as coordinates are, so that those on the edge of the world are recognized.
  return { corner, unitsPerPixel, worldUnits: Math.floor(worldUnits + 0.001) }
}

/** Options of the grid of an image. */
export interface GridOptions {
  readonly reach: number
  readonly clipMargin?: number | undefined
  readonly cell: number
}

/** Returns the grid of an image. */
export function measureImage(frame: ImageFrame, { reach, cell, clipMargin = 256 }: GridOptions): TileGrid {
  const { box, width, height, system } = frame
  const [resolutionX, resolutionY] = [(box[2] - box[0]) / width, (box[3] - box[1]) / height]
  const resolution = Math.max(resolutionX, resolutionY)
  const scale = minUnitsPerPixel / Math.min(resolutionX, resolutionY)
  const margin = Math.ceil(reach * resolution * scale)
  const imageUnits = [(box[2] - box[0]) * scale, (box[3] - box[1]) * scale] as const
  return {
    tile: box,
    box: expandBbox(box, reach * resolution),
    wide: expandBbox(box, (reach + clipMargin) * resolution),
    unitBox: [-margin, -margin, imageUnits[0] + margin, imageUnits[1] + margin],
    ...(system === undefined ? {} : { srs: system.srs }),
    ...placeInWorld(frame, scale),
    scale,
    cellUnits: cell,
    pointCellUnits: cell,
    cell: cell / scale,
    largeLineTolerance: largeLineUnits / scale,
    // One unit more than the margin, because positions on the edge are rounded away from the image.
    cellOffset: Math.ceil((margin + 1) / cell) * cell,
  }
}

/** Returns the place of an image in its world, which is a square with the antimeridian as its left and right side. */
function placeInWorld(frame: ImageFrame, scale: number): Pick<TileGrid, 'corner' | 'origin' | 'worldUnits'> {
  const { box } = frame
  const world = worldWidthOf(frame)
  if (world === undefined) return boundlessWorld(box, scale)
  const edge = world / 2
  return {
    origin: [-edge, edge],
    corner: [(box[0] + edge) * scale, (edge - box[3]) * scale],
    worldUnits: world * scale,
  }
}

/** Units around an image in a reference system whose world has no edge. */
const boundlessUnits = 2 ** 21

/** Returns a world that extends far beyond the image on all sides. */
function boundlessWorld([left, , , top]: Bbox, scale: number) {
  const margin = boundlessUnits / scale
  return {
    origin: [left - margin, top + margin],
    corner: [boundlessUnits, boundlessUnits],
    worldUnits: 2 ** 40,
  } as const
}
