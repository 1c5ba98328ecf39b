import type { TileJson, VectorTileLayer } from '../../contract/bodies/tilejson.ts'
import { type Dialect, tileLayerPrefix } from '../../contract/dialect/dialect.ts'
import type { Datatype } from '../../contract/geometry.ts'
import { maxLayers } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { type Bbox, joinBboxes } from '../../geo/bbox.ts'
import { mercatorMaxLatitude } from '../../geo/mercator.ts'
import { styleName, type WmsService } from '../../ogc/wms/wms_service.ts'
import { matrixSets } from '../../ogc/wmts/matrix_set.ts'
import { wmtsVersion } from '../../ogc/wmts/parse_wmts.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'

/** Highest zoom level: most programs do not show higher ones. */
const maxZoom = 22

const numeric: readonly Datatype[] = ['INTEGER', 'BIGINT', 'REAL']

/** What tiles show: their name and extent in degrees. */
export interface TileSubject {
  readonly name: string
  readonly extent: Bbox | undefined
}

/** Returns the members of every description: the name, zoom levels and extent. */
function describe({ name, extent }: TileSubject) {
  const limit = (value: number, most: number) => Math.max(-most, Math.min(most, value))
  const [west, south, east, north] = extent ?? [-180, -90, 180, 90]
  const bounds = [
    limit(west, 180),
    limit(south, mercatorMaxLatitude),
    limit(east, 180),
    limit(north, mercatorMaxLatitude),
  ] as const
  const width = Math.max(bounds[2] - bounds[0], 1e-4)
  // Most displays are about two tiles wide.
  const zoom = Math.max(0, Math.min(maxZoom, Math.floor(Math.log2((360 / width) * 2))))
  const center = [(bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2, zoom] as const
  return { tilejson: '3.0.0', name, scheme: 'xyz', minzoom: 0, maxzoom: maxZoom, bounds, center } as const
}

/** Describes the vector tiles of a layer. `base` is the address of the server. */
export function vectorTileJson(
  subject: TileSubject,
  layer: Layer,
  { base, dialect }: { readonly base: string; readonly dialect: Dialect },
): TileJson {
  const fields = layer.fields.map(
    ({ keyname, datatype }) => [keyname, numeric.includes(datatype) ? 'Number' : 'String'] as const,
  )
  const vectorLayer: VectorTileLayer = {
    id: `${tileLayerPrefix[dialect]}${layer.resourceId}`,
    description: subject.name,
    minzoom: 0,
    maxzoom: maxZoom,
    fields: Object.fromEntries(fields),
  }
  const tiles = [`${base}/api/component/feature_layer/mvt?x={x}&y={y}&z={z}&resource=${layer.resourceId}`]
  return { ...describe(subject), format: 'pbf', tiles, vector_layers: [vectorLayer] }
}

/** Describes the tiles that show resources, from bottom to top. */
export function pictureTileJson(subject: TileSubject, ids: readonly number[], base: string): TileJson {
  const tiles = [`${base}/api/component/render/tile?z={z}&x={x}&y={y}&resource=${ids.join()}`]
  return { ...describe(subject), format: 'png', tiles }
}

/**
 * Describes the tiles of all layers of a service, the first of them on top, or of one, which is drawn within its scale limits.
 *
 * @throws {Problem} request/invalid for an unknown layer, and for too many layers
 */
export function serviceTileJson(
  { title, url, layers }: WmsService,
  { base, name }: { readonly base: string; readonly name: string | undefined },
): TileJson {
  if (name === undefined) {
    if (layers.length === 0 || layers.length > maxLayers)
      throw problem(
        'request/invalid',
        `The service has ${layers.length} layers that you may read; tiles have 1 to ${maxLayers}.`,
        { hint: 'Name a layer with the parameter "layer".' },
      )
    // Lists of layers are read from top to bottom, as those of web maps.
    const ids = layers.map(({ resourceId }) => resourceId).toReversed()
    return pictureTileJson(
      {
        name: title,
        extent: joinBboxes(layers.map(({ extent }) => extent).filter((one) => one !== undefined)),
      },
      ids,
      base,
    )
  }
  const layer = layers.find((one) => one.name === name)
  if (layer === undefined)
    throw problem('request/invalid', `layer: the service has no layer ${JSON.stringify(name)}`)
  const path = [wmtsVersion, encodeURIComponent(layer.name), styleName, matrixSets[0]?.name, '{z}', '{y}']
  const tiles = [`${url}/${path.join('/')}/{x}.png`]
  return { ...describe({ name: layer.title, extent: layer.extent }), format: 'png', tiles }
}
