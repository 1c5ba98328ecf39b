import type OlMap from 'ol/Map'
import { formatAddress, parseAddress } from './address.ts'
import { element } from './element.ts'
import { createFeaturePanel } from './feature_panel.ts'
import { createHighlight, readGeometry } from './highlight.ts'
import { identify } from './identify.ts'
import { createLayerTree, type LayerTree } from './layer_tree.ts'
import { reachOf } from './paint.ts'
import { createPanel } from './panel.ts'
import { createPosition } from './position.ts'
import { askJson, session } from './request.ts'
import { createStatus, type Status } from './status.ts'
import { type DrawnLayer, drawLayers } from './tiles.ts'
import { createTools } from './tools.ts'
import { drawOrder, isShownAt, listLayers, type MapConfig, type MapLayer } from './tree_walk.ts'
import { createMap, extentOf, goTo, readPlace } from './viewport.ts'

/** Which map to show. */
export interface PageOptions {
  readonly id: number
  /** Without layer tree and tools. */
  readonly tiny: boolean
}

interface Page {
  readonly config: MapConfig
  readonly map: OlMap
  /** The uppermost first. */
  readonly layers: readonly DrawnLayer[]
  readonly status: Status
}

/** Builds the page of a web map: what it shows comes from the server's configuration for whoever asks. */
export async function startPage({ id, tiny }: PageOptions): Promise<void> {
  const status = createStatus()
  document.body.classList.toggle('tiny', tiny)
  document.body.append(...status.elements)
  session.addEventListener('ended', () => reportLostLogin(status))
  const config = await status.track(askJson<MapConfig>(`/api/resource/${id}/webmap/display_config`))
  const target = element('main', { class: 'map', tabindex: 0, 'aria-label': `Map: ${config.webmapTitle}` })
  const corner = element('div', { class: 'corner' })
  document.body.prepend(target, corner)
  const start = parseAddress(location.search)
  const map = createMap({ target, scaleTarget: corner, initialExtent: config.initialExtent, start })
  const ordered = drawOrder(config).map((layer) => startLayer(layer, start.styles))
  const page: Page = { config, map, layers: drawLayers(ordered, status), status }
  for (const { drawn } of page.layers) map.addLayer(drawn)
  for (const label of config.landform.undrawn)
    status.report(`${label} is not shown: pictures cannot be drawn here yet.`)
  if (!tiny) addPanel(page)
  document.body.append(createTools(map, { initialExtent: config.initialExtent, tiny }), ...status.elements)
  addIdentify(page)
  corner.append(...(tiny ? [] : [createPosition(map)]), attributionLine(page))
  announceDrawn(page)
}

