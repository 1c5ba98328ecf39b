import type { Found, LayerFindings } from '../../contract/routes/identify.ts'
import type { MapLayer } from '../../style/map_layers.ts'
import { scaleDenomOf } from '../../style/match_rules.ts'
import { askJson } from '../request.ts'

/** Found feature, with its layer; for layers without features, the values or the text of their image. */
export interface FoundFeature extends Omit<Found, 'layerId' | 'parent'> {
  readonly layer: MapLayer
  /** Where it was searched, in EPSG:3857. */
  readonly place: readonly [x: number, y: number]
}

/** Result of a search. */
export interface Findings {
  readonly features: readonly FoundFeature[]
  /** Layers that could not be searched, with the reason. */
  readonly faults: readonly { readonly layer: MapLayer; readonly reason: string }[]
}

/** Search area: a point in EPSG:3857 with a radius in metres, as it is seen on the map. */
export interface SearchCircle {
  readonly center: readonly [x: number, y: number]
  readonly radius: number
  /** Metres per pixel of the map. */
  readonly resolution: number
}

/** Finds features of several layers around a point, in the order of the layers. */
export async function identify(
  layers: readonly MapLayer[],
  circle: SearchCircle,
  signal: AbortSignal,
): Promise<Findings> {
  const ids = [...new Set(layers.map(({ layerId }) => layerId))]
  const styles = [
    ...new Set(layers.filter(({ landform }) => landform.hasFeatures).map(({ styleId }) => styleId)),
  ]
  const scale_denom = scaleDenomOf(circle.resolution)
  const answer = await askJson<Record<string, LayerFindings>>('/api/feature_layer/identify', {
    method: 'POST',
    body: JSON.stringify({ srs: 3857, geom: circleWkt(circle), layers: ids, styles, scale_denom }),
    headers: { 'content-type': 'application/json' },
    signal,
  })
  // A layer that is in the tree twice is searched and shown once.
  const once = ids
    .map((id) => layers.find(({ layerId }) => layerId === id))
    .filter((layer) => layer !== undefined)
  return {
    features: once.flatMap((layer) =>
      foundOf(layer).map((found) => ({ layer, place: circle.center, ...found })),
    ),
    faults: once.flatMap((layer) => {
      const findings = answer[layer.layerId]
      return findings !== undefined && 'error' in findings ? [{ layer, reason: findings.error }] : []
    }),
  }

  function foundOf({ layerId }: MapLayer): readonly Found[] {
    const findings = answer[layerId]
    return findings !== undefined && 'features' in findings ? findings.features : []
  }
}

function circleWkt({ center: [x, y], radius }: SearchCircle): string {
  const corners = Array.from({ length: 13 }, (_, at) => {
    const angle = ((at % 12) * Math.PI) / 6
    return `${x + radius * Math.cos(angle)} ${y + radius * Math.sin(angle)}`
  })
  return `POLYGON((${corners.join(', ')}))`
}
