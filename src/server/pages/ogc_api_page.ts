import type { Collection, FeatureApi, Link } from '../../ogc/features_api/feature_api.ts'
import type { ApiRequest } from '../http/handler.ts'
import { hasCatalog } from './catalog_frame.ts'
import { escapeHtml } from './html.ts'
import { layoutPage } from './layout.ts'

/** A request for a page. */
export type PageRequest = Pick<ApiRequest, 'caller' | 'context' | 'url'>

/** A feature on a page; its numbers are strings. */
export interface PageFeature {
  readonly id: string
  readonly geometry: { readonly type: string } | null
  readonly properties: Readonly<Record<string, unknown>>
}

/** Features of a collection. */
export interface ItemsPage {
  readonly request: PageRequest
  readonly api: FeatureApi
  readonly collection: Collection
  readonly features: readonly PageFeature[]
  readonly links: readonly Link[]
  readonly numberMatched: number
  readonly numberReturned: number
  readonly offset: number
}

/** Writes a JSON document as a page: links are followed, lists and objects are nested lists. */
export function documentPage(request: PageRequest, document: object): string {
  const { title, ...members } = document as { readonly title?: string }
  return page(request, title ?? 'OGC API', valueHtml(members))
}

/** Writes a page of features as a table. */
export function itemsPage({ request, api, collection, ...list }: ItemsPage): string {
  const { features, links, numberMatched, numberReturned, offset } = list
  const names = [...new Set(features.flatMap(({ properties }) => Object.keys(properties)))]
  const range =
    numberReturned === 0
      ? `0 of ${numberMatched} features`
      : `${offset + 1} to ${offset + numberReturned} of ${numberMatched} features`
  const head = ['id', ...names].map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join('')
  const url = `${api.url}/collections/${encodeURIComponent(collection.id)}/items`
  const rows = features.map(({ id, properties }) => {
    const link = `<a href="${escapeHtml(`${url}/${id}?f=html`)}">${escapeHtml(String(id))}</a>`
    const cells = [link, ...names.map((name) => textHtml(properties[name]))]
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
  })
  const content = `<p role="status">${range}</p>
<nav aria-label="Pages">${linksHtml(links)}</nav>
<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`
  return page(request, collection.title, content)
}

/** A feature of a collection. */
export interface ItemPage {
  readonly request: PageRequest
  readonly api: FeatureApi
  readonly collection: Collection
  readonly feature: PageFeature | undefined
  readonly links: readonly Link[]
}

/** Writes a page of a feature. */
export function itemPage({ request, collection, feature, links }: ItemPage): string {
  const { id = '', geometry = null, properties = {} } = feature ?? {}
  const values = { ...properties, geometry: geometry?.type ?? null }
  const content = `<nav aria-label="Links">${linksHtml(links)}</nav>${valueHtml(values)}`
  return page(request, `${collection.title}: ${id}`, content)
}

function page({ caller, context, url }: PageRequest, title: string, content: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/]+/i, '')
  return layoutPage({
    title,
    caller,
    path,
    content: `<h1>${escapeHtml(title)}</h1>${content}`,
    hasCatalog: hasCatalog(context),
  })
}

const linksHtml = (links: readonly Link[]) =>
  `<ul>${links.map((link) => `<li>${linkHtml(link)}</li>`).join('')}</ul>`

const linkHtml = ({ href, title, rel }: Link) =>
  `<a href="${escapeHtml(pageUrl(href))}" rel="${escapeHtml(rel)}">${escapeHtml(title)}</a>`

/** Pages link to pages. */
function pageUrl(href: string): string {
  if (/[?&]f=/.test(href) || href.includes('{')) return href
  return `${href}${href.includes('?') ? '&' : '?'}f=html`
}

const isLink = (value: unknown): value is Link =>
  typeof value === 'object' && value !== null && 'href' in value && 'rel' in value

function valueHtml(value: unknown): string {
  if (isLink(value)) return linkHtml({ ...value, title: value.title ?? value.href })
  if (Array.isArray(value)) return `<ul>${value.map((item) => `<li>${valueHtml(item)}</li>`).join('')}</ul>`
  if (typeof value === 'object' && value !== null)
    return `<dl>${Object.entries(value)
      .map(([name, inner]) => `<dt>${escapeHtml(name)}</dt><dd>${valueHtml(inner)}</dd>`)
      .join('')}</dl>`
  return textHtml(value)
}

const textHtml = (value: unknown) => (value === null || value === undefined ? '' : escapeHtml(String(value)))
