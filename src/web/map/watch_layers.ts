import type OlMap from 'ol/Map'
import { listLayers, type MapConfig, type MapLayer } from '../../style/map_layers.ts'

/** Milliseconds for which a page does not ask again whether layers have changed. */
const restMs = 60_000

/**
 * Asks for the current state of the layers when the map is moved or the page is seen again, so that a page which stays open does not show
 * new images beside old ones.
 */
export function watchLayers(
  map: OlMap,
  read: () => Promise<MapConfig>,
  take: (layers: readonly MapLayer[]) => void,
): void {
  let askedAt = Date.now()
  const ask = async () => {
    if (document.visibilityState !== 'visible' || Date.now() - askedAt < restMs) return
    askedAt = Date.now()
    // A server that does not answer is reported by the images.
    const config = await read().catch(() => undefined)
    if (config !== undefined) take(listLayers(config.rootItem.children))
  }
  map.on('moveend', () => void ask())
  document.addEventListener('visibilitychange', () => void ask())
}
