import type Layer from 'ol/layer/Layer'
import type OlMap from 'ol/Map'
import type { ConfigBasemap } from '../contract/bodies/webmap_config.ts'
import { drawOrder, isShownAt, listLayers, type MapConfig, type MapLayer } from '../style/map_layers.ts'
import { type AddressState, findUnknownStyles, formatAddress, parseAddress } from './address.ts'
import { createStatus, type Status } from './catalog/status.ts'
import { element } from './element.ts'
import { createLookup } from './lookup.ts'
import { type BaseMap, createBaseMap } from './map/base_map.ts'
import { createBaseMapSwitch } from './map/base_map_switch.ts'
import { type DrawnLayer, drawLayers, type LayerImages } from './map/layer_images.ts'
import { createLayerTree, type LayerTree } from './map/layer_tree.ts'
import { createMap, createPosition, goTo, readPlace, viewExtentOf } from './map/viewport.ts'
import { watchLayers } from './map/watch_layers.ts'
import { createPanel, isNarrow, loginAddress, type Panel } from './panel.ts'
import { createRecovery, type OpenRecovery } from './recovery.ts'
import { askJson, reasonOf, session } from './request.ts'
import { createTools } from './tools.ts'

/** Options of the page of a web map. */
export interface PageOptions {
  readonly id: number
  /** Whether to omit the layer tree and the tools. */
  readonly tiny: boolean
}

interface Page {
  readonly config: MapConfig
  readonly map: OlMap
  /** Drawn layers, from top to bottom. */
  readonly layers: readonly DrawnLayer[]
  readonly drawn: readonly Layer[]
  readonly refresh: LayerImages['refresh']
  readonly baseMap: BaseMap
  readonly status: Status
  readonly openRecovery: OpenRecovery
}

/** Layers that the server cannot draw, by id, with the reason. */
class Undrawable extends EventTarget {
  readonly reasons = new Map<number, string>()

  add({ id }: MapLayer, reason: string): void {
    this.reasons.set(id, reason)
    this.dispatchEvent(new Event('change'))
  }
}

/** Returns the path of the configuration of a web map. */
export const configPath = (id: number) => `/api/resource/${id}/webmap/display_config`

/** Builds the page of a web map from the server's configuration for the caller. */
export async function startPage({ id, tiny }: PageOptions): Promise<void> {
  const status = createStatus()
  document.body.classList.toggle('tiny', tiny)
  document.body.append(...status.elements)
  session.addEventListener('ended', () => reportLostLogin(status))
  const config = await status.track(askJson<MapConfig>(configPath(id)))
  const undrawable = new Undrawable()
  const page = openPage(config, { status, tiny, undrawable })
  const side = tiny
    ? undefined
    : createLayerPanel(page, {
        undrawable,
        onOpen: () => isNarrow() && features.close(),
        onHide: (layerId) => features.removeLayer(layerId),
      })
  const features = createLookup({ ...page, onOpen: () => isNarrow() && side?.panel.hide() })
  const tools = createTools(page.map, { initialExtent: config.initialExtent, tiny })
  document.body.append(...(side?.panel.elements ?? []), tools, ...status.elements, features.root)
  announceDrawn(page)
  watchLayers(
    page.map,
    () => askJson<MapConfig>(configPath(id)),
    (current) => {
      const changed = page.refresh(current)
      side?.tree.reloadLegends(changed)
    },
  )
}

interface Opening extends Pick<PageOptions, 'tiny'> {
  readonly status: Status
  readonly undrawable: Undrawable
}

