import { getWidth } from 'ol/extent'
import type Feature from 'ol/Feature'
import GeoJSON from 'ol/format/GeoJSON'
import VectorLayer from 'ol/layer/Vector'
import type { Projection } from 'ol/proj'
import VectorSource from 'ol/source/Vector'
import { readLimited } from '../limited_response.ts'
import type { LoadReports } from '../load_report.ts'
import { worldOf } from './preview_boundary.ts'
import { mayCover, type PreviewArea } from './preview_view.ts'

/** Creates a layer with the features of a GeoJSON document. */
export function createFeatureLayer(
  url: string,
  area: PreviewArea,
  { onLoad, onFault }: LoadReports,
): VectorLayer {
  const source = new VectorSource({
    // The map is not complete until the promise is fulfilled.
    async loader() {
      try {
        const { features, note } = await readFeatures(url, area.projection)
        const isOutside = features.length > 0 && !features.some((feature) => isInside(feature, area))
        onLoad(note || (isOutside ? 'All features are outside of the boundary.' : ''))
        return features
      } catch (error) {
        onFault(error instanceof Error ? error.message : String(error))
        return []
      }
    },
  })
  return new VectorLayer({ source })
}

/** Tells whether a feature may be in the boundary, which may be in the next world. */
function isInside(feature: Feature, area: PreviewArea): boolean {
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = feature.getGeometry()?.getExtent() ?? []
  const width = getWidth(worldOf(area.projection))
  return [-width, 0, width].some((shift) => mayCover(area, [minX + shift, minY, maxX + shift, maxY]))
}

interface ReadFeatures {
  readonly features: Feature[]
  /** Why some or all features are not drawn. */
  readonly note: string
}

/** @throws {Error} with a message for users */
async function readFeatures(url: string, view: Projection): Promise<ReadFeatures> {
  const { all, projection } = parseFeatures(new TextDecoder().decode(await readLimited(url)))
  const features = all.filter((feature) => isOnEarth(feature, projection))
  for (const feature of features) feature.getGeometry()?.transform(projection, view)
  return { features, note: noteOn(all.length, features.length, unitOf(projection)) }
}

function noteOn(count: number, drawn: number, unit: string): string {
  if (count === 0) return 'The service returned no features.'
  const total = count === 1 ? '1 feature' : `${count} features`
  if (drawn === 0) return `The service returned ${total}, but not in ${unit}.`
  return drawn === count ? '' : `${count - drawn} of ${total} have no coordinates in ${unit}.`
}

const unitOf = (projection: Projection) =>
  projection.getUnits() === 'degrees' ? 'degrees' : projection.getCode()

function parseFeatures(text: string): { readonly all: Feature[]; readonly projection: Projection } {
  const format = new GeoJSON()
  try {
    const document: object = JSON.parse(text)
    const projection = format.readProjection(document)
    if (projection !== null && projection !== undefined)
      return { all: format.readFeatures(document), projection }
  } catch {
    throw new Error('The response is not GeoJSON.')
  }
  throw new Error('The response is in an unknown reference system.')
}

/** Tells whether a feature has a geometry in the world, or in the next one as data across the antimeridian has. */
function isOnEarth(feature: Feature, projection: Projection): boolean {
  const box = feature.getGeometry()?.getExtent() ?? []
  const [minX = Number.NaN, minY = Number.NaN, maxX = Number.NaN, maxY = Number.NaN] = box
  const [left = 0, bottom = 0, right = 0, top = 0] = projection.getExtent()
  return minX >= 2 * left && maxX <= 2 * right && minY >= bottom && maxY <= top
}
