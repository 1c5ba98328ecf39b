import type { GeoserviceDetail, GeoserviceStatus } from '../../contract/catalog/catalog.ts'
import { isVectorTileUrl } from '../../contract/formats/tile_format.ts'
import { emptyBbox, extendBbox } from '../../geo/bbox.ts'
import { ellipsoidArea } from '../../geo/ellipsoid_area.ts'
import type { Part } from '../../geo/geometry.ts'
import { longitudeRange } from '../../geo/longitude_range.ts'
import { parseWkt } from '../../geo/wkt_reader.ts'
import type { DayChecks } from '../../store/catalog/uptime.ts'
import type { Caller } from '../auth/caller.ts'
import { addressHtml } from './address.ts'
import { catalogHead, iconHtml, kindHtml, statusHtml, typeName } from './catalog_frame.ts'
import { escapeHtml } from './html.ts'
import { layoutPage } from './layout.ts'
import { uptimeHtml } from './uptime_chart.ts'

/** Content of the page of a geoservice. */
export interface GeoservicePage {
  readonly caller: Caller
  readonly service: GeoserviceDetail
  /** Latest checks, the newest first. */
  readonly checks: readonly GeoserviceStatus[]
  /** Number of checks by day. */
  readonly days: readonly DayChecks[]
  readonly now: Date
  /** Key and manifest of the record, for editors of the catalog. */
  readonly management?: Management | undefined
  /** URL of the script; undefined if the scripts have not been built. */
  readonly script?: string | undefined
}

/** Key of a record, and the manifest that manages it. */
export interface Management {
  readonly keyname: string | null
  readonly manifest: string | null
}

/** Boundary of a geoservice in words. */
interface BoundaryText {
  readonly extent: string
  readonly area: string
}

const degrees = (value: number) => `${Number(value.toFixed(4))}°`

/** Writes the page of a geoservice: address, preview, checks and members. */
export function geoservicePage(page: GeoservicePage): string {
  const { caller, service, script } = page
  const { id, name, icon, desc, cumulative_status: status } = service
  const record = `/catalog/${id}/service.json`
  const description = desc ? `<p class="description">${escapeHtml(desc)}</p>` : ''
  const content = `<nav class="path" aria-label="Path"><ol><li><a href="/catalog/">Catalog</a></li><li aria-current="page">${escapeHtml(name)}</li></ol></nav>
<h1 class="service">${iconHtml(icon, 40)} <span>${escapeHtml(name)}</span></h1>
<p class="tags">${kindHtml(service)} ${statusHtml(status)}</p>
${description}
${addressHtml('Address', service.origin_url ?? service.url)}
${addFormHtml(page)}
<section id="preview" data-service="${record}" hidden><h2>Preview</h2></section>
<section><h2>Details</h2><table class="facts"><tbody>${rowsHtml(page)}</tbody></table></section>
${checksHtml(page)}
<ul class="links"><li><a href="${record}">As JSON</a></li></ul>`
  return layoutPage({
    title: name,
    caller,
    path: `/catalog/${id}/`,
    content,
    hasCatalog: true,
    head: catalogHead(script),
  })
}

/** Writes the page of a geoservice that does not exist. */
export function unknownGeoservicePage(caller: Caller, id: number): string {
  const content = `<h1>Not found</h1>
<p>The catalog has no geoservice ${id}.</p>
<ul class="links"><li><a href="/catalog/">Catalog</a></li></ul>`
  return layoutPage({
    title: 'Not found',
    caller,
    path: `/catalog/${id}/`,
    content,
    hasCatalog: true,
    head: catalogHead(undefined),
  })
}

function checksHtml({ checks, days, now }: GeoservicePage): string {
  if (checks.length === 0)
    return '<section><h2>Checks</h2><p>This service has not been checked yet.</p></section>'
  // Checks within a minute are told apart by their seconds.
  const minutes = checks.map((check) => minuteOf(check.check_at))
  const hasSeconds = new Set(minutes).size < minutes.length
  const rows = checks.map((check) => checkHtml(check, hasSeconds))
  return `<section><h2>Checks</h2>${uptimeHtml(days, now)}
<table class="checks"><caption>Latest checks</caption><thead><tr><th scope="col">Time</th><th scope="col">Result</th><th scope="col">Duration</th><th scope="col">HTTP</th><th scope="col">Error</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></section>`
}

function checkHtml(check: GeoserviceStatus, hasSeconds: boolean): string {
  const { check_duration: seconds, http_code: code, error_type: type, error_text: text } = check
  const fault = [type, text].filter((part) => part !== null && part !== '').join(': ')
  return `<tr><td>${timeHtml(check.check_at, hasSeconds)}</td><td>${statusHtml(check.cumulative_status)}</td><td>${seconds === null ? '' : `${seconds.toFixed(2)} s`}</td><td>${code || ''}</td><td>${escapeHtml(fault)}</td></tr>`
}

const secondOf = (time: string) => time.slice(0, 19).replace('T', ' ')
const minuteOf = (time: string) => secondOf(time).slice(0, 16)

function timeHtml(time: string, hasSeconds = false): string {
  const [exact, shown] = [`${secondOf(time)} UTC`, hasSeconds ? secondOf(time) : minuteOf(time)]
  return `<time datetime="${escapeHtml(time)}" title="${escapeHtml(exact)}">${escapeHtml(shown)} UTC</time>`
}