/** Creates the map on the page, with its layers and footer. */
function openPage(config: MapConfig, { status, tiny, undrawable }: Opening): Page {
  const target = mapElement(config)
  const corner = element('div', { class: 'corner' })
  document.body.prepend(element('main', {}, target), corner)
  const start = parseAddress(location.search)
  const map = createMap({ target, scaleTarget: corner, initialExtent: config.initialExtent, start })
  reportUnknownStyles(config, status)
  const ordered = drawOrder(config).map((layer) => startLayer(layer, start))
  const openRecovery = createRecovery(status)
  const onUndrawable = (layer: MapLayer, reason: string) => {
    // Without a layer tree there are no badges.
    if (tiny) status.report(`Cannot show ${layer.label}. ${reason}`)
    undrawable.add(layer, reason)
  }
  const { layers, drawn, refresh } = drawLayers(ordered, { status, openRecovery, onUndrawable })
  const attribution = element('p', { class: 'attribution' })
  const onChange = () => attribution.replaceChildren(...attributionOf(page))
  const baseMap = createBaseMap({ map, status, openRecovery, onChange })
  const page: Page = { config, map, layers, drawn, refresh, baseMap, status, openRecovery }
  for (const one of drawn) map.addLayer(one)
  baseMap.show(findBase(config, start))
  corner.append(...(tiny ? [] : [createPosition(map)]), attribution)
  return page
}

function mapElement({ webmapTitle }: MapConfig): HTMLElement {
  return element('div', {
    class: 'map',
    tabindex: 0,
    role: 'application',
    'aria-label': `Map: ${webmapTitle}`,
    'aria-description':
      'Arrow keys move the map, plus and minus zoom, Enter identifies features in the center.',
  })
}

function reportUnknownStyles({ rootItem }: MapConfig, status: Status): void {
  const known = listLayers(rootItem.children).map(({ styleId }) => styleId)
  const unknown = findUnknownStyles(location.search, known)
  if (unknown.length > 0)
    status.report(`This map has no layers for these styles in the URL: ${unknown.join(', ')}.`)
}

/** The base map of the URL, if it has one that the map has. */
function findBase({ landform }: MapConfig, { base }: Partial<AddressState>): ConfigBasemap | undefined {
  if (base === 'none') return undefined
  const find = (id: number | null | undefined) => landform.basemaps.find((one) => one.id === id)
  return find(base) ?? find(landform.initialBasemap)
}

function reportLostLogin(status: Status): void {
  const act = () => location.assign(loginAddress())
  status.report('Your session has ended.', { label: 'Log in', act })
}

// If the URL has styles, only their layers are visible.
function startLayer(layer: MapLayer, { styles, opacity }: Partial<AddressState>): MapLayer {
  const percent = opacity?.get(layer.styleId)
  return {
    ...layer,
    ...(styles === undefined ? {} : { visibility: styles.includes(layer.styleId) }),
    ...(percent === undefined ? {} : { opacity: percent / 100 }),
  }
}

interface PanelEvents {
  readonly undrawable: Undrawable
  onOpen(): void
  /** A layer is in no visible item of the tree any more. */
  onHide(layerId: number): void
}

/** The panel with the layer tree. */
interface LayerPanel {
  readonly panel: Panel
  readonly tree: LayerTree
}

function createLayerPanel(page: Page, { undrawable, onOpen, onHide }: PanelEvents): LayerPanel {
  const { map, config } = page
  const legends = page.openRecovery(
    () => 'the legend',
    () => {},
  )
  const tree = createLayerTree({
    items: config.rootItem.children,
    checked: new Set(page.layers.filter((one) => one.isVisible()).map(({ layer }) => layer.id)),
    opacities: new Map(page.layers.map((one) => [one.layer.id, one.opacity()])),
    onChange: (layer, checked) => {
      page.layers.find((one) => one.layer.id === layer.id)?.setVisible(checked)
      const { layerId } = layer
      if (!page.layers.some((one) => one.layer.layerId === layerId && one.isVisible())) onHide(layerId)
    },
    onOpacity: (layer, opacity) => page.layers.find((one) => one.layer.id === layer.id)?.setOpacity(opacity),
    onZoom: (layer) => void zoomToLayer(page, layer),
    loadLegend: (key, run) => legends.load(key, () => page.status.track(run())),
  })
  // Once for all layers of a group, and at the end of the way of a slider: browsers limit how often a page does this.
  tree.root.addEventListener('change', () => writeAddress(page))
  map.on('moveend', () => {
    markScale(page, tree)
    writeAddress(page)
  })
  undrawable.addEventListener('change', () => tree.markUndrawable(undrawable.reasons))
  const baseMaps = config.landform.basemaps.length === 0 ? [] : [baseMapSwitch(page)]
  return {
    tree,
    panel: createPanel({ config, tree: tree.root, filter: tree.filter, more: baseMaps, onOpen }),
  }
}

