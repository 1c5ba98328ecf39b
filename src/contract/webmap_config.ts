import type { Datatype, GeometryType } from './geometry.ts'

/** Part of a web map's tree, as its page gets it. */
export type ConfigItem<Style = unknown> = ConfigLayer<Style> | ConfigGroup<Style>

/** A group of layers. */
export interface ConfigGroup<Style = unknown> {
  readonly type: 'group'
  /** Number within the map. */
  readonly id: number
  readonly key: number
  readonly label: string
  /** Whether it is unfolded at first. */
  readonly expanded: boolean
  readonly exclusive: boolean
  readonly children: readonly ConfigItem<Style>[]
}

/** A layer that the caller may see. */
export interface ConfigLayer<Style = unknown> {
  readonly type: 'layer'
  /** Number within the map. */
  readonly id: number
  readonly key: number
  readonly label: string
  /** Resource that holds the features. */
  readonly layerId: number
  readonly styleId: number
  /** Whether it is checked at first. */
  readonly visibility: boolean
  readonly identifiable: boolean
  /** 0 to 1; null for opaque. */
  readonly opacity: number | null
  /** Denominator of the smallest scale it is shown at: the largest number. */
  readonly minScaleDenom: number | null
  /** Denominator of the largest scale it is shown at: the smallest number. */
  readonly maxScaleDenom: number | null
  readonly drawOrderPosition: number | null
  readonly adapter: 'image' | 'tile'
  readonly plugin: Readonly<Record<string, never>>
  readonly legendInfo: { readonly visible: 'collapse' | 'disable'; readonly has_legend: boolean }
  readonly identification: {
    readonly mode: 'feature_layer'
    readonly resource: { readonly id: number }
  } | null
  /** What our own page draws by. */
  readonly landform: LayerDrawing<Style>
}

/** What the page needs to draw a layer from vector tiles, and to name what it finds. */
export interface LayerDrawing<Style = unknown> {
  readonly geometryType: GeometryType
  readonly style: Style
  /** Counts the changes of the features. */
  readonly dataVersion: number
  /** Fields in order; empty where the caller may not see the structure. */
  readonly fields: readonly ConfigField[]
  /** Whom the data comes from, as text; null where nothing is said, or not to the caller. */
  readonly attribution: string | null
}

/** A field, as the page shows it. */
export interface ConfigField {
  readonly keyname: string
  readonly label: string
  readonly datatype: Datatype
}

/** West, south, east, north, in degrees. East is less than west where the box crosses the antimeridian. */
export type DegreeBox = readonly [west: number, south: number, east: number, north: number]

/** What the page of a web map shows to the one who asks. The names are those of the API in the wild. */
export interface WebmapConfig<Style = unknown> {
  readonly webmapId: number
  readonly webmapTitle: string
  /** HTML, of which only what is harmless is left. */
  readonly webmapDescription: string | null
  readonly initialExtent: DegreeBox
  readonly constrainingExtent: DegreeBox | null
  readonly rootItem: {
    readonly type: 'root'
    readonly id: number
    readonly children: readonly ConfigItem<Style>[]
  }
  /** Ids of the layers checked at first. */
  readonly checkedItems: readonly number[]
  /** Ids of the groups unfolded at first. */
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
  /** What our own page shows besides. */
  readonly landform: {
    /** Names of layers that the caller may see and that cannot be drawn yet: pictures. */
    readonly undrawn: readonly string[]
  }
}
