import { geometryParts } from '../../contract/geometry.ts'
import { mercatorHalfWorld } from '../../geo/mercator.ts'
import { tileWidth } from '../../geo/tile.ts'
import {
  type Collection,
  collectionUrl,
  epsgUri,
  type FeatureApi,
  type Link,
  mediaTypes,
  selfLinks,
} from './feature_api.ts'

/** Name of the only tile matrix set: the tiles of EPSG:3857. @see OGC 17-083r4 annex D.1 */
export const tileMatrixSet = 'WebMercatorQuad'

const tileMatrixSetUri = `http://www.opengis.net/def/tilematrixset/OGC/1.0/${tileMatrixSet}`

/** Highest zoom level of the tile matrix set. */
const maxZoom = 24

/** Size of a tile of a tile matrix in pixels, and of a pixel in metres. @see OGC 17-083r4 clause 6.2.1.1 */
const pixels = { tile: 256, metres: 0.000_28 }

/** Returns the list of tile matrix sets. @see OGC 20-057 clause 10 */
export function tileMatrixSetsDocument({ url }: FeatureApi) {
  const own = `${url}/tileMatrixSets`
  const href = `${own}/${tileMatrixSet}`
  return {
    links: selfLinks(own),
    tileMatrixSets: [
      {
        id: tileMatrixSet,
        title: 'Tiles of EPSG:3857',
        uri: tileMatrixSetUri,
        crs: epsgUri(3857),
        links: [{ href, rel: 'self', type: mediaTypes.json, title: tileMatrixSet }],
      },
    ],
  }
}

/** Returns the definition of the tile matrix set. @see OGC 17-083r4 clause 7 */
export function tileMatrixSetDocument() {
  return {
    id: tileMatrixSet,
    title: 'Tiles of EPSG:3857',
    uri: tileMatrixSetUri,
    crs: epsgUri(3857),
    orderedAxes: ['X', 'Y'],
    wellKnownScaleSet: 'http://www.opengis.net/def/wkss/OGC/1.0/GoogleMapsCompatible',
    tileMatrices: Array.from({ length: maxZoom + 1 }, (_, z) => {
      const cellSize = tileWidth(z) / pixels.tile
      return {
        id: String(z),
        scaleDenominator: cellSize / pixels.metres,
        cellSize,
        cornerOfOrigin: 'topLeft',
        pointOfOrigin: [-mercatorHalfWorld, mercatorHalfWorld],
        tileWidth: pixels.tile,
        tileHeight: pixels.tile,
        matrixWidth: 2 ** z,
        matrixHeight: 2 ** z,
      }
    }),
  }
}

/** Returns the list of tilesets of a collection. @see OGC 20-057 clause 9 */
export function tilesetsDocument(api: FeatureApi, collection: Collection) {
  const url = collectionUrl(api, collection, '/tiles')
  return { links: selfLinks(url), tilesets: [tilesetDocument(api, collection)] }
}

/** Returns the description of the vector tiles of a collection. @see OGC 20-057 clause 8 */
export function tilesetDocument(api: FeatureApi, collection: Collection) {
  const { title, id, layer } = collection
  const url = collectionUrl(api, collection, `/tiles/${tileMatrixSet}`)
  const links: Link[] = [
    { href: url, rel: 'self', type: mediaTypes.json, title: `Vector tiles of ${title}` },
    {
      href: `${api.url}/tileMatrixSets/${tileMatrixSet}`,
      rel: 'http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme',
      type: mediaTypes.json,
      title: tileMatrixSet,
    },
  ]
  const template = {
    href: `${url}/{tileMatrix}/{tileRow}/{tileCol}`,
    rel: 'item',
    type: mediaTypes.mvt,
    title: 'Mapbox vector tiles',
    templated: true,
  }
  return {
    title,
    dataType: 'vector',
    crs: epsgUri(3857),
    tileMatrixSetURI: tileMatrixSetUri,
    layers: [
      {
        id,
        title,
        dataType: 'vector',
        geometryDimension: dimensions[geometryParts(layer.geometryType).family],
      },
    ],
    links: [...links, template],
  }
}

/** Dimensions of geometries by family. */
const dimensions = { POINT: 0, LINESTRING: 1, POLYGON: 2 } as const
