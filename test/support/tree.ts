import type { Ask } from './server.ts'

/** A resource to create: class, parent, name, and the members of the class. */
export interface NewResource {
  readonly cls: string
  readonly parent?: number
  readonly name: string
  readonly members?: Readonly<Record<string, unknown>>
  /** Further members of `resource`. */
  readonly resource?: Readonly<Record<string, unknown>>
}

/** Creates a resource and returns its id; throws the message of an error response. */
export async function createResource(ask: Ask, newResource: NewResource): Promise<number> {
  const { cls, parent = 0, name, members = {}, resource = {} } = newResource
  const body = { resource: { cls, parent: { id: parent }, display_name: name, ...resource }, ...members }
  const answer = await ask('POST', '/api/resource/', body)
  const read = await answer.json<{ id: number; message?: string }>()
  if (answer.status !== 200) throw new Error(`${cls} "${name}": ${answer.status} ${read.message}`)
  return read.id
}

/** Creates an empty layer in EPSG:3857 and returns its id. */
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
      readonly grid_visibility?: boolean
      readonly label_field?: boolean
      readonly lookup_table?: { readonly id: number }
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

/** Writes MapServer XML with one class and style. */
export function styleXml(inner: string): string {
  return `<map><layer><class><style>${inner}</style></class></layer></map>`
}

/** Creates a style below a layer and returns its id. */
export function createStyle(
  ask: Ask,
  { parent, name, inner }: { readonly parent: number; readonly name: string; readonly inner?: string },
): Promise<number> {
  const members = inner === undefined ? {} : { mapsrv_style: { xml: styleXml(inner) } }
  return createResource(ask, { cls: 'mapsrv_style', parent, name, members })
}

/** A rule that allows a principal a permission, or all of a scope. */
export function allow(principal: number, scope: string, permission = ''): Record<string, unknown> {
  return { action: 'allow', principal: { id: principal }, identity: '', scope, permission, propagate: true }
}
