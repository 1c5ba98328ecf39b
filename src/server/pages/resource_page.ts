import type { Representation } from '../../contract/bodies.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import type { NamedResource } from '../../store/resource/resource_name.ts'
import type { Caller } from '../auth/caller.ts'
import { sanitiseDescription } from '../resource/description.ts'
import { escapeHtml } from './html.ts'
import { layoutPage } from './layout.ts'
import { linksHtml } from './resource_links.ts'

/** What the page of a resource shows. */
export interface ResourcePage {
  readonly caller: Caller
  /** What the caller may see of it. */
  readonly resource: Representation
  /** From the root down to the parent. */
  readonly above: readonly NamedResource[]
  readonly children: readonly NamedResource[]
  /** How many children the caller may see, and how many of them come before those shown. */
  readonly childCount: number
  readonly offset: number
  /** What it points at, as far as the caller may see it. */
  readonly uses: readonly NamedResource[]
  readonly owner: string
  /** Scope by scope, what the caller may do. */
  readonly rights: Readonly<Record<string, Readonly<Record<string, boolean>>>>
}

/** Writes the page of a resource: enough to look around, and to see why something may or may not be done. */
export function resourcePage(page: ResourcePage): string {
  const { resource, caller } = page
  const { id, cls, display_name: name = '', description } = resource.resource
  const { label } = descriptorOf(cls as Cls)
  const said = description
    ? `<section aria-label="Description">${sanitiseDescription(description)}</section>`
    : ''
  const content = [
    pathHtml(page),
    `<h1>${escapeHtml(name)}</h1><p class="quiet">${escapeHtml(label)}${factsText(page)}</p>`,
    linksHtml(page),
    said,
    childrenHtml(page),
    resourcesHtml('Uses', page.uses),
    membersHtml(resource),
    rightsHtml(page),
  ]
  return layoutPage({ title: name, caller, path: `/resource/${id}`, content: content.join('\n') })
}

function pathHtml({ above, resource }: ResourcePage): string {
  const links = above.map(
    ({ id, displayName }) => `<li><a href="/resource/${id}">${escapeHtml(displayName)}</a></li>`,
  )
  const here = `<li aria-current="page">${escapeHtml(resource.resource.display_name ?? '')}</li>`
  return `<nav class="path" aria-label="Path"><ol>${links.join('')}${here}</ol></nav>`
}

function factsText({ resource, owner }: ResourcePage): string {
  const { id, keyname, creation_date: date } = resource.resource
  const key = keyname ? `, key <code>${escapeHtml(keyname)}</code>` : ''
  return ` ${id}${key}, owned by ${escapeHtml(owner)}, made ${escapeHtml((date ?? '').replace('T', ' '))}`
}

function childrenHtml({ children, childCount, offset, resource }: ResourcePage): string {
  const next = offset + children.length
  const more =
    next < childCount
      ? `<p><a href="/resource/${resource.resource.id}?offset=${next}">Further ones, of ${childCount}</a></p>`
      : ''
  return resourcesHtml('Contents', children, more)
}

function resourcesHtml(title: string, resources: readonly NamedResource[], more = ''): string {
  if (resources.length === 0) return ''
  const rows = resources.map(
    ({ id, cls, displayName }) =>
      `<tr><td><a href="/resource/${id}">${escapeHtml(displayName)}</a></td><td>${escapeHtml(descriptorOf(cls).label)}</td></tr>`,
  )
  return `<section><h2>${title}</h2><table><thead><tr><th scope="col">Name</th><th scope="col">Class</th></tr></thead>
<tbody>${rows.join('')}</tbody></table>${more}</section>`
}

/** Members of the class and metadata, with all that the caller may see of them. */
function membersHtml({ resource: _, ...members }: Representation): string {
  const sections = Object.entries(members).flatMap(([member, values]) => {
    const entries = Object.entries((values ?? {}) as Readonly<Record<string, unknown>>)
    if (entries.length === 0) return []
    const rows = entries.map(
      ([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${valueHtml(value)}</td></tr>`,
    )
    return [`<section><h2>${escapeHtml(member)}</h2><table><tbody>${rows.join('')}</tbody></table></section>`]
  })
  return sections.join('\n')
}

function rightsHtml({ rights, resource, caller }: ResourcePage): string {
  const rows = Object.entries(rights).map(([scope, held]) => {
    const words = Object.entries(held).map(([name, holds]) =>
      holds ? name : `<del class="quiet">${name}</del>`,
    )
    return `<tr><th scope="row">${scope}</th><td>${words.join(', ')}</td></tr>`
  })
  const rules = resource.resource.permissions ?? []
  const own =
    rules.length === 0
      ? ''
      : `<details><summary>Rules set here (${rules.length})</summary>${valueHtml(rules)}</details>`
  return `<section><h2>Rights of ${escapeHtml(caller.displayName)}</h2><table><tbody>${rows.join('')}</tbody></table>${own}</section>`
}

/** Writes a value of JSON as HTML: lists of plain objects as tables, texts of many lines as they stand, other structures as JSON. */
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
