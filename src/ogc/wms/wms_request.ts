import type { WmsProtocol } from './wms_protocol.ts'
import type { InfoFormat, MapFormat } from './wms_service.ts'

/** The part of the world that a map shows. */
export interface MapView {
  /** EPSG code. */
  readonly srs: number
  /** Reference system as the client names it. */
  readonly crs: string
  /** Whether coordinates are in the order of the axes of the reference system. */
  readonly followsAuthority: boolean
  /** The numbers of the box, in the order of the request. */
  readonly bbox: readonly [number, number, number, number]
  /** In pixels. */
  readonly width: number
  readonly height: number
  /** Device pixels per pixel of 1/96 inch. */
  readonly pixelRatio: number
}

/** How an image is encoded. */
export interface ImageForm {
  readonly format: MapFormat
  /** Whether pixels without content are transparent. */
  readonly isTransparent: boolean
  /** Colour behind the map, as `#rrggbb`. */
  readonly background: string
}

/** A request for a map. */
export interface GetMap {
  readonly operation: 'GetMap'
  readonly protocol: WmsProtocol
  /** Names, from bottom to top. */
  readonly layers: readonly string[]
  readonly view: MapView
  readonly image: ImageForm
}

/** A request for the features at a pixel of a map. */
export interface GetFeatureInfo {
  readonly operation: 'GetFeatureInfo'
  readonly protocol: WmsProtocol
  readonly layers: readonly string[]
  readonly view: MapView
  readonly format: InfoFormat
  /** Maximum number of features of a layer. */
  readonly featureCount: number
  /** Column and row of the pixel. */
  readonly pixel: readonly [column: number, row: number]
  /** Distance from the pixel in which points and lines are found, in pixels. */
  readonly tolerance: number
}

/** A request for the legend of a layer. */
export interface GetLegendGraphic {
  readonly operation: 'GetLegendGraphic'
  readonly protocol: WmsProtocol
  readonly layer: string
  readonly image: ImageForm
  /** Device pixels per pixel of 1/96 inch. */
  readonly pixelRatio: number
}

/** A request. */
export type WmsRequest =
  | { readonly operation: 'GetCapabilities'; readonly protocol: WmsProtocol }
  | GetMap
  | GetFeatureInfo
  | GetLegendGraphic
