import type { Representation } from '../../contract/bodies.ts'
import { escapeHtml } from './html.ts'
import type { ResourcePage } from './resource_page.ts'

type Link = readonly [address: string, text: string]

/** Writes where what a resource holds can be looked at: its map, its data, its files, as far as the caller may. */
export function linksHtml({ resource, rights }: Pick<ResourcePage, 'resource' | 'rights'>): string {
  const path = `/api/resource/${resource.resource.id}`
  const links: readonly Link[] = [
    ...(rights.webmap?.display
      ? [[`/resource/${resource.resource.id}/display`, 'Open the map'] as const]
      : []),
    ...(rights.data?.read ? dataLinks(resource, path) : []),
    ...(resource.resource.cls === 'geodb_connection' && rights.connection?.connect
      ? [[`${path}/inspect/`, 'Schemas and tables of the database'] as const]
      : []),
    [path, 'As JSON'],
    [`${path}/permission/explain`, 'Why these rights'],
  ]
  return `<ul class="links">${links.map(linkHtml).join('')}</ul>`
}

function linkHtml([address, text]: Link): string {
  return `<li><a href="${escapeHtml(address)}">${escapeHtml(text)}</a></li>`
}

function dataLinks(shown: Representation, path: string): Link[] {
  const { resource } = shown
  if (resource.interfaces?.includes('IFeatureLayer'))
    return [
      [`${path}/feature/?limit=100&geom=no`, 'First features'],
      [`${path}/geojson`, 'All as GeoJSON'],
    ]
  switch (resource.cls) {
    case 'raster_layer':
      return [
        [`${path}/cog`, 'The picture as GeoTIFF'],
        [`${path}/download`, 'The file as it was sent'],
      ]
    case 'desk_vector_style':
      return [[`${path}/qml`, 'The style as QML']]
    case 'file_bucket':
      return namesOf(shown).map((name) => [`${path}/file/${encodePath(name)}`, `Download ${name}`])
    default:
      return []
  }
}

function namesOf({ file_bucket: bucket }: Partial<Representation<'file_bucket'>>): string[] {
  return (bucket?.files ?? []).flatMap(({ name }) => name ?? [])
}

function encodePath(name: string): string {
  return name.split('/').map(encodeURIComponent).join('/')
}
