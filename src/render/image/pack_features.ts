import { geometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import type { TileRow } from '../vector_tile/select_features.ts'
import type { PointColumns } from '../vector_tile/select_points.ts'
import { attributeValue } from '../vector_tile/tile_source.ts'
import type { JobFeatures } from './draw_job.ts'

/** Features of a layer without their place in an image. */
export type PackedFeatures = Omit<JobFeatures, 'corner' | 'unitsPerPixel' | 'worldUnits'>

/** Packs points. */
export function packPoints(
  { ids, xs, ys, values }: PointColumns,
  { fields, geometryType }: Layer,
): PackedFeatures {
  const points = new Float64Array(2 * ids.length)
  for (let at = 0; at < ids.length; at += 1) {
    points[2 * at] = xs[at] ?? 0
    points[2 * at + 1] = ys[at] ?? 0
  }
  return {
    family: geometryParts(geometryType).family,
    ids: Float64Array.from(ids),
    points,
    geometries: new Uint8Array(),
    ends: new Uint32Array(),
    isLocal: new Uint8Array(),
    fields: fields.map(({ keyname }) => keyname),
    columns: fields.map((field, at) => (values[at] ?? []).map((value) => attributeValue(field, value))),
  }
}

/** A feature, and the copy of the world in which it is drawn. */
export interface PlacedRow {
  readonly row: TileRow
  readonly copy: number
}

/** Maximum size of the geometries of a layer in an image. */
const maxBytes = 128 * 2 ** 20

/**
 * Packs features other than points, in the order of their ids.
 *
 * @throws {Problem} render/too-large if the geometries are too large
 */
export function packGeometries(
  rows: readonly PlacedRow[],
  { fields, geometryType, resourceId }: Layer,
): PackedFeatures {
  // Of symbols that overlap, the same one is above on both sides of the antimeridian.
  const sorted = rows.some(({ copy }) => copy !== 0) ? rows.toSorted((a, b) => a.row.id - b.row.id) : rows
  const parts = sorted.map(({ row: { small, large } }) => small ?? large ?? new Uint8Array())
  const sizeBytes = parts.reduce((sum, { length }) => sum + length, 0)
  if (sizeBytes > maxBytes)
    throw problem(
      'render/too-large',
      `The geometries of resource id = ${resourceId} in the extent have ${sizeBytes} bytes.`,
      { resource: resourceId },
    )
  const geometries = new Uint8Array(sizeBytes)
  const ends = new Uint32Array(sorted.length)
  let end = 0
  for (const [at, part] of parts.entries()) {
    geometries.set(part, end)
    end += part.length
    ends[at] = end
  }
  return {
    family: geometryParts(geometryType).family,
    ids: Float64Array.from(sorted, ({ row }) => row.id),
    points: new Float64Array(),
    geometries,
    ends,
    isLocal: Uint8Array.from(sorted, ({ row }) => (row.small ? 1 : 0)),
    copies: Int8Array.from(sorted, ({ copy }) => copy),
    fields: fields.map(({ keyname }) => keyname),
    columns: fields.map((field, at) => sorted.map(({ row }) => attributeValue(field, row[`a${at}`]))),
  }
}