function baseMapSwitch(page: Page): HTMLElement {
  const { basemaps } = page.config.landform
  const onChoose = (basemap: ConfigBasemap | undefined) => {
    page.baseMap.show(basemap)
    writeAddress(page)
  }
  return createBaseMapSwitch({ basemaps, chosen: page.baseMap.shown(), onChoose })
}

function markScale({ map }: Page, tree: LayerTree): void {
  const resolution = map.getView().getResolution() ?? 0
  tree.markScale((layer) => isShownAt(layer, resolution))
}

function writeAddress(page: Page): void {
  const { map, config, layers, baseMap } = page
  const visible = new Set(layers.filter((one) => one.isVisible()).map(({ layer }) => layer.id))
  const styles = listLayers(config.rootItem.children)
    .filter(({ id }) => visible.has(id))
    .map(({ styleId }) => styleId)
  const opacity = changedOpacity(page)
  const base = config.landform.basemaps.length === 0 ? undefined : (baseMap.shown()?.id ?? 'none')
  const query = formatAddress(location.search, { ...readPlace(map), styles, opacity, base })
  history.replaceState(null, '', query + location.hash)
}

/** Lists the opacity of layers that the user has set, in percent by style. */
function changedOpacity({ config, layers }: Page): Map<number, number> {
  const percents = new Map(layers.map((one) => [one.layer.id, Math.round(one.opacity() * 100)]))
  return new Map(
    listLayers(config.rootItem.children).flatMap(({ id, styleId, opacity }) => {
      const percent = percents.get(id)
      const isSame = percent === undefined || percent === Math.round((opacity ?? 1) * 100)
      return isSame ? [] : [[styleId, percent] as const]
    }),
  )
}

async function zoomToLayer({ map, status }: Page, { layerId, label }: MapLayer): Promise<void> {
  try {
    const path = `/api/resource/${layerId}/extent`
    const { extent } = await status.track(askJson<{ extent: Record<string, number | null> }>(path))
    const { minLon, minLat, maxLon, maxLat } = extent
    if (minLon == null || minLat == null || maxLon == null || maxLat == null) {
      status.report(`${label} has no features.`)
    } else goTo(map, viewExtentOf([minLon, minLat, maxLon, maxLat]))
  } catch (error) {
    status.report(`Cannot read the extent of ${label}. ${reasonOf(error)}`)
  }
}

/** The attributions of the base map and of all layers. */
function attributionOf({ config, baseMap }: Pick<Page, 'config' | 'baseMap'>): (Node | string)[] {
  const texts = listLayers(config.rootItem.children).map(({ landform }) => landform.attribution)
  const parts: (Node | string)[] = [...new Set(texts.filter((text) => text !== null))]
  const base = baseMap.shown()?.attribution
  if (base?.url) parts.push(element('a', { href: base.url, target: '_blank', rel: 'noopener' }, base.text))
  else if (base) parts.push(base.text)
  return parts.flatMap((part, at) => (at === 0 ? [part] : [' · ', part]))
}

/** Marks the page as completely rendered, for printing and browser tests. */
function announceDrawn({ map, drawn, status }: Page): void {
  let isRendered = false
  const busy = () => {
    isRendered = false
    document.body.dataset.drawn = 'false'
  }
  busy()
  map.on(['movestart', 'loadstart'], busy)
  // Legends and repeated loads are no part of what the map renders: it is rendered again once they have ended.
  status.onTurn(() => {
    busy()
    map.render()
  })
  for (const layer of drawn) {
    layer.on('change:visible', busy)
    layer.on('change:opacity', busy)
    for (const type of ['change', 'tileloadstart', 'imageloadstart'])
      layer.getSource()?.addEventListener(type, busy)
  }
  map.on('postrender', () => {
    isRendered = true
  })
  // The map says that it is complete a while after it was rendered, and may have changed since.
  map.on('rendercomplete', () => {
    document.body.dataset.drawn = String(isRendered && status.isIdle())
  })
}
