import type { Representation } from '../../contract/bodies.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import type { NamedResource } from '../../store/resource_name.ts'
import type { Caller } from '../caller.ts'
import { sanitiseDescription } from '../description.ts'
import { escapeHtml } from '../page.ts'
import { layoutPage } from './layout.ts'
import { valueHtml } from './value.ts'

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
  return `<nav aria-label="Path"><ol>${links.join('')}${here}</ol></nav>`
}

function factsText({ resource, owner }: ResourcePage): string {
  const { id, keyname, creation_date: date } = resource.resource
  const key = keyname ? `, key <code>${escapeHtml(keyname)}</code>` : ''
  return ` ${id}${key}, owned by ${escapeHtml(owner)}, made ${escapeHtml((date ?? '').replace('T', ' '))}`
}

/** What can be looked at elsewhere, as far as the caller may. */
function linksHtml({ resource, rights }: ResourcePage): string {
  const { id, cls, interfaces = [] } = resource.resource
  const links: [address: string, text: string][] = []
  if (rights.webmap?.display) links.push([`/resource/${id}/display`, 'Open the map'])
  if (interfaces.includes('IFeatureLayer') && rights.data?.read) {
    links.push([`/api/resource/${id}/feature/?limit=100&geom=no`, 'First features'])
    links.push([`/api/resource/${id}/geojson`, 'All as GeoJSON'])
  }
  if (cls === 'raster_layer' && rights.data?.read) {
    links.push([`/api/resource/${id}/cog`, 'The picture as GeoTIFF'])
    links.push([`/api/resource/${id}/download`, 'The file as it was sent'])
  }
  links.push(
    [`/api/resource/${id}`, 'As JSON'],
    [`/api/resource/${id}/permission/explain`, 'Why these rights'],
  )
  const items = links.map(([address, text]) => `<li><a href="${escapeHtml(address)}">${text}</a></li>`)
  return `<ul class="links">${items.join('')}</ul>`
}

function childrenHtml({ children, childCount, offset, resource }: ResourcePage): string {
  if (childCount === 0) return ''
  const rows = children.map(
    ({ id, cls, displayName }) =>
      `<tr><td><a href="/resource/${id}">${escapeHtml(displayName)}</a></td><td>${escapeHtml(descriptorOf(cls).label)}</td></tr>`,
  )
  const next = offset + children.length
  const more =
    next < childCount
      ? `<p><a href="/resource/${resource.resource.id}?offset=${next}">Further ones, of ${childCount}</a></p>`
      : ''
  return `<section><h2>Contents</h2><table><thead><tr><th scope="col">Name</th><th scope="col">Class</th></tr></thead>
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
