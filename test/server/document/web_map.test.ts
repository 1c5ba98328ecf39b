import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStyledLayer, type StyledLayer } from '../../support/samples.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

let server: TestServer
let family: StyledLayer
let streets = 0
let plain = 0
beforeAll(async () => {
  server = await startTestServer('postgres')
  family = await createStyledLayer(server.admin)
  streets = await createBasemap('Streets')
  plain = await createBasemap('Plain')
})
afterAll(() => server.stop())

const createBasemap = (name: string) => {
  const members = { basemap_layer: { url: 'https://tiles.example/{z}/{x}/{y}.png' } }
  return createResource(server.admin, { cls: 'basemap_layer', parent: family.group, name, members })
}

type Item = Record<string, unknown> & { readonly children?: readonly Item[] }
interface MapBody {
  readonly webmap: Record<string, unknown> & { readonly root_item: Item }
  readonly basemap_webmap: { readonly basemaps: readonly object[] }
}

let made = 0
const send = (webmap: object, basemap_webmap: object = {}) => {
  made += 1
  const resource = { cls: 'webmap', parent: { id: family.group }, display_name: `Map ${made}` }
  return server.admin('POST', '/api/resource/', { resource, webmap, basemap_webmap })
}

const makeAndRead = async (...members: Parameters<typeof send>) => {
  const answer = await send(...members)
  expect(answer.status).toBe(200)
  const { id } = await answer.json<{ id: number }>()
  return (await server.admin('GET', `/api/resource/${id}`)).json<MapBody>()
}

const tree = (...children: object[]) => ({ root_item: { item_type: 'root', children } })
const layer = (more: object = {}) => ({
  item_type: 'layer',
  display_name: 'Dots',
  layer_style_id: family.style,
  ...more,
})

/** Makes a map of one layer, and gives what the layer says of one of its fields. */
const layerWith = async (name: string, value: unknown) => {
  const { webmap } = await makeAndRead(tree(layer({ [name]: value })))
  return webmap.root_item.children?.[0]?.[name]
}
const refuses = async (more: object) => (await send(tree(layer(more)))).status

describe('Web map (webmap member)', () => {
  test('extent_left, extent_right, extent_bottom, extent_top | number | initial extent', async () => {
    const extent = { extent_left: -10.25, extent_right: 20, extent_bottom: 30.5, extent_top: 60 }
    expect((await makeAndRead(extent)).webmap).toMatchObject(extent)
  })

  test('draw_order_enabled | boolean or null | use an explicit draw order instead of the layer order', async () => {
    for (const draw_order_enabled of [true, false, null])
      expect((await makeAndRead({ draw_order_enabled })).webmap).toMatchObject({ draw_order_enabled })
    expect((await send({ draw_order_enabled: 'yes' })).status).toBe(422)
  })

  test('bookmark_resource | integer or null | vector layer resource identifier used for bookmarks', async () => {
    for (const bookmark_resource of [family.layer, null])
      expect((await makeAndRead({ bookmark_resource })).webmap).toMatchObject({ bookmark_resource })
    expect((await send({ bookmark_resource: family.group })).status).toBe(422)
  })

  test('root_item | object | {item_type: root, children: [...]}', async () => {
    expect((await makeAndRead({})).webmap.root_item).toEqual({ item_type: 'root', children: [] })
    expect((await send({ root_item: { item_type: 'group', children: [] } })).status).toBe(422)
  })
})

describe('Items in children are layers or groups', () => {
  test('and nothing else', async () => {
    expect((await send(tree({ ...layer(), item_type: 'picture' }))).status).toBe(422)
    expect((await send(tree({ display_name: 'x' }))).status).toBe(422)
  })
})

describe('Layer item (item_type = layer)', () => {
  test('display_name | string | layer name', async () => {
    expect(await layerWith('display_name', 'Städte')).toBe('Städte')
    expect(await refuses({ display_name: 7 })).toBe(422)
  })

  test('layer_style_id | integer | style resource identifier (vector or raster style)', async () => {
    expect(await layerWith('layer_style_id', family.style)).toBe(family.style)
    expect(await refuses({ layer_style_id: family.group })).toBe(422)
    expect(await refuses({ layer_style_id: 999_999 })).toBe(422)
  })

  test('style_parent_id | integer | accepted in change requests', async () => {
    expect(await layerWith('style_parent_id', family.layer)).toBe(family.layer)
  })

  test.each(['image', 'tile'])('layer_adapter | string | image or tile: %s', async (adapter) => {
    expect(await layerWith('layer_adapter', adapter)).toBe(adapter)
    expect(await refuses({ layer_adapter: 'canvas' })).toBe(422)
  })

  test('layer_enabled | boolean or null | checked by default', async () => {
    expect(await layerWith('layer_enabled', false)).toBe(false)
    expect(await layerWith('layer_enabled', true)).toBe(true)
    expect((await send(tree(layer({ layer_enabled: null })))).status).toBe(200)
    expect(await layerWith('layer_enabled', undefined)).toBe(true)
  })

  test('draw_order_position | integer or null | position when draw order is enabled', async () => {
    expect(await layerWith('draw_order_position', 3)).toBe(3)
    expect(await layerWith('draw_order_position', null)).toBeNull()
    expect(await refuses({ draw_order_position: 1.5 })).toBe(422)
  })

  test.each(['layer_min_scale_denom', 'layer_max_scale_denom'])(
    '%s | string or null | scale range in the form 1 : 10000',
    async (name) => {
      expect(await layerWith(name, '1 : 10000')).toBe('1 : 10000')
      expect(await layerWith(name, null)).toBeNull()
      expect(await refuses({ [name]: 'near' })).toBe(422)
    },
  )

  test('layer_transparency | number or null | transparency', async () => {
    expect(await layerWith('layer_transparency', 12.5)).toBe(12.5)
    expect(await layerWith('layer_transparency', null)).toBeNull()
    expect(await refuses({ layer_transparency: 'half' })).toBe(422)
  })

  test('payload | null | accepted in change requests', async () => {
    expect(await layerWith('payload', null)).toBeNull()
  })
})

test('Group item (item_type = group): display_name (string), group_expanded (boolean), children (array of items)', async () => {
  const inner = { item_type: 'group', display_name: 'Inner', group_expanded: false, children: [layer()] }
  const outer = {
    item_type: 'group',
    display_name: 'Outer',
    group_expanded: true,
    children: [inner, layer()],
  }
  expect((await makeAndRead(tree(outer))).webmap.root_item.children).toMatchObject([outer])
  for (const wrong of [{ group_expanded: 'yes' }, { children: null }, { display_name: 1 }])
    expect((await send(tree({ ...outer, ...wrong }))).status).toBe(422)
})

test('basemap_webmap.basemaps is an array of {opacity (number or null), enabled (boolean), position (integer), display_name (string), resource_id (integer)}', async () => {
  const entry = { display_name: 'Streets', resource_id: streets, enabled: true, position: 0, opacity: 0.5 }
  const other = { display_name: 'Plain', resource_id: plain, enabled: false, position: 1, opacity: null }
  const basemaps = [entry, other]
  expect((await makeAndRead({}, { basemaps })).basemap_webmap).toEqual({ basemaps })
  for (const wrong of [
    { opacity: 'half' },
    { enabled: 'yes' },
    { position: 0.5 },
    { resource_id: family.group },
  ])
    expect((await send({}, { basemaps: [{ ...entry, ...wrong }] })).status).toBe(422)
})
