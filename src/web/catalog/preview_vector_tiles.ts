import type Feature from 'ol/Feature'
import type { ReadOptions } from 'ol/format/Feature'
import MVT from 'ol/format/MVT'
import type { Geometry } from 'ol/geom'
import VectorTileLayer from 'ol/layer/VectorTile'
import type { Projection } from 'ol/proj'
import VectorTileSource from 'ol/source/VectorTile'
import Circle from 'ol/style/Circle'
import Fill from 'ol/style/Fill'
import Stroke from 'ol/style/Stroke'
import Style from 'ol/style/Style'
import type { UrlFunction } from 'ol/Tile'
import TileState from 'ol/TileState'
import type TileGrid from 'ol/tilegrid/TileGrid'
import type VectorTile from 'ol/VectorTile'
import { isVectorTile } from '../../contract/formats/tile_format.ts'
import { readBytes, readLimited } from '../limited_response.ts'
import type { LoadReports } from '../load_report.ts'
import { mayCover, type PreviewArea } from './preview_view.ts'

/** Where vector tiles are. */
export interface VectorTiles {
  readonly projection: Projection
  readonly tileGrid: TileGrid
  readonly tileUrlFunction: UrlFunction
  readonly minZoom: number
  readonly area: PreviewArea
}

type VectorTileOf = VectorTile<Feature<Geometry>>

/** Creates a layer of vector tiles, all features in the same style: their own styles are not known. */
export function createVectorTileLayer(
  { minZoom, area, ...tiles }: VectorTiles,
  reports: LoadReports,
): VectorTileLayer {
  let isEmpty = true
  const source = new VectorTileSource({
    ...tiles,
    format: new MVT(),
    tileLoadFunction: (tile, url) => {
      const loading = tile as VectorTileOf
      loading.setLoader((extent, _resolution, featureProjection) => {
        void load(loading, url, { extent, featureProjection })
      })
    },
  })
  async function load(tile: VectorTileOf, url: string, options: ReadOptions): Promise<void> {
    try {
      const features = parse(tile, await inflate(await readLimited(url)), options)
      isEmpty &&= features.length === 0
      reports.onLoad(isEmpty ? 'The tiles of this area have no features.' : '')
      tile.setFeatures(features)
    } catch (error) {
      if (mayCover(area, options.extent ?? []))
        reports.onFault(error instanceof Error ? error.message : String(error))
      tile.setState(TileState.ERROR)
    }
  }
  return new VectorTileLayer({ source, minZoom, style, renderMode: 'vector' })
}

const isDark = matchMedia('(prefers-color-scheme: dark)').matches
const stroke = new Stroke({ color: isDark ? '#7fe0b8' : '#1f7a5c', width: 2 })
const style = new Style({
  stroke,
  fill: new Fill({ color: 'rgba(31,122,92,0.12)' }),
  image: new Circle({ radius: 3, stroke, fill: new Fill({ color: '#ffffff' }) }),
})

function parse(
  tile: VectorTileOf,
  bytes: Uint8Array<ArrayBuffer>,
  options: ReadOptions,
): Feature<Geometry>[] {
  const notTile = 'The response is not a vector tile.'
  if (!isVectorTile(bytes)) throw new Error(notTile)
  try {
    return tile.getFormat().readFeatures(bytes.buffer, options) as Feature<Geometry>[]
  } catch {
    throw new Error(notTile)
  }
}

/** Decompresses a tile that is stored with gzip and sent without its Content-Encoding. */
async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return readBytes(stream)
}
