import { cumulativeStatuses, type GeoserviceItem, geoserviceTypes } from '../../contract/catalog/catalog.ts'
import { catalogPageLength, uncheckedStatus } from '../../contract/routes/page.ts'
import type { Caller } from '../auth/caller.ts'
import { catalogHead, iconHtml, kindHtml, statusHtml, typeName } from './catalog_frame.ts'
import { escapeHtml } from './html.ts'
import { layoutPage } from './layout.ts'

/** Conditions of the list, as the form sends them; empty strings for absent ones. */
export interface CatalogQuery {
  readonly search: string
  readonly type: string
  readonly epsg: string
  readonly cumulative_status: string
}

/** Content of the page of the catalog. */
export interface CatalogPage {
  readonly caller: Caller
  readonly query: CatalogQuery
  /** Index of the first geoservice on the page. */
  readonly offset: number
  /** Number of matching geoservices. */
  readonly count: number
  readonly services: readonly GeoserviceItem[]
  /** Message about an invalid condition. */
  readonly fault?: string | undefined
  /** URL of the script; undefined if the scripts have not been built. */
  readonly script?: string | undefined
}

/** Writes the page of the catalog: a search form and the matching geoservices. */
export function catalogPage(page: CatalogPage): string {
  const { caller, query, offset, script } = page
  const content = `<h1>Geoservices</h1>
${formHtml(query)}
<p id="count" role="status"${page.fault === undefined ? '' : ' class="fault"'}>${escapeHtml(countText(page))}</p>
<div id="results">${resultsHtml(page)}</div>`
  return layoutPage({
    title: 'Geoservices',
    caller,
    path: addressOf(query, offset),
    content,
    hasCatalog: true,
    head: catalogHead(script),
  })
}

function formHtml({ search, type, epsg, cumulative_status: status }: CatalogQuery): string {
  const types = geoserviceTypes.map((name) => [name, typeName(name)] as const)
  const statuses = [
    ...cumulativeStatuses.map((name) => [name, name] as const),
    [uncheckedStatus, 'not checked yet'] as const,
  ]
  return `<form id="search" class="search" role="search" method="get" action="/catalog/">
<label class="wide">Search <input type="search" name="search" value="${escapeHtml(search)}" maxlength="1000" autocomplete="off"></label>
<label>Type <select name="type">${optionsHtml(types, type)}</select></label>
<label>EPSG code <input name="epsg" value="${escapeHtml(epsg)}" inputmode="numeric" maxlength="40" autocomplete="off"></label>
<label>Status <select name="cumulative_status">${optionsHtml(statuses, status)}</select></label>
<button>Search</button>
</form>`
}

function optionsHtml(options: readonly (readonly [value: string, text: string])[], chosen: string): string {
  const isKnown = chosen === '' || options.some(([value]) => value === chosen)
  const all = [['', 'any'] as const, ...options, ...(isKnown ? [] : [[chosen, chosen] as const])]
  return all
    .map(
      ([value, text]) =>
        `<option value="${escapeHtml(value)}"${value === chosen ? ' selected' : ''}>${escapeHtml(text)}</option>`,
    )
    .join('')
}

function countText({ count, offset, services, fault }: CatalogPage): string {
  if (fault !== undefined) return fault
  const total = count === 1 ? '1 geoservice' : `${count.toLocaleString('en')} geoservices`
  const isPart = services.length > 0 && services.length < count
  return isPart ? `${total}, showing ${offset + 1} to ${offset + services.length}` : total
}

function resultsHtml(page: CatalogPage): string {
  const { query, count, services, fault } = page
  if (fault !== undefined) return ''
  const isFiltered = Object.values(query).some((text) => text.trim() !== '')
  const all = '<a href="/catalog/">Show all geoservices</a>'
  if (count === 0)
    return `<p>${isFiltered ? `No geoservices match the search. ${all}` : 'The catalog has no geoservices yet.'}</p>`
  if (services.length === 0) return `<p>This page is beyond the end of the list. ${all}</p>`
  const list = `<ul class="services">${services.map(serviceHtml).join('\n')}</ul>`
  return `${pagesHtml(page, 'Pages')}${list}${pagesHtml(page, 'Pages, below the list')}`
}

function serviceHtml(service: GeoserviceItem): string {
  const { id, name, icon, desc, cumulative_status: status } = service
  const words = firstWords(desc ?? '')
  const description = words === '' ? '' : `<p class="quiet">${escapeHtml(words)}</p>`
  return `<li>${iconHtml(icon, 32)}<div><a href="/catalog/${id}/">${escapeHtml(name)}</a>
<p class="tags">${kindHtml(service)} ${statusHtml(status)}</p>${description}</div></li>`
}

const shownLength = 160

/** Returns the start of a text, at most `shownLength` characters long, cut between words. */
function firstWords(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  if (line.length <= shownLength) return line
  const start = line.slice(0, shownLength).replace(/[\uD800-\uDBFF]$/, '')
  return `${start.slice(0, start.lastIndexOf(' ') > shownLength / 2 ? start.lastIndexOf(' ') : undefined)}…`
}

function pagesHtml({ query, offset, count }: CatalogPage, label: string): string {
  const last = Math.ceil(count / catalogPageLength)
  const current = Math.floor(offset / catalogPageLength) + 1
  if (last <= 1) return ''
  const link = (number: number, text: string, attributes = '') =>
    `<li><a${attributes} href="${escapeHtml(addressOf(query, (number - 1) * catalogPageLength))}">${text}</a></li>`
  const numbers = pageNumbers(current, last).map((number) => {
    if (number === undefined) return '<li>…</li>'
    return link(number, String(number), number === current ? ' aria-current="page"' : '')
  })
  const previous = current > 1 ? link(current - 1, 'Previous', ' rel="prev"') : ''
  const next = current < last ? link(current + 1, 'Next', ' rel="next"') : ''
  return `<nav class="pages" aria-label="${label}"><ul class="links">${previous}${numbers.join('')}${next}</ul></nav>`
}

/** Returns the first, the last and the nearest pages; undefined in place of those between. */
function pageNumbers(current: number, last: number): (number | undefined)[] {
  const all = Array.from({ length: last }, (_, at) => at + 1)
  const shown = all.filter((number) => number === 1 || number === last || Math.abs(number - current) <= 2)
  return shown.flatMap((number, at) =>
    at > 0 && number - (shown[at - 1] ?? 0) > 1 ? [undefined, number] : [number],
  )
}

/** Returns the path of a page of the list, without the conditions that are empty. */
function addressOf(query: CatalogQuery, offset: number): string {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, text]) => text !== ''))
  if (offset > 0) parameters.set('offset', String(offset))
  return parameters.size === 0 ? '/catalog/' : `/catalog/?${parameters}`
}