function rowsHtml({ service, management }: GeoservicePage): string {
  const { extent, area } = describeBoundary(service.boundary)
  const rows: readonly (readonly [name: string, html: string])[] = [
    ['Type', typeName(service.type)],
    ['Reference system', service.epsg === null ? '' : `EPSG:${service.epsg}`],
    ...addressRows(service),
    ['Zoom levels', zoomText(service)],
    ['Rows of tiles', rowOrder(service)],
    ['Layers', textHtml(service.layers)],
    ['Parameters', textHtml(service.params)],
    ['Image format', textHtml(service.format)],
    ['Axes of bounding boxes', service.turn_over === true ? 'swapped' : ''],
    ['Feature type', textHtml(service.layer)],
    ['Attribution', linkHtml(service.copyright_url, service.copyright_text)],
    ['License', linkHtml(service.license_url, service.license_name)],
    ['Terms of use', linkHtml(service.terms_of_use_url)],
    ['Source', linkHtml(service.source_url, service.source)],
    ['Extent', extent],
    ['Area of the boundary', area],
    ['Created', timeHtml(service.created_at)],
    ['Changed', service.updated_at === null ? '' : timeHtml(service.updated_at)],
    ['Key', textHtml(management?.keyname)],
    ['Manifest', textHtml(management?.manifest)],
    ['Identifiers', `${service.id}, <code>${escapeHtml(service.guid)}</code>`],
  ]
  return rows
    .filter(([, html]) => html !== '')
    .map(([name, html]) => `<tr><th scope="row">${name}</th><td>${html}</td></tr>`)
    .join('\n')
}

function addressRows({ url, alt_urls: others = [] }: GeoserviceDetail): [string, string][] {
  if (others.length === 0) return [['Address', codeHtml(url)]]
  return [['Addresses', `<ul>${others.map((other) => `<li>${codeHtml(other)}</li>`).join('')}</ul>`]]
}

const codeHtml = (text: string) => `<code>${escapeHtml(text)}</code>`
const textHtml = (text: string | null | undefined) => (text ? codeHtml(text) : '')

function zoomText({ z_min: lowest = null, z_max: highest = null }: GeoserviceDetail): string {
  if (lowest === null && highest === null) return ''
  if (lowest === null) return `to ${highest}`
  return highest === null ? `from ${lowest}` : `${lowest} to ${highest}`
}

function rowOrder({ type, url, y_origin_top: isFromTop }: GeoserviceDetail): string {
  if (type !== 'tms' || url.includes('{q}')) return ''
  return isFromTop ? 'counted from the top (XYZ)' : 'counted from the bottom (TMS)'
}

/** Writes a link to another site; only the text unless the URL is one of the web. */
function linkHtml(url: string | null, text: string | null = null): string {
  const shown = escapeHtml(text || url || '')
  const isWeb = url !== null && /^https?:\/\//i.test(url) && URL.canParse(url)
  return isWeb ? `<a href="${escapeHtml(url)}" rel="noopener noreferrer">${shown}</a>` : shown
}

/** EPSG code of base maps. */
const webMercator = 3857

/** Writes the place of the form that adds the service to a web map, which its script shows, or why there is none. */
function addFormHtml({ caller, service }: GeoservicePage): string {
  if (caller.isGuest) return ''
  const { type, epsg, url } = service
  const isForBasemaps = type === 'tms' && (epsg ?? webMercator) === webMercator && !isVectorTileUrl(url)
  if (isForBasemaps) return '<section id="add" hidden><h2>Add to a web map</h2></section>'
  return `<p class="quiet">Base maps of web maps are images of tiles (TMS) in EPSG:${webMercator}. This service cannot be one.</p>`
}

/** Describes a boundary, EWKT in EPSG:4326; with empty strings if there is none. */
function describeBoundary(ewkt: string | null): BoundaryText {
  const parts = ewkt === null ? [] : parseWkt(ewkt).geometry.parts
  if (parts.length === 0) return { extent: '', area: '' }
  return { extent: extentText(parts), area: areaText(ellipsoidArea(parts) / 1e6) }
}

/** The east of an extent across the antimeridian is less than its west. */
function extentText(parts: readonly Part[]): string {
  const boxes = parts.map(([ring = []]) => {
    const box = emptyBbox()
    for (let at = 0; at + 1 < ring.length; at += 2) extendBbox(box, ring[at] ?? 0, ring[at + 1] ?? 0)
    return box
  })
  const [west, east] = longitudeRange(boxes.map(([minX, , maxX]) => [minX, maxX]))
  const south = boxes.reduce((lowest, [, minY]) => Math.min(lowest, minY), 90)
  const north = boxes.reduce((highest, [, , , maxY]) => Math.max(highest, maxY), -90)
  const [from, to] = [degrees(west), degrees(east > 180 ? east - 360 : east)]
  return `longitude ${from} to ${to}, latitude ${degrees(south)} to ${degrees(north)}`
}

/** Three digits: boundaries are not more precise. */
function areaText(squareKilometres: number): string {
  return `${Number(squareKilometres.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 })} km²`
}
