import { LRUCache } from 'lru-cache'
import type { Bbox } from '../geo/bbox.ts'
import type { LegendSize } from '../ogc/wms/wms_service.ts'
import type { PointBlock } from '../render/image/draw_job.ts'
import { createGeometryCache, type GeometryCache } from '../render/vector_tile/geometry_cache.ts'
import { countFeatures, type FeatureCount, findLayerExtent } from '../store/feature/layer_extent.ts'
import { cacheByVersion, type LayerQuery } from '../store/feature/layer_statistics.ts'
import { createPageMarks, type PageMarks } from '../store/feature/page_marks.ts'
import type { CurrentCache } from './map/current_cache.ts'
import { createStyleCache, type StyleCache } from './map/style_cache.ts'
import { type CachedTile, createTileCache } from './map/tile_cache.ts'
import { createLabelCache, type MetatileLabels } from './render/label_cache.ts'
import { createMapImageCache, type MapImage } from './render/map_image_cache.ts'
import { createDensityCache, type DensityCache } from './render/sources/density_source.ts'
import { createBlockCache } from './render/sources/group_source.ts'

/** Caches of results that are valid for one data version of a layer, or until data change in their area. */
export interface LayerCaches {
  /** First features of the pages of feature lists. */
  readonly pageMarks: PageMarks
  /** Number of features of a layer. */
  readonly count: LayerQuery<FeatureCount>
  /** Extent of a layer, in degrees. */
  readonly extent: LayerQuery<Bbox | undefined>
  /** Encoded vector tiles. */
  readonly tiles: CurrentCache<CachedTile>
  /** Simplified large geometries. */
  readonly geometries: GeometryCache
  /** Rendered images. */
  readonly images: CurrentCache<MapImage>
  /** Labels of tiles. */
  readonly labels: CurrentCache<MetatileLabels>
  /** Highest densities of heatmaps. */
  readonly densities: DensityCache
  /** Points of layers that are grouped. */
  readonly blocks: CurrentCache<PointBlock>
  /** Styles by resource id and version. */
  readonly styles: StyleCache
  /** Sizes of legends by their content. */
  readonly legendSizes: LRUCache<string, LegendSize>
}

/** Creates the caches of a server. */
export function createLayerCaches(): LayerCaches {
  return {
    pageMarks: createPageMarks(),
    count: cacheByVersion(countFeatures),
    extent: cacheByVersion(findLayerExtent),
    tiles: createTileCache(),
    geometries: createGeometryCache(),
    images: createMapImageCache(),
    labels: createLabelCache(),
    densities: createDensityCache(),
    blocks: createBlockCache(),
    styles: createStyleCache(),
    legendSizes: new LRUCache({ max: 10_000 }),
  }
}
