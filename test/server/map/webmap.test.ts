import { expect, test } from 'vitest'
import { type Ask, describeServers } from '../../support/server.ts'
import { allow, createLayer, createResource, createStyle } from '../../support/tree.ts'

interface WebmapBody {
  readonly webmap: Record<string, unknown> & {
    readonly root_item: { readonly children: Record<string, unknown>[] }
  }
  readonly basemap_webmap: { readonly basemaps: unknown[] }
}

const readMap = async (ask: Ask, id: number) => (await ask('GET', `/api/resource/${id}`)).json<WebmapBody>()

const createMap = (ask: Ask, name: string, webmap: object = {}) =>
  createResource(ask, { cls: 'webmap', name, members: { webmap } })

const layer = (style: number, more: object = {}) => ({
  item_type: 'layer',
  display_name: `Style ${style}`,
  layer_style_id: style,
  ...more,
})

const root = (...children: object[]) => ({ root_item: { item_type: 'root', children } })

const createStyled = async (ask: Ask, name: string) => {
  const parent = await createLayer(ask, { name, geometryType: 'POINT' })
  return { parent, style: await createStyle(ask, { parent, name: 'Style' }) }
}

describeServers('web maps', (start) => {
  test('a new web map shows the world and has no layers', async () => {
    const { admin } = await start()
    const { webmap, basemap_webmap } = await readMap(admin, await createMap(admin, 'Empty'))
    expect(webmap).toEqual({
      extent_left: -180,
      extent_right: 180,
      extent_bottom: -90,
      extent_top: 90,
      draw_order_enabled: null,
      bookmark_resource: null,
      root_item: { item_type: 'root', children: [] },
    })
    expect(basemap_webmap).toEqual({ basemaps: [] })
  })

  test('a tree is read back in order, with defaults, computed members and normalised scales', async () => {
    const { admin } = await start()
    const { parent, style } = await createStyled(admin, 'Tree')
    const id = await createMap(admin, 'Tree map', {
      extent_left: -10.5,
      bookmark_resource: parent,
      draw_order_enabled: true,
      ...root(
        { item_type: 'group', display_name: 'Inner', group_expanded: true, children: [layer(style)] },
        layer(style, {
          layer_enabled: false,
          layer_adapter: 'image',
          layer_identifiable: false,
          layer_transparency: 25,
          draw_order_position: 3,
          layer_min_scale_denom: '1:500000',
          layer_max_scale_denom: 1000,
          style_parent_id: 999_999,
          payload: null,
          unknown: 1,
        }),
        { item_type: 'group', display_name: 'Empty', children: [] },
      ),
    })
    const { webmap } = await readMap(admin, id)
    expect(webmap).toMatchObject({ extent_left: -10.5, extent_right: 180, bookmark_resource: parent })
    const plain = {
      item_type: 'layer',
      display_name: `Style ${style}`,
      layer_style_id: style,
      style_parent_id: parent,
      layer_adapter: 'tile',
      layer_enabled: true,
      layer_identifiable: true,
      draw_order_position: null,
      layer_min_scale_denom: null,
      layer_max_scale_denom: null,
      layer_transparency: null,
      payload: null,
    }
    expect(webmap.root_item.children).toEqual([
      { item_type: 'group', display_name: 'Inner', group_expanded: true, children: [plain] },
      {
        ...plain,
        layer_enabled: false,
        layer_adapter: 'image',
        layer_identifiable: false,
        layer_transparency: 25,
        draw_order_position: 3,
        layer_min_scale_denom: '1 : 500000',
        layer_max_scale_denom: '1 : 1000',
      },
      { item_type: 'group', display_name: 'Empty', group_expanded: false, children: [] },
    ])
  })

  test('writing back a representation changes nothing', async () => {
    const { admin } = await start()
    const { style } = await createStyled(admin, 'Same')
    const id = await createMap(admin, 'Same map', {
      ...root(
        { item_type: 'group', display_name: 'G', children: [layer(style), layer(style)] },
        layer(style),
      ),
    })
    const before = await readMap(admin, id)
    const { webmap, basemap_webmap } = before
    expect((await admin('PUT', `/api/resource/${id}`, { webmap, basemap_webmap })).status).toBe(200)
    const after = await readMap(admin, id)
    expect([after.webmap, after.basemap_webmap]).toEqual([webmap, basemap_webmap])
  })

  test('an update replaces the whole tree, and keeps absent members', async () => {
    const { admin } = await start()
    const { style } = await createStyled(admin, 'Replaced')
    const id = await createMap(admin, 'Replaced map', { extent_top: 60, ...root(layer(style), layer(style)) })
    await admin('PUT', `/api/resource/${id}`, { webmap: root(layer(style, { display_name: 'Only' })) })
    const { webmap } = await readMap(admin, id)
    expect(webmap.root_item.children.map((item) => item.display_name)).toEqual(['Only'])
    expect(webmap.extent_top).toBe(60)
    await admin('PUT', `/api/resource/${id}`, { webmap: { extent_top: 50 } })
    expect((await readMap(admin, id)).webmap.root_item.children).toHaveLength(1)
  })

  test('the bookmark layer may be an object, as other servers write it', async () => {
    const { admin } = await start()
    const { parent } = await createStyled(admin, 'Bookmarked')
    const id = await createMap(admin, 'Bookmarked map', { bookmark_resource: { id: parent } })
    expect((await readMap(admin, id)).webmap.bookmark_resource).toBe(parent)
    const nextgis = await admin('GET', `/api/resource/${id}`, undefined, { 'x-api-dialect': 'ngw' })
    const { webmap } = await nextgis.json<{ webmap: { bookmark_resource: unknown } }>()
    expect(webmap.bookmark_resource).toEqual({ id: parent })
  })

  test('a layer is removed with its style, and the others keep their order', async () => {
    const { admin } = await start()
    const { parent, style } = await createStyled(admin, 'Leaving')
    const other = await createStyle(admin, { parent, name: 'Staying' })
    const id = await createMap(admin, 'Left map', {
      bookmark_resource: parent,
      ...root(
        layer(other),
        { item_type: 'group', display_name: 'G', children: [layer(style), layer(other)] },
        layer(style),
      ),
    })
    expect((await admin('DELETE', `/api/resource/${style}`)).status).toBe(200)
    const { webmap } = await readMap(admin, id)
    expect(webmap.root_item.children).toMatchObject([
      { layer_style_id: other },
      { display_name: 'G', children: [{ layer_style_id: other }] },
    ])
    expect((await admin('DELETE', `/api/resource/${parent}`)).status).toBe(200)
    expect((await readMap(admin, id)).webmap).toMatchObject({
      bookmark_resource: null,
      root_item: { children: [{ children: [] }] },
    })
  })

  test.each([
    ['no item_type', { root_item: { children: [] } }, '$.webmap.root_item'],
    ['no children', { root_item: { item_type: 'root' } }, '$.webmap.root_item'],
    ['an extent beyond the world', { extent_left: -181 }, '$.webmap.extent_left'],
    ['an extent upside down', { extent_bottom: 10, extent_top: 0 }, '$.webmap.extent_bottom'],
    [
      'a scale that is none',
      root(layer(1, { layer_min_scale_denom: 'far' })),
      '$.webmap.root_item.children.0.layer_min_scale_denom',
    ],
    ['a style that is not there', root(layer(2_000_000)), '$.webmap.root_item.children.0.layer_style_id'],
    ['an id that cannot be', root(layer(3_000_000_000)), '$.webmap.root_item.children.0.layer_style_id'],
    [
      'what cannot be drawn',
      root({ item_type: 'group', display_name: 'G', children: [layer(0)] }),
      '$.webmap.root_item.children.0.children.0.layer_style_id',
    ],
    ['a bookmark layer that is none', { bookmark_resource: 0 }, '$.webmap.bookmark_resource'],
  ])('%s is refused with the location', async (name, webmap, place) => {
    const { admin } = await start()
    const answer = await admin('POST', '/api/resource/', {
      resource: { cls: 'webmap', parent: { id: 0 }, display_name: name },
      webmap,
    })
    expect(answer.status).toBe(422)
    const { code, message } = await answer.json<{ code: string; message: string }>()
    expect([code, message]).toEqual(['request/invalid', expect.stringContaining(`at ${place}`)])
  })

  test('excessive nesting of groups is refused', async () => {
    const { admin } = await start()
    let item: object = { item_type: 'group', display_name: 'G', children: [] }
    for (let depth = 0; depth < 40; depth += 1)
      item = { item_type: 'group', display_name: 'G', children: [item] }
    await expect(createMap(admin, 'Deep', root(item))).rejects.toThrow(
      'the layer tree has more than 32 levels',
    )
  })

  test('an unreadable style is reported like a missing one', async () => {
    const { admin, guest, database } = await start()
    const { style } = await createStyled(admin, 'Hidden')
    const [anyone] = await database.query<{ id: number }>("select id from principal where keyname = 'guest'")
    const id = await createResource(admin, {
      cls: 'resource_group',
      name: 'Open',
      resource: { permissions: [allow(anyone?.id ?? 0, 'resource')] },
    })
    const rules = [{ ...allow(anyone?.id ?? 0, 'resource', 'read'), propagate: false }]
    const [standing] = await (await admin('GET', '/api/resource/search/?id=0&serialization=full')).json<
      [{ resource: { permissions: unknown[] } }]
    >()
    await admin('PUT', '/api/resource/0', {
      resource: { permissions: [...standing.resource.permissions, ...rules] },
    })
    const made = (webmap: object, name: string) =>
      guest('POST', '/api/resource/', {
        resource: { cls: 'webmap', parent: { id }, display_name: name },
        webmap,
      })
    const refused = await made(root(layer(style)), 'Peeping')
    const absent = await made(root(layer(2_000_000)), 'Guessing')
    const messages = await Promise.all([refused, absent].map((one) => one.json<{ message: string }>()))
    expect([refused.status, absent.status]).toEqual([422, 422])
    expect(messages[0]?.message.replace(String(style), 'N')).toBe(
      messages[1]?.message.replace('2000000', 'N'),
    )
  })
})
