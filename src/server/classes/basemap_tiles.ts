import { alternativeUrls } from '../../contract/catalog.ts'
import { serviceNameOf, type Tiles, webMercator } from '../../contract/classes/basemap_layer.ts'
import { isObject } from '../../core/is_object.ts'
import type { TileServices } from '../../store/catalog/tile_service.ts'
import type { MemberRow } from '../../store/classes/member_table.ts'

/** What a record of tiles says, in the catalog or in a QMS description. */
interface TileRecord extends Partial<Omit<Tiles, 'url'>> {
  readonly url?: unknown
  readonly y_origin_top?: unknown
  readonly epsg?: unknown
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
  const { qms, url, copyright_text, copyright_url, z_min, z_max } = row
  const name = serviceNameOf(qms)
  const record: TileRecord = (name === undefined ? parseRecord(qms ?? '') : services.get(name)) ?? {}
  const address = url ?? addressOf(record)
  if (address === undefined) return null
  return {
    url: address,
    copyright_text: copyright_text ?? textOf(record.copyright_text),
    copyright_url: copyright_url ?? textOf(record.copyright_url),
    z_min: z_min ?? levelOf(record.z_min),
    z_max: z_max ?? levelOf(record.z_max),
  }
}

/** The address at the first host, with the order of its rows. */
function addressOf({ url, y_origin_top: isFromTop }: TileRecord): string | undefined {
  if (typeof url !== 'string') return undefined
  const [address = url] = alternativeUrls(url)
  return isFromTop === true ? address : address.replace('{y}', '{-y}')
}

/** Returns the EPSG code of the tiles of a base map: that of its description, else web mercator. */
export function tileSrsOf({ qms, url }: MemberRow<'basemap_layer'>): number {
  const epsg = url === null ? parseRecord(qms ?? '')?.epsg : undefined
  return Number.isInteger(epsg) ? Number(epsg) : webMercator
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
const levelOf = (value: unknown) => (Number.isInteger(value) ? Number(value) : null)
