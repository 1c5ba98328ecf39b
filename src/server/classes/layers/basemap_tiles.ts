import { alternativeUrls } from '../../../contract/catalog/catalog.ts'
import { serviceNameOf, type Tiles, webMercator } from '../../../contract/classes/basemap_layer.ts'
import { isVectorTileUrl } from '../../../contract/formats/tile_format.ts'
import { isObject } from '../../../core/is_object.ts'
import type { TileServices } from '../../../store/catalog/tile_service.ts'
import type { MemberRow } from '../../../store/classes/member_table.ts'

/** What a record of tiles says, in the catalog or in a QMS description. */
interface TileRecord extends Partial<Omit<Tiles, 'url'>> {
  readonly url?: unknown
  readonly epsg?: unknown
  readonly y_origin_top?: unknown
}

/** Parses a QMS description; undefined if it is not a JSON object. */
export function parseRecord(text: string): TileRecord | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the tiles of a base map: its own fields, else those of its service. */
export function tilesOf(row: MemberRow<'basemap_layer'>, services: TileServices): Tiles | null {
  const { url, copyright_text, copyright_url, z_min, z_max } = row
  const record = recordOf(row, services)
  const address = url ?? addressesOf(record)[0]
  if (address === undefined) return null
  return {
    url: address,
    copyright_text: copyright_text ?? textOf(record.copyright_text),
    copyright_url: copyright_url ?? textOf(record.copyright_url),
    z_min: z_min ?? levelOf(record.z_min),
    z_max: z_max ?? levelOf(record.z_max),
  }
}

/** Number of hosts, of those that serve the same tiles, that pages use. */
const maxHosts = 16

/**
 * Lists the addresses of the tiles of a base map, one for each host, that browsers can load and place on a map: of tiles in
 * EPSG:3857, with hosts that are told by name.
 */
export function directUrls(row: MemberRow<'basemap_layer'>, services: TileServices): readonly string[] {
  const record = recordOf(row, services)
  if (row.url === null && (record.epsg ?? webMercator) !== webMercator) return []
  const urls = row.url === null ? addressesOf(record) : hostsOf(row.url)
  return urls.length > 0 && urls.every(isDirect) ? urls.slice(0, maxHosts) : []
}

// A policy of pages takes asterisks in host names for any host; user names would be shown to everybody.
function isDirect(url: string): boolean {
  const origin = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1] ?? ''
  return /^[^{}*@\s]+$/.test(origin) && URL.canParse(`http://${origin}`) && !isVectorTileUrl(url)
}

function recordOf({ qms }: MemberRow<'basemap_layer'>, services: TileServices): TileRecord {
  const name = serviceNameOf(qms)
  return (name === undefined ? parseRecord(qms ?? '') : services.get(name)) ?? {}
}

/** The addresses at all hosts, with the order of their rows. */
function addressesOf({ url, y_origin_top: isFromTop }: TileRecord): string[] {
  if (typeof url !== 'string') return []
  return hostsOf(url).map((address) => (isFromTop === true ? address : address.replace('{y}', '{-y}')))
}

/** The addresses at all hosts: of `{switch:a,b,c}`, or of `{s}`, which stands for a, b and c in Leaflet. */
function hostsOf(url: string): string[] {
  const urls = alternativeUrls(url.replace(/^(https?:\/\/[^/{]*)\{s\}/i, '$1{switch:a,b,c}'))
  return urls.length === 0 ? [url] : urls
}

/** Returns the EPSG code of the tiles of a base map: that of its description, else web mercator. */
export function tileSrsOf({ qms, url }: MemberRow<'basemap_layer'>): number {
  const epsg = url === null ? parseRecord(qms ?? '')?.epsg : undefined
  return Number.isInteger(epsg) ? Number(epsg) : webMercator
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
const levelOf = (value: unknown) => (Number.isInteger(value) ? Number(value) : null)