/** The login leads back to where the map stands by then. */
function reportLostLogin(status: Status): void {
  status.report('You are no longer logged in.', {
    label: 'Log in',
    act: () => location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`),
  })
}

// Layers that the address names are checked, and no others.
function startLayer(layer: MapLayer, styles: readonly number[] | undefined): MapLayer {
  return styles === undefined ? layer : { ...layer, visibility: styles.includes(layer.styleId) }
}

function addPanel(page: Page): void {
  const { map, config } = page
  const tree = createLayerTree({
    items: config.rootItem.children,
    checked: new Set(page.layers.filter(({ drawn }) => drawn.getVisible()).map(({ layer }) => layer.id)),
    onChange: (layer, checked) => {
      page.layers.find((one) => one.layer.id === layer.id)?.drawn.setVisible(checked)
      writeAddress(page)
    },
    onZoom: (layer) => void zoomToLayer(page, layer),
  })
  document.body.append(...createPanel(config, tree.root))
  map.on('moveend', () => {
    markScale(page, tree)
    writeAddress(page)
  })
}

function markScale({ map }: Page, tree: LayerTree): void {
  const resolution = map.getView().getResolution() ?? 0
  tree.markScale((layer) => isShownAt(layer, resolution))
}

function writeAddress({ map, config, layers }: Page): void {
  const visible = new Set(layers.filter(({ drawn }) => drawn.getVisible()).map(({ layer }) => layer.id))
  const styles = listLayers(config.rootItem.children)
    .filter(({ id }) => visible.has(id))
    .map(({ styleId }) => styleId)
  const query = formatAddress(location.search, { ...readPlace(map), styles })
  history.replaceState(null, '', query + location.hash)
}

async function zoomToLayer({ map, status }: Page, { layerId, label }: MapLayer): Promise<void> {
  try {
    const path = `/api/resource/${layerId}/extent`
    const { extent } = await status.track(askJson<{ extent: Record<string, number | null> }>(path))
    const { minLon, minLat, maxLon, maxLat } = extent
    if (minLon == null || minLat == null || maxLon == null || maxLat == null) {
      status.report(`${label} has no features.`)
    } else goTo(map, extentOf([minLon, minLat, maxLon, maxLat]))
  } catch (error) {
    status.report(`The extent of ${label} is not known. ${reasonOf(error)}`)
  }
}

function addIdentify({ map, layers, status }: Page): void {
  const highlight = createHighlight()
  map.addLayer(highlight.drawn)
  const panel = createFeaturePanel({
    onSelect: (feature) => void highlight.show(feature).catch(() => undefined),
    onZoom: (feature) =>
      void status.track(readGeometry(feature)).then(
        (geometry) => geometry && goTo(map, geometry.getExtent()),
        (error: unknown) => status.report(reasonOf(error)),
      ),
  })
  document.body.append(panel.root)
  let running = new AbortController()
  const search = async ([x = 0, y = 0]: readonly number[]) => {
    running.abort()
    running = new AbortController()
    const { signal } = running
    const asked = layers.map(({ layer, drawn }) => ({ layer, drawn })).filter((one) => isSearched(one, map))
    if (asked.length === 0) return panel.close()
    const resolution = map.getView().getResolution() ?? 1
    const radius = Math.max(5, ...asked.map(({ layer }) => reachOf(layer.landform.style) + 2)) * resolution
    try {
      const circle = { center: [x, y] as const, radius }
      panel.show(
        await status.track(
          identify(
            asked.map(({ layer }) => layer),
            circle,
            signal,
          ),
        ),
      )
    } catch (error) {
      if (!signal.aborted) status.report(`Nothing could be looked up. ${reasonOf(error)}`)
    }
  }
  map.on('singleclick', ({ coordinate }) => void search(coordinate))
  addKeys(map, { search, close: () => panel.close() })
}

function isSearched({ layer, drawn }: DrawnLayer, map: OlMap): boolean {
  return drawn.getVisible() && layer.identifiable && isShownAt(layer, map.getView().getResolution() ?? 0)
}

interface KeyActions {
  search(coordinate: readonly number[]): Promise<void>
  close(): void
}

/** Enter looks up what is in the middle of the map; Escape closes what was found. */
function addKeys(map: OlMap, { search, close }: KeyActions): void {
  map.getTargetElement()?.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') void search(map.getView().getCenter() ?? [])
    if (key === 'Escape') close()
  })
}

function attributionLine({ config }: Page): HTMLElement {
  const named = listLayers(config.rootItem.children).map(({ landform }) => landform.attribution)
  const texts = [...new Set(named.filter((text) => text !== null))]
  return element('p', { class: 'attribution' }, texts.join(' · '))
}

/** Says on the page, for whoever prints or tests it in a driven browser, that all there was to draw is drawn. */
function announceDrawn({ map, layers, status }: Page): void {
  const busy = () => {
    document.body.dataset.drawn = 'false'
  }
  busy()
  map.on(['movestart', 'loadstart'], busy)
  for (const { drawn } of layers) {
    drawn.on('change:visible', busy)
    drawn.getSource()?.on('tileloadstart', busy)
  }
  map.on('rendercomplete', () => {
    document.body.dataset.drawn = String(status.isIdle())
  })
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
