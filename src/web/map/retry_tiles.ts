import type XYZ from 'ol/source/XYZ'
import type Tile from 'ol/Tile'

/** Milliseconds between requests for a tile of a service that does not answer; each pause is twice the previous one. */
const pauses = { first: 1000, max: 60_000 }

/**
 * Loads tiles again that browsers load from another service, after an outage of it or of the network. Browsers do not tell why
 * they cannot load an image: a tile that fails while others load is one that the service does not have.
 */
export function retryTiles(source: XYZ): void {
  const failed = new Set<Tile>()
  /** Tiles that were retried while the service answered. */
  let retried = new WeakSet<Tile>()
  let pause = pauses.first
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Requests the latest tile; if it loads, the others follow. */
  const probe = () => {
    timer = undefined
    const latest = [...failed].at(-1)
    if (latest === undefined) return
    failed.delete(latest)
    latest.load()
  }
  const retryAll = () => {
    clearTimeout(timer)
    timer = undefined
    pause = pauses.first
    const tiles = [...failed]
    failed.clear()
    for (const tile of tiles) {
      retried.add(tile)
      tile.load()
    }
  }
  source.on('tileloadend', retryAll)
  source.on('tileloaderror', ({ tile }) => {
    if (retried.has(tile)) return
    failed.add(tile)
    if (timer !== undefined) return
    timer = setTimeout(probe, pause)
    pause = Math.min(2 * pause, pauses.max)
  })
  window.addEventListener('online', () => {
    retryAll()
    retried = new WeakSet()
  })
}
