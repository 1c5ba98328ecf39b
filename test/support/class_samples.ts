import { annotationsOf } from '../../src/contract/descriptor.ts'
import { type Cls, dataOf, descriptorOf } from '../../src/contract/registry.ts'
import type { Schema } from '../../src/contract/schema/schema.ts'
import { makeRaster } from './raster.ts'
import { uploadContent } from './samples.ts'
import type { Ask } from './server.ts'
import { createResource } from './tree.ts'

/** Resources that samples of classes stand under and refer to: one a class, made when the first sample needs it. */
export interface Family {
  readonly ask: Ask
  readonly ids: Map<Cls, number>
  /** Members of the classes that need an outside service, by class. */
  readonly outside?: Readonly<Partial<Record<Cls, object>>>
}

/** A resource that can be created: what it stands under, and the members of its class. */
export interface ClassSample {
  readonly parent: number
  readonly members: Readonly<Record<string, object>>
}

/**
 * Makes a sample of a class: required fields follow from the contract, all else is in `extras`.
 *
 * @param name a text that no other sample of the class has
 */
export async function makeSample(family: Family, cls: Cls, name: string): Promise<ClassSample> {
  const { members, parents } = descriptorOf(cls)
  const parent = await findOrCreate(family, parents[0] as Cls)
  const schema = members[cls] as Schema | undefined
  if (schema === undefined) return { parent, members: {} }
  const own = {
    ...(await makeObject(family, schema, name)),
    ...(await makeSource(family, cls)),
    ...family.outside?.[cls],
    ...(await extras[cls]?.(family, name)),
  }
  return { parent, members: { [cls]: own, ...(await others[cls]?.(family)) } }
}

/** Gives the id of a resource of a class, the only one of the family. */
export async function findOrCreate(family: Family, cls: Cls): Promise<number> {
  const known = family.ids.get(cls)
  if (known !== undefined) return known
  const id = await createResource(family.ask, { cls, name: cls, ...(await makeSample(family, cls, cls)) })
  family.ids.set(cls, id)
  return id
}

/** Fields that a sample has besides those that the contract requires of every resource. */
const extras: Partial<Record<Cls, (family: Family, name: string) => object | Promise<object>>> = {
  webmap: async (family) => {
    const style = await findOrCreate(family, 'mapsrv_style')
    const children = [{ item_type: 'layer', display_name: 'A', layer_style_id: style }]
    return {
      root_item: { item_type: 'root', children },
      bookmark_resource: await findOrCreate(family, 'vector_layer'),
    }
  },
  lookup_table: (_, name) => ({ items: { [name]: 'A' } }),
  basemap_layer: (_, name) => ({ url: `https://a.example/${name}/{z}/{x}/{y}` }),
  file_bucket: async ({ ask }, name) => ({ files: [{ ...(await uploadContent(ask, 'x')), name }] }),
  wmsclient_connection: () => ({ url: 'https://a.example/' }),
  wmsclient_layer: () => ({ imgformat: 'image/png' }),
}

/** Members that a sample has besides the one named after its class. */
const others: Partial<Record<Cls, (family: Family) => Promise<Readonly<Record<string, object>>>>> = {
  webmap: async (family) => {
    const resource_id = await findOrCreate(family, 'basemap_layer')
    return { basemap_webmap: { basemaps: [{ position: 0, display_name: 'Base map', resource_id }] } }
  },
}

async function makeSource({ ask }: Family, cls: Cls): Promise<object> {
  const data = dataOf(cls)
  if (data === undefined) return {}
  if (data.content === 'features') return { geometry_type: 'POINT', srs: { id: data.srs } }
  return { source: await uploadContent(ask, makeRaster()) }
}

async function makeObject(family: Family, schema: Schema, name: string): Promise<object> {
  const { properties = {}, required = [] } = schema as Schema & { readonly required?: readonly string[] }
  const fields: Record<string, unknown> = {}
  for (const field of required) fields[field] = await makeValue(family, properties[field] as Schema, name)
  return fields
}

async function makeValue(family: Family, schema: Schema, name: string): Promise<unknown> {
  const { type, items, enum: words } = schema
  const target = annotationsOf(schema)['x-ref']
  if (target !== undefined) {
    const id = await findOrCreate(family, target.classes[0] as Cls)
    return target.form === 'id' ? id : { id }
  }
  if (words !== undefined) return words[0]
  if (type === 'array') return [await makeValue(family, items as Schema, name)]
  if (type === 'object') return makeObject(family, schema, name)
  return type === 'integer' ? 3857 : name
}
