import type { Ask } from './server.ts'

/** What a test makes a resource of: class, parent, name, and the members of the class. */
export interface Wanted {
  readonly cls: string
  readonly parent?: number
  readonly name: string
  readonly members?: Readonly<Record<string, unknown>>
  /** Further members of `resource`. */
  readonly resource?: Readonly<Record<string, unknown>>
}

/** Makes a resource and gives its id; fails with the server's own words. */
export async function createResource(ask: Ask, wanted: Wanted): Promise<number> {
  const { cls, parent = 0, name, members = {}, resource = {} } = wanted
  const body = { resource: { cls, parent: { id: parent }, display_name: name, ...resource }, ...members }
  const answer = await ask('POST', '/api/resource/', body)
  const read = await answer.json<{ id: number; message?: string }>()
  if (answer.status !== 200) throw new Error(`${cls} "${name}": ${answer.status} ${read.message}`)
  return read.id
}

/** Makes an empty layer in EPSG:3857 and gives its id. */
export function createLayer(
  ask: Ask,
  layer: {
    readonly name: string
    readonly geometryType: string
    readonly parent?: number
    readonly fields?: readonly {
      readonly keyname: string
      readonly datatype: string
      readonly display_name?: string
    }[]
    readonly resource?: Readonly<Record<string, unknown>>
    readonly members?: Readonly<Record<string, unknown>>
  },
): Promise<number> {
  const { name, geometryType, fields = [], parent = 0, resource = {}, members = {} } = layer
  return createResource(ask, {
    cls: 'vector_layer',
    parent,
    name,
    resource,
    members: { vector_layer: { srs: { id: 3857 }, geometry_type: geometryType, fields }, ...members },
  })
}

/** Writes a style of one class in map server XML. */
export function styleXml(inner: string): string {
  return `<map><layer><class><style>${inner}</style></class></layer></map>`
}

/** Makes a style under a layer and gives its id. */
export function createStyle(
  ask: Ask,
  { parent, name, inner }: { readonly parent: number; readonly name: string; readonly inner?: string },
): Promise<number> {
  const members = inner === undefined ? {} : { mapsrv_style: { xml: styleXml(inner) } }
  return createResource(ask, { cls: 'mapsrv_style', parent, name, members })
}

/** A rule that lets a principal do everything of a scope. */
export function allow(principal: number, scope: string, permission = ''): Record<string, unknown> {
  return { action: 'allow', principal: { id: principal }, identity: '', scope, permission, propagate: true }
}
