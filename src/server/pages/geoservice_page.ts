import type { GeoserviceDetail, GeoserviceStatus } from '../../contract/catalog.ts'
import type { DayChecks } from '../../store/catalog/uptime.ts'
import type { Caller } from '../auth/caller.ts'
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
  /** URL of the script; undefined if the scripts have not been built. */
  readonly script?: string | undefined
}

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
${addressHtml(service)}
<section id="preview" data-service="${record}" hidden><h2>Preview</h2></section>
<section><h2>Details</h2><table class="facts"><tbody>${rowsHtml(service)}</tbody></table></section>
${checksHtml(page)}
${addFormHtml(page)}
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

function addressHtml({ url, origin_url: origin }: GeoserviceDetail): string {
  return `<div class="address"><label>Address <input id="address" readonly value="${escapeHtml(origin ?? url)}"></label>
<button id="copy" type="button" hidden>Copy</button> <span id="copied" role="status"></span></div>`
}

function checksHtml({ checks, days, now }: GeoservicePage): string {
  if (checks.length === 0)
    return '<section><h2>Checks</h2><p>This service has not been checked yet.</p></section>'
  return `<section><h2>Checks</h2>${uptimeHtml(days, now)}
<table class="checks"><caption>Latest checks</caption><thead><tr><th scope="col">Time</th><th scope="col">Result</th><th scope="col">Duration</th><th scope="col">HTTP</th><th scope="col">Error</th></tr></thead>
<tbody>${checks.map(checkHtml).join('\n')}</tbody></table></section>`
}

function checkHtml(check: GeoserviceStatus): string {
  const { check_duration: seconds, http_code: code, error_type: type, error_text: text } = check
  const fault = [type, text].filter((part) => part !== null && part !== '').join(': ')
  return `<tr><td>${timeHtml(check.check_at)}</td><td>${statusHtml(check.cumulative_status)}</td><td>${seconds === null ? '' : `${seconds.toFixed(2)} s`}</td><td>${code || ''}</td><td>${escapeHtml(fault)}</td></tr>`
}

function timeHtml(time: string): string {
  return `<time datetime="${escapeHtml(time)}">${escapeHtml(time.slice(0, 16).replace('T', ' '))} UTC</time>`
}

function rowsHtml(service: GeoserviceDetail): string {
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
    ['Extent', extentText(service.extent)],
    ['Area of the boundary', service.boundary_area === null ? '' : areaText(service.boundary_area)],
    ['Created', timeHtml(service.created_at)],
    ['Changed', service.updated_at === null ? '' : timeHtml(service.updated_at)],
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

/** Returns the bounding box of an EWKT rectangle in EPSG:4326. */
function extentText(extent: string | null): string {
  if (extent === null) return ''
  const pairs = [...extent.matchAll(/(-?[\d.e+-]+) (-?[\d.e+-]+)[,)]/g)]
  const sides = ([1, 2] as const).map((axis) => pairs.map((pair) => Number(pair[axis])))
  const [[west, east], [south, north]] = sides.map((values) => [
    Math.min(...values),
    Math.max(...values),
  ]) as [[number, number], [number, number]]
  const degrees = (value: number) => `${Number(value.toFixed(4))}°`
  return `longitude ${degrees(west)} to ${degrees(east)}, latitude ${degrees(south)} to ${degrees(north)}`
}

const areaText = (area: number) => `${Number(area.toPrecision(6)).toLocaleString('en')} square degrees`

/** EPSG code of base maps. */
const webMercator = 3857

/** Writes the place of the form that adds the service to a web map; its script shows it. */
function addFormHtml({ caller, service }: GeoservicePage): string {
  const isForBasemaps = service.type === 'tms' && (service.epsg ?? webMercator) === webMercator
  if (caller.isGuest || !isForBasemaps) return ''
  return '<section id="add" hidden><h2>Add to a web map</h2></section>'
}
