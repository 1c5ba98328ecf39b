/** Map state in the URL of the page, so that a copied URL shows the same view. */
export interface AddressState {
  readonly lon: number
  readonly lat: number
  readonly zoom: number
  /** Degrees, clockwise. */
  readonly angle: number
  /** Ids of the styles of visible layers. */
  readonly styles: readonly number[]
  /** Opacity of layers that differs from that of the map, in percent by id of the style. */
  readonly opacity?: ReadonlyMap<number, number>
  /** Id of the base map, or none; undefined if the map has no base maps. */
  readonly base?: number | 'none' | undefined
}

/** Parses the state from a URL query; omits missing and invalid values. */
export function parseAddress(query: string): Partial<AddressState> {
  const parameters = new URLSearchParams(query)
  const styles = parameters.get('styles')
  const opacity = parameters.get('opacity')
  const base = parameters.get('base')
  return {
    ...numberIn(parameters, 'lon', 180),
    ...numberIn(parameters, 'lat', 90),
    ...numberIn(parameters, 'zoom', 30),
    ...numberIn(parameters, 'angle', 360),
    ...(styles === null ? {} : { styles: listOf(styles) }),
    ...(opacity === null ? {} : { opacity: percentsOf(opacity) }),
    ...(base === 'none' || /^\d+$/.test(base ?? '') ? { base: base === 'none' ? base : Number(base) } : {}),
  }
}

/** Lists values of `styles` in a URL query that are not ids of the styles of the map. */
export function findUnknownStyles(query: string, known: readonly number[]): string[] {
  const names = (new URLSearchParams(query).get('styles') ?? '').split(',').filter((name) => name !== '')
  return names.filter((name) => !known.includes(Number(name)))
}

/** Writes the state into a URL query, and keeps other parameters. */
export function formatAddress(query: string, state: AddressState): string {
  const { lon, lat, zoom, angle, styles, opacity = new Map(), base } = state
  const parameters = new URLSearchParams(query)
  parameters.set('lon', lon.toFixed(4))
  parameters.set('lat', lat.toFixed(4))
  parameters.set('zoom', String(Math.round(zoom * 100) / 100))
  if (Math.round(angle) % 360 === 0) parameters.delete('angle')
  else parameters.set('angle', String(Math.round(angle)))
  parameters.set('styles', styles.join(','))
  if (opacity.size === 0) parameters.delete('opacity')
  else parameters.set('opacity', [...opacity].map(([style, percent]) => `${style}:${percent}`).join())
  if (base !== undefined) parameters.set('base', String(base))
  return `?${parameters.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')}`
}

function numberIn(parameters: URLSearchParams, name: string, limit: number): Record<string, number> {
  const text = parameters.get(name)
  const value = Number(text)
  return text === null || text.trim() === '' || !(Math.abs(value) <= limit) ? {} : { [name]: value }
}

/** Parses pairs such as `12:50,13:0`, and omits invalid ones. */
function percentsOf(text: string): Map<number, number> {
  const pairs = text.split(',').map((pair) => /^(\d+):(\d+)$/.exec(pair)?.slice(1).map(Number) ?? [])
  return new Map(
    pairs.flatMap(([style, percent = 101]) =>
      style === undefined || percent > 100 ? [] : [[style, percent] as const],
    ),
  )
}

const listOf = (text: string) => (text === '' ? [] : text.split(',').map(Number).filter(Number.isInteger))
