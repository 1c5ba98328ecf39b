import type { WebmapConfig } from '../bodies/webmap_config.ts'
import {
  type ImageFormat,
  imageFormats,
  imageLimits,
  type LabelChoice,
  labelChoices,
} from '../formats/image_format.ts'
import { maxLayers, tileLimits } from '../limits.ts'
import { EmptySchema, IdParams, list, type MoreQuery, query, type RouteDescriptor } from '../route.ts'
import { Type } from '../schema/type.ts'

const tileAddress = {
  z: Type.Integer({ minimum: 0, maximum: 24, description: 'Zoom level.' }),
  x: Type.Integer({ minimum: 0, description: 'Column, from the west.' }),
  y: Type.Integer({ minimum: 0, description: 'Row, from the north.' }),
}
const resources = list(Type.Integer({ minimum: 0 }), {
  maxItems: maxLayers,
  description: 'Resources, from bottom to top.',
})
const cache = Type.Boolean({ description: 'Whether a cached image may be returned.' })
const nd = Type.Integer({ enum: [200, 204, 404], description: 'Status of an empty result.' })
const format = Type.Unsafe<ImageFormat>({
  ...{ type: 'string', enum: imageFormats },
  description:
    'Format of the image: png (with a palette if it has at most 256 colours), webp (lossless) or jpeg (on white). By default the first of these that the header Accept names, png if it accepts all images.',
})
const scaleOf = (what: string) =>
  Type.Integer({
    minimum: 1,
    maximum: imageLimits.scale,
    description: `Device pixels per pixel, 1 by default: 2 for displays of high resolution. ${what} scale times as many columns and rows, and symbols and lines are scale times as large.`,
  })
const scale = scaleOf('The image has')

const labels = Type.Unsafe<LabelChoice>({
  ...{ type: 'string', enum: labelChoices },
  description:
    'Whether labels are drawn: yes, no, or only labels and nothing else; yes by default. Two images of the same resources with no and only show, one over the other, what one with yes shows.',
})

/**
 * What is drawn of a resource: positions of the symbols of its style, such as `0-3,5`, and a condition that features have to
 * meet, such as `["==",["get","kind"],"road"]`. No cached image is returned.
 */
const drawChoice: MoreQuery = {
  pattern: '^(?:symbols|filter)\\[\\d+\\]$',
  examples: ['symbols[{id}]', 'filter[{id}]'],
  maxCount: 2 * maxLayers,
}

const iconSize = Type.Integer({
  minimum: 8,
  maximum: 64,
  description: 'Side of icons in pixels, 24 by default.',
})

const legendScale = scaleOf('The image, except what other services draw, has')
const iconScale = scaleOf('Icons, except what other services draw, have')

const LegendSymbolsSchema = Type.Array(
  Type.Object({
    index: Type.Integer({ description: 'Position among the symbols of the style.' }),
    render: Type.Boolean({ description: 'Whether the style draws the symbol by default.' }),
    display_name: Type.String(),
    icon: Type.Object({
      format: Type.Unsafe<'png'>({ type: 'string', enum: ['png'] }),
      data: Type.String({ description: 'PNG image, in Base64.' }),
    }),
  }),
)

/** Size of previews: that of images of pages in social networks, and the maximum of a side. */
export const previewSize = { width: 1200, height: 630, side: 2048 } as const

const count = Type.Integer({ description: 'Number of tiles.' })
const bytes = Type.Integer({ description: 'Size of their files in bytes.' })

const KeptTilesSchema = Type.Object({
  tiles: count,
  bytes,
  zooms: Type.Array(
    Type.Object({ zoom: Type.Integer({ description: 'Zoom level.' }), tiles: count, bytes }),
    {
      description: 'Zoom levels with tiles, in ascending order.',
    },
  ),
})

const tileCache = {
  route: 'landform.tile_cache',
  path: '/api/component/landform/tile_cache/{id}',
  params: IdParams,
} as const

