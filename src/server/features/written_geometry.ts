import { geometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import { type FitOptions, fitGeometry, type Geometry } from '../../geo/geometry.ts'
import { onMap } from '../../geo/on_map.ts'
import { formatWkt } from '../../geo/wkt.ts'
import { findWorld } from '../../geo/world.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'

/** Target of a geometry. */
export interface GeometryTarget extends FitOptions {
  readonly layer: Pick<Layer, 'srs' | 'geometryType'>
  /** EPSG code of the coordinates. */
  readonly srs: number
}

/**
 * Returns the WKT of a geometry to write. It has the geometry type of the layer, and does not continue beyond the
 * antimeridian.
 *
 * @throws {Problem} feature/invalid
 */
export function writtenWkt(geometry: Geometry, { layer, srs, fitsZ }: GeometryTarget): string {
  // A regional layer may extend to both sides of the antimeridian.
  const placed = findWorld(layer.srs) === undefined ? geometry : onMap(geometry, srs)
  const { isMulti } = geometryParts(layer.geometryType)
  if (placed.isMulti && !geometry.isMulti && !isMulti)
    throw problem(
      'feature/invalid',
      `the geometry crosses the antimeridian and has ${placed.parts.length} parts there; the layer has the type ${layer.geometryType}`,
      { hint: `Use a layer of type MULTI${layer.geometryType}.` },
    )
  return formatWkt(fitGeometry(placed, layer.geometryType, { fitsZ }))
}
