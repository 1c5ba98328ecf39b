import { readFileSync } from 'node:fs'
import {
  type CumulativeStatus,
  type GeoserviceDetail,
  type GeoserviceType,
  pageUrls,
} from '../../contract/catalog/catalog.ts'
import { isVectorTileUrl } from '../../contract/formats/tile_format.ts'
import type { ServerContext } from '../context.ts'
import { escapeHtml } from './html.ts'
import { documentStyle, styleSource } from './html_document.ts'
import { layoutHeaders } from './layout.ts'

const css = readFileSync(new URL('./catalog.css', import.meta.url), 'utf8')
const style = styleSource(css)

/** Tells whether the server has the catalog, and therefore its pages. */
export function hasCatalog({ catalog }: Pick<ServerContext, 'catalog'>): boolean {
  return catalog !== 'off'
}

/** Writes the elements of the head of a catalog page: stylesheet and, if the scripts have been built, the script. */
export function catalogHead(script: string | undefined): string {
  const element = script === undefined ? '' : `<script type="module" src="${escapeHtml(script)}"></script>`
  return `<style>${css}</style>${element}`
}

/** Origins of other servers that a page may load from. */
export interface ForeignOrigins {
  readonly images?: readonly string[]
  readonly data?: readonly string[]
}

/** Returns the headers of a catalog page: the policy allows the scripts of this server, and the given origins. */
export function catalogPageHeaders({ images = [], data = [] }: ForeignOrigins = {}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${documentStyle} ${style}`,
    ["img-src 'self' data: blob:", ...images].join(' '),
    ["connect-src 'self'", ...data].join(' '),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  return {
    ...layoutHeaders,
    'content-security-policy': policy.join('; '),
    // Tile services refuse requests that do not say from which site they come.
    'referrer-policy': 'strict-origin-when-cross-origin',
  }
}

/** Lists the origins that a preview of a geoservice loads from. */
export function previewOrigins(service: GeoserviceDetail): ForeignOrigins {
  const urls = pageUrls(service)
  const origins = [...new Set(urls.flatMap(originOf))].sort()
  const hasImages = service.type === 'wms' || (service.type === 'tms' && !isVectorTileUrl(service.url))
  return hasImages ? { images: origins } : { data: origins }
}

/** Returns the origin of a URL; none if it could end the directive of the policy, such as `https://a;script-src`. */
function originOf(url: string): string[] {
  const origin = URL.parse(url)?.origin ?? ''
  return /^https?:\/\/[a-z0-9._-]+(:\d+)?$/.test(origin) ? [origin] : []
}

const typeNames: Readonly<Record<GeoserviceType, string>> = {
  tms: 'TMS',
  wms: 'WMS',
  wfs: 'WFS',
  geojson: 'GeoJSON',
}

/** Returns the name of a type of geoservices for users. */
export function typeName(type: GeoserviceType): string {
  return typeNames[type]
}

/** Writes type and reference system of a geoservice. */
export function kindHtml({ type, epsg }: Pick<GeoserviceDetail, 'type' | 'epsg'>): string {
  const system = epsg === null ? '' : ` <span class="tag">EPSG:${epsg}</span>`
  return `<span class="tag">${typeName(type)}</span>${system}`
}

/** Writes the result of the last check. */
export function statusHtml(status: CumulativeStatus | null): string {
  return status === null
    ? '<span class="tag quiet">not checked yet</span>'
    : `<span class="tag ${status}">${status}</span>`
}

/** Writes the icon of a geoservice, which says nothing that its name does not. */
export function iconHtml(icon: number | null, size: number): string {
  // Twice as many pixels, for dense screens.
  const pixels = Math.min(2 * size, 64)
  return `<img src="/catalog/icons/${icon ?? 'default'}?width=${pixels}&amp;height=${pixels}" alt="" width="${size}" height="${size}">`
}
