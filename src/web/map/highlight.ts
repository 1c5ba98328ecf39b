import type { Extent } from 'ol/extent'
import Feature from 'ol/Feature'
import GeoJSON from 'ol/format/GeoJSON'
import type { Geometry } from 'ol/geom'
import MultiLineString from 'ol/geom/MultiLineString'
import MultiPoint from 'ol/geom/MultiPoint'
import MultiPolygon from 'ol/geom/MultiPolygon'
import Point from 'ol/geom/Point'
import VectorLayer from 'ol/layer/Vector'
import VectorSource from 'ol/source/Vector'
import CircleStyle from 'ol/style/Circle'
import Fill from 'ol/style/Fill'
import Stroke from 'ol/style/Stroke'
import Style from 'ol/style/Style'
import { askJson } from '../request.ts'
import type { FoundFeature } from './identify.ts'

/** Highlight of the open feature. */
export interface Highlight {
  readonly drawn: VectorLayer
  /** Replaces the highlighted feature; undefined removes the highlight. */
  show(feature: FoundFeature | undefined): Promise<void>
}

const edge = new Stroke({ color: '#0b5cff', width: 3 })
const halo = new Stroke({ color: 'rgba(255,255,255,0.85)', width: 6 })
const inside = new Fill({ color: 'rgba(11,92,255,0.10)' })
const style = [
  new Style({ stroke: halo, image: new CircleStyle({ radius: 9, stroke: halo }) }),
  new Style({
    stroke: edge,
    fill: inside,
    image: new CircleStyle({ radius: 9, stroke: edge, fill: inside }),
  }),
]

/** Creates the highlight layer, above all other layers. */
export function createHighlight(): Highlight {
  const source = new VectorSource()
  let wanted: FoundFeature | undefined
  return {
    drawn: new VectorLayer({ source, style, zIndex: 100_000 }),
    async show(feature) {
      wanted = feature
      const geometry = feature === undefined ? undefined : await readGeometry(feature)
      // A slow response must not replace a later one.
      if (wanted !== feature) return
      source.clear()
      if (geometry !== undefined) source.addFeature(new Feature(geometry))
    },
  }
}

/** Reads the geometry of a feature in EPSG:3857; undefined if it is null. For images, this is where they were searched. */
export async function readGeometry({ layer, id, place }: FoundFeature): Promise<Geometry | undefined> {
  if (!layer.landform.hasFeatures) return new Point([...place])
  const query = 'geom_format=geojson&srs=3857&fields=&extensions='
  const { geom } = await askJson<{ geom: unknown }>(`/api/resource/${layer.layerId}/feature/${id}?${query}`)
  return geom === null || geom === undefined ? undefined : (new GeoJSON().readGeometry(geom) ?? undefined)
}

/** Returns the extent of each part of a geometry. */
export function partExtents(geometry: Geometry): Extent[] {
  if (geometry instanceof MultiPolygon) return geometry.getPolygons().map((part) => part.getExtent())
  if (geometry instanceof MultiLineString) return geometry.getLineStrings().map((part) => part.getExtent())
  if (geometry instanceof MultiPoint) return geometry.getPoints().map((part) => part.getExtent())
  return [geometry.getExtent()]
}
