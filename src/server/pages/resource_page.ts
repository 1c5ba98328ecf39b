import type { Representation } from '../../contract/bodies/bodies.ts'
import type { PageLink, ServiceAddress } from '../../contract/descriptor.ts'
import { maxSearchText } from '../../contract/limits.ts'
import { isMarkerKey } from '../../contract/markers.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import { type RouteName, routeOf } from '../../contract/routes.ts'
import type { NamedResource } from '../../store/resource/resource_name.ts'
import type { Caller } from '../auth/caller.ts'
import { isDrawable } from '../render/sources/open_sources.ts'
import { sanitiseDescription } from '../resource/description.ts'
import { addressHtml } from './address.ts'
import { escapeHtml } from './html.ts'
import { layoutPage } from './layout.ts'

/** Content of a resource page. */
export interface ResourcePage {
  readonly caller: Caller
  readonly hasCatalog: boolean
  /** Resource with the members that the caller may read. */
  readonly resource: Representation
  /** Ancestors from the root to the parent. */
  readonly above: readonly NamedResource[]
  readonly children: readonly NamedResource[]
  /** Number of children that are found, and index of the first one on the page. */
  readonly childCount: number
  readonly offset: number
  /** Number of children visible to the caller, and the words that those on the page have in their names; empty for all. */
  readonly allCount: number
  readonly search: string
  /** Referenced resources visible to the caller. */
  readonly uses: readonly NamedResource[]
  readonly owner: string
  /** Permissions of the caller by scope. */
  readonly rights: Readonly<Record<string, Readonly<Record<string, boolean>>>>
  /** URL of the page. */
  readonly url: string
  /** URL of the script that copies addresses; undefined if the scripts have not been built, and without addresses. */
  readonly script?: string | undefined
}

type Link = readonly [address: string, text: string]

type Values = Readonly<Record<string, unknown>>

/** Writes a resource page, for browsing and for inspecting permissions. */
export function resourcePage(page: ResourcePage): string {
  const { resource, caller, hasCatalog, script } = page
  const { id, cls, display_name: name = '', description } = resource.resource
  const { label } = descriptorOf(cls as Cls)
  const descriptionHtml = description
    ? `<section aria-label="Description">${sanitiseDescription(description)}</section>`
    : ''
  const content = [
    pathHtml(page),
    `<h1>${escapeHtml(name)}</h1><p class="quiet">${escapeHtml(label)}${factsText(page)}</p>`,
    linksHtml(page),
    addressesHtml(page),
    previewHtml(page),
    descriptionHtml,
    childrenHtml(page),
    resourcesHtml('Uses', page.uses),
    membersHtml(resource),
    rightsHtml(page),
  ]
  return layoutPage({
    title: name,
    caller,
    path: `/resource/${id}`,
    content: content.join('\n'),
    hasCatalog,
    head: script === undefined ? '' : `<script type="module" src="${escapeHtml(script)}"></script>`,
  })
}

function pathHtml({ above, resource }: ResourcePage): string {
  const links = above.map(
    ({ id, displayName }) => `<li><a href="/resource/${id}">${escapeHtml(displayName)}</a></li>`,
  )
  const here = `<li aria-current="page">${escapeHtml(resource.resource.display_name ?? '')}</li>`
  return `<nav class="path" aria-label="Path"><ol>${links.join('')}${here}</ol></nav>`
}

/** Shows what the resource looks like, if the caller may see it. */
function previewHtml({ resource, rights }: ResourcePage): string {
  const { id, cls } = resource.resource
  const isShown = cls === 'webmap' ? rights.webmap?.display : isDrawable(cls as Cls) && rights.data?.read
  if (isShown !== true) return ''
  const source = `/api/resource/${id}/preview.png?size=600,315`
  return `<img class="preview" src="${source}" width="600" height="315" loading="lazy" alt="Preview">`
}

