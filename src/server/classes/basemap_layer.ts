import type { MemberRow } from '../../store/classes/member_table.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { rowBehaviour } from './row.ts'

/** Tiles from elsewhere that lie under a map. Browsers fetch them; the server keeps where they are. */
export const basemapLayerBehaviour = rowBehaviour({
  cls: 'basemap_layer',
  check: async (_, rows) => {
    for (const row of rows.values()) checkRow(row)
  },
})

type Row = MemberRow<'basemap_layer'>

function checkRow({ url, qms, copyright_url: copyrightUrl, z_min: min, z_max: max }: Row): void {
  if (url === null && qms === null) throw invalidAt('/basemap_layer', 'give url or qms')
  if (url !== null) checkTemplate(url)
  if (qms !== null) checkDescription(qms)
  if (copyrightUrl !== null && !isHttp(copyrightUrl))
    throw invalidAt('/basemap_layer/copyright_url', `${JSON.stringify(copyrightUrl)} is no http address`)
  if (min !== null && max !== null && min > max)
    throw invalidAt('/basemap_layer/z_min', `${min} is more than z_max, which is ${max}`)
}

/** Words that a tile is asked for by: column, row (from the north or the south) and zoom level, or all in one. */
const tileWords = [['{z}', '{x}', '{y}'], ['{z}', '{x}', '{-y}'], ['{q}']]

function checkTemplate(url: string): void {
  const place = '/basemap_layer/url'
  if (!isHttp(url)) throw invalidAt(place, `${JSON.stringify(url)} is no http address`)
  if (tileWords.some((words) => words.every((word) => url.includes(word)))) return
  throw invalidAt(place, `${JSON.stringify(url)} names no tile`, 'write {z}, {x} and {y}, {-y}, or {q}')
}

/** Checks a record of the catalog, as far as a map needs it: an object whose url is an address. */
function checkDescription(qms: string): void {
  const place = '/basemap_layer/qms'
  const record = parseRecord(qms)
  if (record === undefined) throw invalidAt(place, 'expected a JSON object as text')
  const { url } = record
  if (typeof url !== 'string' || !isHttp(url)) throw invalidAt(place, 'its "url" is no http address')
}

function parseRecord(text: string): { readonly url?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

// Words in braces may stand where an address may have none: in the name of the host.
function isHttp(text: string): boolean {
  const plain = text.replaceAll(/\{[^{}]*\}/g, '0')
  return /^https?:\/\//i.test(text) && URL.canParse(plain)
}
