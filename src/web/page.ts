import type OlMap from 'ol/Map'
import { findUnknownStyles, formatAddress, parseAddress } from './address.ts'
import { element } from './element.ts'
import { createLayerTree, type LayerTree } from './layer_tree.ts'
import { createLookup } from './lookup.ts'
import { createPanel, isNarrow, loginAddress, type Panel } from './panel.ts'
import { askJson, reasonOf, session } from './request.ts'
import { createStatus, type Status } from './status.ts'
import { type DrawnLayer, drawLayers } from './tiles.ts'
import { createTools } from './tools.ts'
import { drawOrder, isShownAt, listLayers, type MapConfig, type MapLayer } from './tree_walk.ts'
import { createMap, createPosition, extentOf, goTo, readPlace } from './viewport.ts'

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
  readonly status: Status
}

/** Builds the page of a web map from the server's configuration for the caller. */
export async function startPage({ id, tiny }: PageOptions): Promise<void> {
  const status = createStatus()
  document.body.classList.toggle('tiny', tiny)
  document.body.append(...status.elements)
  session.addEventListener('ended', () => reportLostLogin(status))
  const config = await status.track(askJson<MapConfig>(`/api/resource/${id}/webmap/display_config`))
  const page = openPage(config, { status, tiny })
  const panel = tiny ? undefined : createLayerPanel(page, () => isNarrow() && features.close())
  const features = createLookup({ ...page, onOpen: () => isNarrow() && panel?.hide() })
  const tools = createTools(page.map, { initialExtent: config.initialExtent, tiny })
  document.body.append(...(panel?.elements ?? []), tools, ...status.elements, features.root)
  announceDrawn(page)
}

/** Creates the map on the page, with its layers and footer. */
function openPage(
  config: MapConfig,
  { status, tiny }: Pick<Page, 'status'> & Pick<PageOptions, 'tiny'>,
): Page {
  const target = element('div', {
    class: 'map',
    tabindex: 0,
    role: 'application',
    'aria-label': `Map: ${config.webmapTitle}`,
    'aria-description':
      'Arrow keys move the map, plus and minus zoom, Enter identifies features in the center.',
  })
  const corner = element('div', { class: 'corner' })
  document.body.prepend(element('main', {}, target), corner)
  const start = parseAddress(location.search)
  const map = createMap({ target, scaleTarget: corner, initialExtent: config.initialExtent, start })
  const unknown = findUnknownStyles(
    location.search,
    listLayers(config.rootItem.children).map(({ styleId }) => styleId),
  )
  if (unknown.length > 0)
    status.report(`This map has no layers for these styles in the URL: ${unknown.join(', ')}.`)
  const ordered = drawOrder(config).map((layer) => startLayer(layer, start.styles))
  const page: Page = { config, map, layers: drawLayers(ordered, status), status }
  for (const { drawn } of page.layers) map.addLayer(drawn)
  for (const label of config.landform.undrawn)
    status.report(`Cannot show ${label}: raster layers are not supported yet.`)
  corner.append(...(tiny ? [] : [createPosition(map)]), attributionLine(page))
  return page
}

function reportLostLogin(status: Status): void {
  const act = () => location.assign(loginAddress())
  status.report('Your session has ended.', { label: 'Log in', act })
}

// If the URL has styles, only their layers are visible.
function startLayer(layer: MapLayer, styles: readonly number[] | undefined): MapLayer {
  return styles === undefined ? layer : { ...layer, visibility: styles.includes(layer.styleId) }
}

function createLayerPanel(page: Page, onOpen: () => void): Panel {
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
  map.on('moveend', () => {
    markScale(page, tree)
    writeAddress(page)
  })
  return createPanel({ config, tree: tree.root, onOpen })
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
    status.report(`Cannot read the extent of ${label}. ${reasonOf(error)}`)
  }
}

function attributionLine({ config }: Page): HTMLElement {
  const named = listLayers(config.rootItem.children).map(({ landform }) => landform.attribution)
  const texts = [...new Set(named.filter((text) => text !== null))]
  return element('p', { class: 'attribution' }, texts.join(' · '))
}

/** Marks the page as completely rendered, for printing and browser tests. */
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
