import { createRequire } from 'node:module'
import type { Connector } from './connector.ts'

/** A feature as returned by the kit, with GeoJSON geometry in EPSG:4326. */
export interface KitItem {
  readonly id: number
  readonly geom?: { readonly type: string; readonly coordinates: unknown }
  readonly fields: Readonly<Record<string, unknown>>
  readonly extensions?: Readonly<Record<string, unknown>>
  /** Fetches the geometry if it is not included. */
  toGeojson?(): Promise<KitFeature>
}

/** The same, as GeoJSON. */
export interface KitFeature {
  readonly type: 'Feature'
  readonly id: number
  readonly geometry: KitItem['geom']
  readonly properties: Readonly<Record<string, unknown>>
}

/** A condition on a field, or a list of conditions that starts with `all` or `any`. */
export type KitFilter = readonly unknown[]

/** A feature query. */
export interface KitRequest {
  readonly connector: Connector
  readonly resourceId: number
  readonly filters?: KitFilter
  readonly fields?: readonly string[] | null
  readonly extensions?: readonly string[]
  readonly geom?: boolean
  readonly limit?: number
  readonly offset?: number
  readonly orderBy?: readonly string[]
  readonly intersects?: unknown
  readonly ilike?: string
  readonly like?: string
  readonly srs?: number
  readonly cache?: boolean
}

type OneRequest = KitRequest & { readonly featureId: number }
type Bounds = readonly number[]

/** Identified features by layer. */
export type Identified = Readonly<Record<string, unknown>> & { readonly featureCount: number }

/** An identified feature, as wrapped by the kit. */
export interface KitIdentifyItem {
  identify(): Promise<KitItem>
  getBounds(): Promise<Bounds>
  geojson(): Promise<KitFeature>
  readonly label: string
}

/** A layer of the kit that shows features on a map. */
export interface KitLayer {
  addLayer(options: object): Promise<unknown>
  updateLayer(): Promise<void>
  propertiesFilter(filters: KitFilter): Promise<void>
  getCount(): Promise<number>
  getBounds(): Promise<Bounds>
}

/** The feature functions of the kit. */
export interface Kit {
  fetchNgwLayerItems(request: KitRequest): Promise<KitItem[]>
  fetchNgwLayerFeatures(request: KitRequest): Promise<KitFeature[]>
  fetchNgwLayerFeatureCollection(request: KitRequest): Promise<{ readonly features: readonly KitFeature[] }>
  fetchNgwLayerItem(request: OneRequest): Promise<KitItem>
  fetchNgwLayerFeature(request: OneRequest): Promise<KitFeature>
  fetchNgwLayerCount(request: KitRequest): Promise<number>
  fetchNgwLayerExtent(request: KitRequest): Promise<Bounds>
  fetchNgwLayerItemExtent(request: OneRequest): Promise<Bounds>
  fetchNgwExtent(request: KitRequest): Promise<Bounds>
  selectNgwLayerDistinct(request: KitRequest): Promise<Record<string, unknown[]>>
  mapFeatureDisplayName(request: {
    readonly connector: Connector
    readonly resource: number
    readonly fields: readonly string[]
  }): Promise<string[]>
  prepareFieldsToNgw(item: object, fields: readonly object[]): Record<string, unknown>
  parseDate(date: unknown): string | undefined
  featureLayerIdentify(request: {
    readonly connector: Connector
    readonly layers: readonly number[]
    readonly geom: unknown
  }): Promise<Identified>
  sendIdentifyRequest(
    click: { readonly lngLat: readonly number[] },
    request: { readonly connector: Connector; readonly layers: readonly number[]; readonly radius: number },
  ): Promise<Identified>
  getIdentifyItems(
    found: Identified,
    multiple: boolean,
  ): { readonly resourceId: number; readonly featureId: number; readonly feature: object }[]
  fetchIdentifyItem(request: {
    readonly connector: Connector
    readonly identify: Identified
  }): Promise<KitItem>
  fetchIdentifyGeoJson(request: {
    readonly connector: Connector
    readonly identify: Identified
  }): Promise<KitFeature>
  createIdentifyItem(request: { readonly connector: Connector; readonly feature: object }): KitIdentifyItem
  uploadFeatureAttachment(
    request: OneRequest & { readonly file: { readonly file: Buffer; readonly name: string } },
  ): Promise<{ readonly id: number }>
  deleteFeatureAttachment(request: OneRequest & { readonly attachmentId: number }): Promise<unknown>
  createNgwLayerAdapter(
    options: { readonly resource: number; readonly adapter: 'GEOJSON'; readonly adapterOptions: object },
    map: object,
    connector: Connector,
  ): Promise<new (map: object, options: object) => KitLayer>
}

/** Matching modules: the kit, its connector and its map. */
export interface KitModules {
  readonly kit: Kit
  readonly NgwConnector: new (options: {
    readonly baseUrl: string
    readonly auth: { readonly login: string; readonly password: string }
  }) => Connector
  readonly WebMap: new (options: object) => object
}

/** Loads the kit and its connector with empty caches, which are global to the process. */
export function loadKit(): KitModules {
  const load = createRequire(import.meta.url)
  for (const file of Object.keys(load.cache)) if (/[/\\]@nextgis[/\\]/.test(file)) delete load.cache[file]
  const own = createRequire(load.resolve('@nextgis/ngw-kit'))
  const { WebMap } = own('@nextgis/webmap') as Pick<KitModules, 'WebMap'>
  return { kit: load('@nextgis/ngw-kit') as Kit, NgwConnector: own('@nextgis/ngw-connector'), WebMap }
}
