import type { PageLink } from '../../contract/descriptor.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import { type RouteName, routeOf } from '../../contract/routes.ts'
import { escapeHtml } from './html.ts'
import type { ResourcePage } from './resource_page.ts'

type Link = readonly [address: string, text: string]
type Values = Readonly<Record<string, unknown>>

/** Writes the links to the data of a resource that the caller may access. */
export function linksHtml(page: Pick<ResourcePage, 'resource' | 'rights'>): string {
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
