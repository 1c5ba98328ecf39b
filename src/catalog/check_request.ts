import { alternativeUrls } from '../contract/catalog/catalog.ts'
import { degreeTileAt, quadkeyOf, type TileAddress, tileAt } from '../geo/tile.ts'
import { capabilitiesUrl } from '../ogc/capabilities_url.ts'
import type { CheckTarget } from '../store/catalog/check_target.ts'

/** The address of a service is not valid; the message gives the reason. */
export class AddressFault extends Error {}

/** Highest versions; services without them respond with the next lower one that they have. */
const versions = { wms: '1.3.0', wfs: '2.0.0' } as const

/**
 * Returns the URL that a check requests: a tile, capabilities or a document.
 *
 * @param random number from 0 to below 1, which selects one of several hosts
 * @throws {AddressFault}
 */
export function checkUrl(target: CheckTarget, random: number): URL {
  const { type, params } = target
  const url = type === 'tms' ? tileUrl(target, random) : target.url
  const parsed = URL.parse(url)
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    throw new AddressFault(`${JSON.stringify(url)} is not a valid HTTP address.`)
  if (type !== 'wms' && type !== 'wfs') return parsed
  const service = type === 'wms' ? 'WMS' : 'WFS'
  return capabilitiesUrl(url, { service, version: versions[type], parameters: params ?? '' })
}

/** Fills in the template of tiles: a tile inside the boundary, at the lowest zoom level. */
function tileUrl(target: CheckTarget, random: number): string {
  const hosts = alternativeUrls(target.url)
  const template = hosts[Math.floor(random * hosts.length)] ?? target.url
  const tile = tileOf(target)
  const values: Readonly<Record<string, string>> = {
    x: String(tile.x),
    y: String(target.y_origin_top ? tile.y : 2 ** tile.z - 1 - tile.y),
    z: String(tile.z),
    q: quadkeyOf(tile),
  }
  return template.replaceAll(/\{([^{}]*)\}/g, (placeholder, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) throw new AddressFault(`The address has the unknown placeholder ${placeholder}.`)
    return value
  })
}

function tileOf({ url, epsg, z_min, z_max, position }: CheckTarget): TileAddress {
  // The quadkey of zoom level 0 is empty, and no service has it.
  const z = Math.max(z_min ?? z_max ?? 0, url.includes('{q}') ? 1 : 0)
  // Services without a boundary cover the world, rarely with tiles in its corners.
  return (epsg === 4326 ? degreeTileAt : tileAt)(position ?? [0, 0], z)
}
