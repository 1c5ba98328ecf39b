import type { Datatype } from '../geometry.ts'

/** Item of the layer tree in the configuration of the page. */
export type ConfigItem = ConfigLayer | ConfigGroup

/** Group of layers. */
export interface ConfigGroup {
  readonly type: 'group'
  /** Identifier within the map. */
  readonly id: number
  readonly key: number
  readonly label: string
  /** Whether it is initially expanded. */
  readonly expanded: boolean
  readonly exclusive: boolean
  readonly children: readonly ConfigItem[]
}

/** Layer that the caller can see. */
export interface ConfigLayer {
  readonly type: 'layer'
  /** Identifier within the map. */
  readonly id: number
  readonly key: number
  readonly label: string
  /** Layer that is drawn. */
  readonly layerId: number
  readonly styleId: number
  /** Whether it is initially visible. */
  readonly visibility: boolean
  readonly identifiable: boolean
  /** 0 to 1; null for opaque. */
  readonly opacity: number | null
  /** Denominator of the minimum scale, which is the larger number. */
  readonly minScaleDenom: number | null
  /** Denominator of the maximum scale, which is the smaller number. */
  readonly maxScaleDenom: number | null
  readonly drawOrderPosition: number | null
  readonly adapter: 'image' | 'tile'
  readonly plugin: Readonly<Record<string, never>>
  readonly legendInfo: { readonly visible: 'collapse' | 'disable'; readonly has_legend: boolean }
  readonly identification: {
    /** Values of rasters have a mode of their own: they have no geometry. */
    readonly mode: 'feature_layer' | 'raster_layer'
    readonly resource: { readonly id: number }
  } | null
  /** Extension for the web map page of landform. */
  readonly landform: LayerDrawing
}

/** What the page of landform needs to know of a layer. The server draws it. */
export interface LayerDrawing {
  /** Changes with the style and with the data that it draws; not with those of other services. */
  readonly version: string
  /** Parts of the style that are not drawn as it says, one sentence each; the first ones. */
  readonly undrawnParts: readonly string[]
  /** Distance in pixels within which a click hits a symbol. */
  readonly reach: number
  /** Whether what a click finds are features, whose geometries can be read; else it is the values or the text of an image. */
  readonly hasFeatures: boolean
  /** Whether the style has labels, at any scale. */
  readonly hasLabels: boolean
  /** Whether the legend is a picture, which another service has drawn, and not a list of symbols. */
  readonly hasLegendPicture: boolean
  /** Whether the server keeps the tiles of the style on disk. */
  readonly keepsTiles: boolean
  /** Whether the layer has an extent, to which the map can zoom. */
  readonly hasExtent: boolean
  /** Fields in order; empty if the caller cannot read the data structure. */
  readonly fields: readonly ConfigField[]
  /** Attribution as plain text; null if absent or not readable by the caller. */
  readonly attribution: string | null
}

/** A base map that the caller can see. */
export interface ConfigBasemap {
  /** Resource id. */
  readonly id: number
  readonly label: string
  /** 0 to 1. */
  readonly opacity: number
  /**
   * Addresses of the tiles in EPSG:3857, one for each host, with {z}, {x} and {y}, or {-y} for rows from the bottom; or with
   * {q}. Empty if browsers cannot load them: then the server draws the base map.
   */
  readonly urls: readonly string[]
  readonly minZoom: number | null
  /** Highest zoom level of the tiles, which are enlarged above it. */
  readonly maxZoom: number | null
  readonly attribution: { readonly text: string; readonly url: string | null } | null
}

/** Field of a layer. */
export interface ConfigField {
  readonly keyname: string
  readonly label: string
  readonly datatype: Datatype
  /** Whether people see the field in tables and found features: `grid_visibility`. */
  readonly isShown: boolean
}

/** West, south, east, north, in degrees. East is less than west where the box crosses the antimeridian. */
export type DegreeBox = readonly [west: number, south: number, east: number, north: number]

/** Configuration of the page of a web map for the caller, with the names of the original API. */
export interface WebmapConfig {
  readonly webmapId: number
  readonly webmapTitle: string
  /** Sanitized HTML. */
  readonly webmapDescription: string | null
  readonly initialExtent: DegreeBox
  readonly constrainingExtent: DegreeBox | null
  readonly rootItem: {
    readonly type: 'root'
    readonly id: number
    readonly children: readonly ConfigItem[]
  }
  /** Ids of the initially visible layers. */
  readonly checkedItems: readonly number[]
  /** Ids of the initially expanded groups. */
  readonly expandedItems: readonly number[]
  readonly mid: { readonly adapter: readonly string[]; readonly plugin: readonly string[] }
  readonly annotations: {
    readonly enabled: boolean
    readonly default: 'no'
    readonly scope: { readonly read: boolean; readonly write: boolean; readonly manage: boolean }
  }
  readonly webmapPlugin: Readonly<Record<string, never>>
  readonly webmapEditable: boolean
  readonly webmapLegendVisible: 'collapse' | 'disable'
  readonly drawOrderEnabled: boolean
  readonly measureSrsId: number | null
  readonly bookmarkLayerId: number | null
  readonly printMaxSize: number
  /** Extension for the web map page of landform. */
  readonly landform: {
    /** Base maps to choose from, in order. */
    readonly basemaps: readonly ConfigBasemap[]
    /** Id of the base map that is shown first; null for none. */
    readonly initialBasemap: number | null
  }
}
