import { serviceNameOf, webMercator } from '../../../contract/classes/basemap_layer.ts'
import type { Queryable } from '../../../database/database.ts'
import { findTileServices, type TileServices } from '../../../store/catalog/tile_service.ts'
import type { MemberRow } from '../../../store/classes/member_table.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import { rowBehaviour } from '../row.ts'
import { parseRecord, tilesOf } from './basemap_tiles.ts'

/** Base maps from external tile services. Browsers fetch the tiles of web maps; the server fetches those of images. */
export const basemapLayerBehaviour = rowBehaviour({
  cls: 'basemap_layer',
  check: async (tx, rows) => {
    for (const row of rows.values()) checkRow(row)
    await checkServices(tx, [...rows.values()])
  },
  showAll: async (tx, rows) => {
    const services = await findServices(tx, rows)
    return rows.map((row) => ({ ...row, tiles: tilesOf(row, services) }))
  },
})

/** Finds the geoservices that base maps name. */
export function findServices(tx: Queryable, rows: readonly Row[]): Promise<TileServices> {
  return findTileServices(
    tx,
    rows.flatMap(({ qms }) => serviceNameOf(qms) ?? []),
  )
}

/** Checks that base maps name geoservices of tiles in Web Mercator. */
async function checkServices(tx: Queryable, rows: readonly Row[]): Promise<void> {
  const services = await findServices(tx, rows)
  for (const { qms } of rows) {
    const name = serviceNameOf(qms)
    if (name === undefined) continue
    const place = '/basemap_layer/qms'
    const service = services.get(name)
    if (service === undefined)
      throw invalidAt(
        place,
        `the catalog has no geoservice of type tms with the key or guid "${name}"`,
        'Write the key or the guid of a geoservice in the catalog, or its QMS description as JSON.',
      )
    if (service.epsg !== null && service.epsg !== webMercator)
      throw invalidAt(
        place,
        `the geoservice "${name}" is in EPSG:${service.epsg}, not in EPSG:${webMercator}`,
      )
  }
}

/** A stored base map. */
export type Row = MemberRow<'basemap_layer'>

function checkRow({ url, qms, copyright_url: copyrightUrl, z_min: min, z_max: max }: Row): void {
  if (url === null && qms === null) throw invalidAt('/basemap_layer', 'missing field "url" or "qms"')
  if (url !== null) checkTemplate(url)
  if (qms !== null && serviceNameOf(qms) === undefined) checkDescription(qms)
  if (copyrightUrl !== null && !isHttp(copyrightUrl))
    throw invalidAt('/basemap_layer/copyright_url', `${JSON.stringify(copyrightUrl)} is not an HTTP URL`)
  if (min !== null && max !== null && min > max)
    throw invalidAt('/basemap_layer/z_min', `${min} is more than z_max, which is ${max}`)
}

/** Placeholders of a tile URL: zoom level, column, and row from the north or the south; or a quadkey. */
const tilePlaceholders = [['{z}', '{x}', '{y}'], ['{z}', '{x}', '{-y}'], ['{q}']]

function checkTemplate(url: string): void {
  const place = '/basemap_layer/url'
  if (!isHttp(url)) throw invalidAt(place, `${JSON.stringify(url)} is not an HTTP URL`)
  if (tilePlaceholders.some((names) => names.every((name) => url.includes(name)))) return
  throw invalidAt(
    place,
    `${JSON.stringify(url)} has no placeholders for tiles`,
    'Use {z}, {x} and {y}; {z}, {x} and {-y}; or {q}.',
  )
}

/** Checks the members of a QuickMapServices record that a map needs: an object with an HTTP URL. */
function checkDescription(qms: string): void {
  const place = '/basemap_layer/qms'
  const record = parseRecord(qms)
  if (record === undefined)
    throw invalidAt(place, 'expected the key or guid of a geoservice, or a JSON object as a string')
  const { url } = record
  if (typeof url !== 'string' || !isHttp(url)) throw invalidAt(place, 'its "url" is not an HTTP URL')
}

// Placeholders are allowed where a URL allows no braces, such as in the host name.
function isHttp(text: string): boolean {
  const plain = text.replaceAll(/\{[^{}]*\}/g, '0')
  return /^https?:\/\//i.test(text) && URL.canParse(plain)
}