/** Operations that render. */
export const renderRoutes = {
  'render.mvt': {
    route: 'feature_layer.mvt',
    method: 'GET',
    path: '/api/component/feature_layer/mvt',
    summary: 'Renders a vector tile of layers.',
    query: query({
      ...tileAddress,
      resource: resources,
      simplification: Type.Integer({
        minimum: 0,
        maximum: 4096,
        description: `Simplification tolerance in units, 1/512 of the extent by default; 0 disables it for layers with up to ${tileLimits.unsimplified} features and ${tileLimits.layerBytes} bytes in the tile.`,
      }),
      extent: Type.Integer({
        minimum: 256,
        maximum: 8192,
        description: 'Number of units along the side of the tile.',
      }),
      thin_by: Type.String({
        maxLength: 1024,
        description:
          'Field of numbers, dates or times: where features are thinned, the one with the highest value is kept, with a leading "-" the one with the lowest. By default the largest geometry, and the last point.',
      }),
      style: list(Type.Integer({ minimum: 0 }), {
        maxItems: maxLayers,
        description:
          'Styles of the layers: features have an attribute "style_class" with the positions of the symbols that draw them at the zoom level, as in legend_symbols, such as "0" or "0,3". Features that their style does not draw have none.',
      }),
      padding: Type.Number({ minimum: 0, maximum: 0.5, description: 'Margin, as a fraction of the side.' }),
    }),
    responseKind: 'tile',
  },
  'render.mvt_path': {
    route: 'feature_layer.mvt_path',
    method: 'GET',
    path: '/api/resource/{id}/{z}/{x}/{y}.mvt',
    summary: 'Renders a vector tile of a layer; deprecated.',
    params: Type.Object({ ...IdParams.properties, ...tileAddress }),
    permission: 'data.read',
    responseKind: 'tile',
  },
  'render.tile': {
    route: 'render.tile',
    method: 'GET',
    path: '/api/component/render/tile',
    summary: 'Renders a raster tile of styles.',
    query: query({ ...tileAddress, resource: resources, cache, nd, format, scale, labels }),
    moreQuery: drawChoice,
    responseKind: 'image',
  },
  'render.image': {
    route: 'render.image',
    method: 'GET',
    path: '/api/component/render/image',
    summary: 'Renders an image of an extent.',
    query: query({
      extent: list(Type.Number(), {
        maxItems: 4,
        description: 'minx, miny, maxx, maxy in the reference system srs.',
      }),
      srs: Type.Integer({
        minimum: 1,
        maximum: 999_999,
        description:
          'EPSG code of the reference system of the image, 3857 by default. x is the longitude or easting.',
      }),
      size: list(Type.Integer({ minimum: 1, maximum: imageLimits.side }), {
        maxItems: 2,
        description: `Width and height in pixels; times scale at most ${imageLimits.side}, and ${imageLimits.pixels} pixels as webp or jpeg.`,
      }),
      resource: resources,
      cache,
      nd,
      format,
      scale,
      labels,
      tdi: Type.Unsafe<'yes' | 'no'>({
        type: 'string',
        enum: ['yes', 'no'],
        description:
          'Whether to outline the tiles of the image, with their addresses, or at other resolutions the image, with its extent; no by default.',
      }),
    }),
    moreQuery: drawChoice,
    responseKind: 'image',
  },
  'render.preview': {
    route: 'resource.preview',
    method: 'GET',
    path: '/api/resource/{id}/preview.png',
    summary:
      'Draws a preview of a layer or style in its extent, or of a web map as its page opens: base map, and the layers that are visible and that the caller may read.',
    params: IdParams,
    query: query({
      size: list(Type.Integer({ minimum: 16, maximum: previewSize.side }), {
        maxItems: 2,
        description: `Width and height in pixels, by default ${previewSize.width},${previewSize.height}.`,
      }),
    }),
    responseKind: 'image',
  },
  'render.legend': {
    route: 'render.legend',
    method: 'GET',
    path: '/api/resource/{id}/legend',
    summary:
      'Draws the legend of a style: each symbol in its size on the map, with its caption; that of a WMS layer as its service draws it; and those of the layers of a web map.',
    params: IdParams,
    query: query({ scale: legendScale }),
    responseKind: 'image',
  },
  'render.legend_symbols': {
    route: 'render.legend_symbols',
    method: 'GET',
    path: '/api/resource/{id}/legend_symbols',
    summary:
      'Returns the symbols of the legend of a style, with icons; for a WMS layer the images of its service; for a web map those of its layers.',
    params: IdParams,
    query: query({ icon_size: iconSize, scale: iconScale }),
    response: LegendSymbolsSchema,
  },
  'render.resource_legend_symbols': {
    route: 'render.resource_legend_symbols',
    method: 'GET',
    path: '/api/component/render/legend_symbols',
    summary: 'Returns the symbols of the legends of several styles, with icons.',
    query: query({
      resources: list(Type.Integer({ minimum: 0 }), { maxItems: maxLayers, description: 'Resources.' }),
      icon_size: iconSize,
      scale: iconScale,
    }),
    response: Type.Object({
      items: Type.Array(
        Type.Object({
          resource: Type.Object({ id: Type.Integer() }),
          legend_symbols: Type.Optional(LegendSymbolsSchema),
        }),
        { description: 'One for each resource; without symbols if its class has no legend.' },
      ),
    }),
  },
  'tile_cache.count': {
    ...tileCache,
    method: 'GET',
    permission: 'resource.read',
    summary: 'Counts the tiles of a style that this server keeps on disk.',
    response: KeptTilesSchema,
  },
  'tile_cache.purge': {
    ...tileCache,
    method: 'DELETE',
    permission: 'resource.update',
    summary:
      'Deletes the tiles of a style that the server keeps; they are drawn again when they are requested.',
    response: EmptySchema,
  },
  'style.qml': {
    route: 'qgis.style_qml',
    method: 'GET',
    path: '/api/resource/{id}/qml',
    summary: 'Downloads the style file of a desktop GIS style: QML, or SLD or Mapbox GL if that was written.',
    params: IdParams,
    permission: 'resource.read',
    responseKind: 'file',
  },
  'webmap.display': {
    route: 'webmap.display',
    method: 'GET',
    path: '/resource/{id}/display',
    summary: 'Page of a web map.',
    params: IdParams,
    permission: 'webmap.display',
    responseKind: 'html',
  },
  'webmap.display_tiny': {
    route: 'webmap.display.tiny',
    method: 'GET',
    path: '/resource/{id}/display/tiny',
    summary: 'Page of a web map, without layer tree and tools.',
    params: IdParams,
    permission: 'webmap.display',
    responseKind: 'html',
  },
  'webmap.config': {
    route: 'webmap.display_config',
    method: 'GET',
    path: '/api/resource/{id}/webmap/display_config',
    summary: 'Returns the configuration of the page of a web map for the caller.',
    params: IdParams,
    permission: 'webmap.display',
    response: Type.Unsafe<WebmapConfig>({ type: 'object' }),
  },
} as const satisfies Record<string, RouteDescriptor>
