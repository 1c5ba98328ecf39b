import type OlMap from 'ol/Map'
import { isShownAt } from '../style/map_layers.ts'
import type { Status } from './catalog/status.ts'
import { createFeaturePanel, type FeaturePanel } from './map/feature_panel.ts'
import { createHighlight, partExtents, readGeometry } from './map/highlight.ts'
import { identify } from './map/identify.ts'
import type { DrawnLayer } from './map/layer_images.ts'
import { goTo, joinParts, uncover, wrapX } from './map/viewport.ts'
import { reasonOf } from './request.ts'

/** Options of feature lookups. */
export interface LookupOptions {
  readonly map: OlMap
  readonly layers: readonly DrawnLayer[]
  readonly status: Status
  /** The panel of found features opens. */
  onOpen(): void
}

/** Creates the panel of found features: a click finds features at the pointer, Enter in the center of the map. */
export function createLookup({ map, layers, status, onOpen }: LookupOptions): FeaturePanel {
  const highlight = createHighlight()
  map.addLayer(highlight.drawn)
  const panel = createFeaturePanel({
    onSelect: (feature) => void highlight.show(feature).catch(() => undefined),
    onZoom: (feature) =>
      void status.track(readGeometry(feature)).then(
        (geometry) => geometry && goTo(map, joinParts(partExtents(geometry))),
        (error: unknown) => status.report(reasonOf(error)),
      ),
    // Returns the keyboard focus to the map.
    onLeave: () => map.getTargetElement()?.focus(),
  })
  let running = new AbortController()
  const search = async ([x = 0, y = 0]: readonly number[], focuses: boolean) => {
    running.abort()
    running = new AbortController()
    const { signal } = running
    const asked = layers.filter((one) => isSearched(one, map)).map(({ layer }) => layer)
    if (asked.length === 0) return panel.close()
    const reach = Math.max(minReach(), ...asked.map(({ landform }) => landform.reach + 2))
    const resolution = map.getView().getResolution() ?? 1
    const circle = { center: [wrapX(x), y] as const, radius: reach * resolution, resolution }
    try {
      const findings = await status.track(identify(asked, circle, signal))
      onOpen()
      panel.show(findings, focuses)
      // The keyboard finds features in the center, which stays where it is.
      if (!focuses) uncover(map, panel.root, [x, y])
    } catch (error) {
      if (!signal.aborted) status.report(`Cannot find features. ${reasonOf(error)}`)
    }
  }
  map.on('singleclick', ({ coordinate }) => void search(coordinate, false))
  document.addEventListener('keydown', ({ key, target }) => {
    if (key === 'Escape') panel.close()
    const isOnMap = target === document.body || target === map.getTargetElement()
    if (key === 'Enter' && isOnMap) void search(map.getView().getCenter() ?? [], true)
  })
  return panel
}

/** Minimum search radius in pixels: touch is less precise. */
function minReach(): number {
  return matchMedia('(pointer: coarse)').matches ? 12 : 5
}

function isSearched({ layer, isVisible }: DrawnLayer, map: OlMap): boolean {
  return isVisible() && layer.identifiable && isShownAt(layer, map.getView().getResolution() ?? 0)
}
