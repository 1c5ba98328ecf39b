import type { GeoserviceDetail } from '../../contract/catalog/catalog.ts'
import { maxResourceIds } from '../../contract/limits.ts'
import { element } from '../element.ts'
import { ask, askJson, reasonOf } from '../request.ts'

interface Place {
  readonly id: number
  readonly name: string
}

/** Resources of the user: groups in which base maps can be created, and web maps that can be changed. */
interface Places {
  readonly groups: readonly Place[]
  readonly maps: readonly Place[]
}

/** Shows the form that creates a base map of a service, if the user can create one anywhere. */
export async function showAddForm(section: HTMLElement, service: GeoserviceDetail): Promise<void> {
  const places = await findPlaces()
  if (places.groups.length === 0) return
  const report = element('p', { role: 'status' })
  const form = element(
    'form',
    { class: 'search' },
    element('label', {}, 'Name ', element('input', { name: 'name', required: true, value: service.name })),
    element('label', {}, 'Resource group ', selectOf('group', places.groups)),
    element('label', {}, 'Web map ', selectOf('map', [...places.maps, { id: -1, name: 'none' }])),
    element('button', {}, 'Create base map'),
    report,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const button = form.querySelector('button')
    if (button === null || button.disabled) return
    button.disabled = true
    report.className = ''
    report.textContent = 'Creating the base map…'
    const values = new FormData(form)
    const [name = '', group = '', map = ''] = ['name', 'group', 'map'].map((one) => String(values.get(one)))
    try {
      report.replaceChildren(...(await add(service, { name, group: Number(group), map: Number(map) })))
    } catch (error) {
      report.className = 'fault'
      report.textContent = `Cannot create the base map. ${reasonOf(error)}`
    }
    button.disabled = false
  })
  section.append(form)
  section.hidden = false
}

function selectOf(name: string, places: readonly Place[]): HTMLSelectElement {
  const options = places.map((place) =>
    element('option', { value: place.id }, place.id < 0 ? place.name : `${place.name} (${place.id})`),
  )
  return element('select', { name }, ...options)
}

/** Class, name, creatable children and permission to update, each `[0, value]` or `[1]`. */
type Attributes = readonly (readonly [0, unknown] | readonly [1])[]

async function findPlaces(): Promise<Places> {
  const query = 'cls__in=resource_group,webmap'
  const found = await askJson<{ resource: { id: number } }[]>(
    `/api/resource/search/?${query}&limit=${maxResourceIds}`,
  )
  const { items } = await sendJson<{ items: [number, Attributes][] }>(
    'POST',
    '/api/component/resource/attr',
    {
      resources: found.map(({ resource }) => resource.id),
      attributes: [
        ['resource.cls'],
        ['resource.display_name'],
        ['resource.children_creatable'],
        ['resource.has_permission', 'resource.update'],
      ],
    },
  )
  const places = items.map(([id, values]) => {
    const [cls, name, creatable, isChangeable] = values.map(([, value]) => value)
    const takesBasemaps = Array.isArray(creatable) && creatable.includes('basemap_layer')
    return { id, name: String(name), cls, takesBasemaps, isChangeable }
  })
  return {
    groups: places.filter(({ takesBasemaps }) => takesBasemaps),
    maps: places.filter(({ cls, isChangeable }) => cls === 'webmap' && isChangeable === true),
  }
}

interface Choice {
  readonly name: string
  readonly group: number
  /** Web map; negative for none. */
  readonly map: number
}

/** Creates the base map and adds it to the web map. Returns the message for the user. */
async function add(service: GeoserviceDetail, { name, group, map }: Choice): Promise<(Node | string)[]> {
  const { id } = await sendJson<{ id: number }>('POST', '/api/resource/', {
    resource: { cls: 'basemap_layer', parent: { id: group }, display_name: name },
    // The base map has the address and the attribution of the entry in the catalog, also when they change.
    basemap_layer: { qms: service.guid },
  })
  const created = ['Created ', linkTo(id, name), '.']
  if (map < 0) return created
  try {
    await addToMap(map, { resource_id: id, display_name: name })
    return [...created.slice(0, -1), ' and added it to the ', linkTo(map, 'web map'), '.']
  } catch (error) {
    return [...created, ` Cannot add it to the web map. ${reasonOf(error)}`]
  }
}

const linkTo = (id: number, text: string) => element('a', { href: `/resource/${id}` }, text)

interface Basemap {
  readonly resource_id: number
  readonly display_name: string
  readonly position: number
}

/** Adds a base map at the end of the list of a web map; fails if the map is changed meanwhile. */
async function addToMap(map: number, added: Omit<Basemap, 'position'>): Promise<void> {
  const path = `/api/resource/${map}`
  const response = await ask(path, { headers: { accept: 'application/json' } })
  const { basemap_webmap: list } = (await response.json()) as { basemap_webmap?: { basemaps?: Basemap[] } }
  const basemaps = list?.basemaps ?? []
  const position = Math.max(-1, ...basemaps.map((one) => one.position)) + 1
  const etag = response.headers.get('etag')
  await sendJson(
    'PUT',
    path,
    { basemap_webmap: { basemaps: [...basemaps, { ...added, position }] } },
    etag === null ? {} : { 'if-match': etag },
  )
}

function sendJson<T>(...[method, path, body, headers = {}]: Sent): Promise<T> {
  return askJson<T>(path, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
}

type Sent = [method: string, path: string, body: object, headers?: Readonly<Record<string, string>>]
