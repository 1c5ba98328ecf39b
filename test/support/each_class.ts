import type { Cls } from '../../src/contract/registry.ts'
import type { ForeignDatabase } from './geodb.ts'
import { makeRaster } from './raster.ts'
import { createStyledLayer, uploadContent } from './samples.ts'
import type { Ask } from './server.ts'
import { createResource } from './tree.ts'

/** Creates one resource of each class below a group, and returns their ids. */
export async function createEachClass(ask: Ask, foreign: ForeignDatabase): Promise<Map<Cls, number>> {
  const { group, layer, style } = await createStyledLayer(ask)
  const ids = new Map<Cls, number>([
    ['resource_group', group],
    ['vector_layer', layer],
    ['mapsrv_style', style],
  ])
  const create = async (cls: Cls, member: object = {}, parent = group) => {
    ids.set(cls, await createResource(ask, { cls, parent, name: cls, members: { [cls]: member } }))
  }
  const entry = (resource_id: number) => ({ keyname: 'a', display_name: 'A', resource_id })
  for (const cls of ['trackers_group', 'baselayers', 'collector_project'] as const) await create(cls)
  await create('tracker', { unique_id: 'a', device_type: 'svc_mobile' }, ids.get('trackers_group'))
  await create('lookup_table', { items: { a: 'A' } })
  await create('basemap_layer', { url: 'https://a.example/{z}/{x}/{y}' })
  await create('desk_vector_style', {}, layer)
  await create('formbuilder_form', {}, layer)
  await create('file_bucket', { files: [{ ...(await uploadContent(ask, 'x')), name: 'x' }] })
  const children = [{ item_type: 'layer', display_name: 'A', layer_style_id: style }]
  await create('webmap', { root_item: { item_type: 'root', children }, bookmark_resource: layer })
  await create('raster_layer', { source: await uploadContent(ask, makeRaster()) })
  await create('raster_style', {}, ids.get('raster_layer'))
  await create('wmsclient_connection', { url: 'https://a.example/', version: '1.3.0' })
  const wms = { connection: { id: ids.get('wmsclient_connection') }, srs: { id: 3857 } }
  await create('wmsclient_layer', { ...wms, wmslayers: 'a', imgformat: 'image/png' })
  await create('wmsserver_service', { layers: [entry(style)] })
  await create('wfsserver_service', { layers: [entry(layer)] })
  await foreign.execute(
    'create table if not exists each_class (id serial primary key, geom geometry(Point, 3857))',
  )
  await create('geodb_connection', foreign.connection)
  const table = { schema: 'public', table: 'each_class', column_id: 'id', column_geom: 'geom' }
  await create('geodb_layer', { connection: { id: ids.get('geodb_connection') }, ...table })
  return ids
}