function factsText({ resource, owner }: ResourcePage): string {
  const { id, keyname, creation_date: date } = resource.resource
  const key = keyname ? `, key <code>${escapeHtml(keyname)}</code>` : ''
  return ` ${id}${key}, owned by ${escapeHtml(owner)}, created ${escapeHtml((date ?? '').replace('T', ' '))}`
}

/** Number of children from which a form finds some of them. */
const leastFound = 10

function childrenHtml(page: ResourcePage): string {
  const { children, childCount, allCount, offset, search, resource } = page
  const next = offset + children.length
  const path = `/resource/${resource.resource.id}`
  const address = `${path}?${new URLSearchParams({ ...(search === '' ? {} : { search }), offset: `${next}` })}`
  const more = next < childCount ? `<p><a href="${escapeHtml(address)}">More of ${childCount}</a></p>` : ''
  if (search === '' && allCount < leastFound) return resourcesHtml('Contents', children, more)
  const form = `<form class="find" role="search" method="get" action="${path}">
<label>Find by name <input type="search" name="search" value="${escapeHtml(search)}" maxlength="${maxSearchText}" autocomplete="off"></label> <button>Find</button></form>`
  const all = search === '' ? '' : `<p>${childCount} of ${allCount}. <a href="${path}">Show all</a></p>`
  return `<section><h2>Contents</h2>${form}${all}${tableOf(children)}${more}</section>`
}

function resourcesHtml(title: string, resources: readonly NamedResource[], more = ''): string {
  return resources.length === 0 ? '' : `<section><h2>${title}</h2>${tableOf(resources)}${more}</section>`
}

function tableOf(resources: readonly NamedResource[]): string {
  if (resources.length === 0) return ''
  const rows = resources.map(
    ({ id, cls, displayName }) =>
      `<tr><td><a href="/resource/${id}">${escapeHtml(displayName)}</a></td><td>${escapeHtml(descriptorOf(cls).label)}</td></tr>`,
  )
  return `<table><thead><tr><th scope="col">Name</th><th scope="col">Class</th></tr></thead>
<tbody>${rows.join('')}</tbody></table>`
}

/** Writes the members of the class and the metadata that the caller may read. */
function membersHtml({ resource: _, resmeta, ...members }: Representation): string {
  const items = Object.entries(resmeta?.items ?? {})
  const records = items.filter(([name]) => isMarkerKey(name))
  const own = items.filter(([name]) => !isMarkerKey(name))
  return [
    ...Object.entries(members).map(([member, values]) =>
      sectionHtml(member, tableHtml(Object.entries((values ?? {}) as Values))),
    ),
    sectionHtml('resmeta', `${tableHtml(own)}${recordsHtml(records)}`),
  ].join('\n')
}

const sectionHtml = (title: string, content: string) =>
  content === '' ? '' : `<section><h2>${escapeHtml(title)}</h2>${content}</section>`

