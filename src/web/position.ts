import type OlMap from 'ol/Map'
import { lonLatOfMercator } from '../geo/mercator.ts'
import { element } from './element.ts'

/** Makes the line that tells where the pointer is, in degrees. */
export function createPosition(map: OlMap): HTMLElement {
  const line = element('p', { class: 'position', 'aria-hidden': 'true' })
  map.on('pointermove', ({ coordinate: [x = 0, y = 0] }) => {
    const [lon, lat] = lonLatOfMercator(x, y)
    line.textContent = formatPosition(lon, lat)
  })
  map.getViewport()?.addEventListener('pointerleave', () => {
    line.textContent = ''
  })
  return line
}

/** Writes a position: latitude, then longitude, with hemispheres. */
export function formatPosition(lon: number, lat: number): string {
  const wrapped = ((((lon + 180) % 360) + 360) % 360) - 180
  return `${degrees(lat, 'N', 'S')} ${degrees(wrapped, 'E', 'W')}`
}

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value).toFixed(4)}° ${value < 0 ? negative : positive}`
}