function tableHtml(entries: readonly (readonly [name: string, value: unknown])[]): string {
  if (entries.length === 0) return ''
  const rows = entries.map(
    ([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${valueHtml(value)}</td></tr>`,
  )
  return `<table><tbody>${rows.join('')}</tbody></table>`
}

/** Few readers need the records of manifests. */
function recordsHtml(records: readonly (readonly [name: string, value: unknown])[]): string {
  if (records.length === 0) return ''
  return `<details><summary>Records of manifests (${records.length})</summary>${tableHtml(records)}</details>`
}

function rightsHtml({ rights, resource, caller }: ResourcePage): string {
  const rows = Object.entries(rights).map(([scope, permissions]) => {
    const words = Object.entries(permissions).map(([name, isGranted]) =>
      isGranted ? name : `<del class="quiet">${name}</del>`,
    )
    return `<tr><th scope="row">${scope}</th><td>${words.join(', ')}</td></tr>`
  })
  const rules = resource.resource.permissions ?? []
  const own =
    rules.length === 0
      ? ''
      : `<details><summary>Rules of this resource (${rules.length})</summary>${valueHtml(rules)}</details>`
  return `<section><h2>Permissions of ${escapeHtml(caller.displayName)}</h2><table><tbody>${rows.join('')}</tbody></table>${own}</section>`
}

/** Writes a JSON value as HTML: lists of flat objects as tables, multi-line strings preformatted, other values as JSON. */
function valueHtml(value: unknown): string {
  if (value === null || value === undefined) return '<span class="quiet">none</span>'
  if (typeof value === 'string' && value.includes('\n')) return `<pre>${escapeHtml(value)}</pre>`
  if (typeof value !== 'object') return escapeHtml(String(value))
  if (Array.isArray(value) && value.length > 0 && value.every(isFlat)) return listHtml(value)
  if (Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0)
    return '<span class="quiet">empty</span>'
  return `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`
}

type Flat = Readonly<Record<string, unknown>>

function isFlat(value: unknown): value is Flat {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((member) => typeof member !== 'object' || member === null || 'id' in member)
  )
}

function listHtml(items: readonly Flat[]): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const head = names.map((name) => `<th scope="col">${escapeHtml(name)}</th>`)
  const rows = items.map(
    (item) => `<tr>${names.map((name) => `<td>${cellHtml(item[name])}</td>`).join('')}</tr>`,
  )
  return `<table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function cellHtml(value: unknown): string {
  if (value === null || value === undefined) return ''
  return escapeHtml(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** Lists the addresses of a service that a caller may use, in the order of its class. */
export function addressesOf({
  resource,
  rights,
}: Pick<ResourcePage, 'resource' | 'rights'>): ServiceAddress[] {
  const all: readonly ServiceAddress[] = descriptorOf(resource.resource.cls as Cls).addresses ?? []
  return all.filter(({ permission }) => {
    const [scope = '', name = ''] = permission.split('.')
    return rights[scope]?.[name] === true
  })
}

/** Writes the addresses of a service, and how to add them in QGIS. */
function addressesHtml(page: ResourcePage): string {
  const parts = addressesOf(page).map(({ route, values, name, qgis }) => {
    const path = fill(
      routeOf(route as RouteName).path,
      { ...values, id: page.resource.resource.id },
      encodePath,
    )
    const how = `In QGIS: Layer, Add Layer, ${qgis}, New, and paste it as the URL.`
    return `${addressHtml(name, new URL(path, page.url).href)}<p class="quiet">${escapeHtml(how)}</p>`
  })
  return sectionHtml('Addresses', parts.join('\n'))
}

/** Writes the links to the data of a resource that the caller may access. */
function linksHtml(page: Pick<ResourcePage, 'resource' | 'rights'>): string {
  const { id, cls } = page.resource.resource
  const path = `/api/resource/${id}`
  const links: readonly Link[] = [
    ...(descriptorOf(cls as Cls).links ?? []).flatMap((link) => linksOf(link, page)),
    [path, 'As JSON'],
    [`${path}/permission/explain`, 'Explain permissions'],
  ]
  return `<ul class="links">${links.map(linkHtml).join('')}</ul>`
}

function linkHtml([address, text]: Link): string {
  return `<li><a href="${escapeHtml(address)}">${escapeHtml(text)}</a></li>`
}

function linksOf(
  { route, query, text, each }: PageLink,
  { resource: representation, rights }: Pick<ResourcePage, 'resource' | 'rights'>,
): Link[] {
  const { path, permission = '' } = routeOf(route as RouteName)
  const [scope = '', name = ''] = permission.split('.')
  if (rights[scope]?.[name] !== true) return []
  const { id, cls } = representation.resource
  const own = (representation as unknown as Readonly<Record<string, Values | undefined>>)[cls]
  const items = each === undefined ? [{}] : ((own?.[each] ?? []) as readonly Values[])
  return items.map((item) => {
    const address = fill(path, { ...item, id }, encodePath)
    return [query === undefined ? address : `${address}?${query}`, fill(text, item)]
  })
}

/** Replaces placeholders `{name}` with values. */
function fill(template: string, values: Values, encode = (text: string) => text): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(String(values[name] ?? '')))
}

function encodePath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}
