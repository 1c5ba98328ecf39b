import { describe, expect, it } from 'vitest'
import type { Change } from '../../../src/reconcile/model/change.ts'
import { planOf, type Row, tell } from '../support/literals.ts'

describe('a web map', () => {
  const style = (id: number, key: string) => ({ id, key, cls: 'mapsrv_style' as const, parent: 9 })
  const around = [{ id: 9, key: 'l', cls: 'vector_layer' as const }, style(1, 'roads'), style(2, 'rivers')]
  const names = {
    l: { cls: 'vector_layer' as const },
    roads: { cls: 'mapsrv_style' as const, parent: 'l' },
    rivers: { cls: 'mapsrv_style' as const, parent: 'l' },
  }
  const layer = (layer_style_id: unknown, display_name: string, more: object = {}) => ({
    item_type: 'layer',
    display_name,
    layer_style_id,
    ...more,
  })
  const full = {
    layer_enabled: true,
    layer_adapter: 'tile',
    layer_identifiable: true,
    style_parent_id: 9,
    payload: null,
  }
  const group = (display_name: string, children: object[]) => ({ item_type: 'group', display_name, children })
  const root = (children: object[]) => ({ root_item: { item_type: 'root', children } })

  const edit = (wanted: object, actual: object, others: readonly Row[] = []): Change['edits'] => {
    const blocks = { ...names, m: { cls: 'webmap' as const, members: { webmap: wanted as never } } }
    const rows = [
      ...around,
      ...others,
      { id: 3, key: 'm', cls: 'webmap' as const, members: { webmap: actual } },
    ]
    return planOf({ blocks, rows }).changes[0]?.edits ?? []
  }

  it('is equal when only computed members and defaults differ', () => {
    expect(edit(root([layer('roads', 'Roads')]), root([layer(1, 'Roads', full)]))).toEqual([])
  })

  it('is equal if scales are written in another format', () => {
    const wanted = root([layer('roads', 'Roads', { layer_min_scale_denom: '1:10000' })])
    expect(edit(wanted, root([layer(1, 'Roads', { layer_min_scale_denom: '1 : 10000' })]))).toEqual([])
  })

  it('is equal if styles of the manifest are named by their ids, and recreated ones get new ids', () => {
    const [wanted, actual] = [root([layer({ id: 1 }, 'Roads')]), root([layer(1, 'Roads')])]
    expect(edit(wanted, actual)).toEqual([])
    const gone = { l: names.l, m: { cls: 'webmap' as const, members: { webmap: wanted as never } } }
    const style = { cls: 'desk_vector_style' as const, parent: 'l' }
    const rows = [...around, { id: 3, key: 'm', cls: 'webmap' as const, members: { webmap: actual } }]
    const plan = planOf({ blocks: { ...gone, roads: style }, rows, options: { replace: new Set(['roads']) } })
    const map = plan.changes.find(({ key }) => key === 'm')
    expect(map?.body.webmap).toEqual(root([layer('roads', 'Roads')]))
  })

  it('reports which layer of which group changes how', () => {
    const wanted = root([group('Water', [layer('rivers', 'Rivers', { layer_enabled: false })])])
    expect(edit(wanted, root([group('Water', [layer(2, 'Rivers')])]))).toEqual([
      { pointer: '/webmap/root_item/children/Water/children/rivers/layer_enabled', from: true, to: false },
    ])
  })

  it('distinguishes a change of the order from changes of the layers', () => {
    const wanted = root([layer('rivers', 'Rivers'), layer('roads', 'Roads')])
    expect(edit(wanted, root([layer(1, 'Roads'), layer(2, 'Rivers')]))).toEqual([
      { pointer: '/webmap/root_item/children', from: ['roads', 'rivers'], to: ['rivers', 'roads'] },
    ])
  })

  it('reports added and removed layers', () => {
    const edits = edit(root([layer('rivers', 'Rivers')]), root([layer(1, 'Roads')]))
    expect(edits.map(({ pointer, from, to }) => [pointer, from !== undefined, to !== undefined])).toEqual([
      ['/webmap/root_item/children/rivers', false, true],
      ['/webmap/root_item/children/roads', true, false],
    ])
  })

  it('tells moved layers and renamed groups from added and removed ones', () => {
    const actual = root([group('Water', [layer(2, 'Rivers'), layer(1, 'Roads')]), group('Land', [])])
    const moved = root([
      group('Water', [layer('rivers', 'Rivers')]),
      group('Land', [layer('roads', 'Roads')]),
    ])
    expect(edit(moved, actual)).toEqual([
      {
        pointer: '/webmap/root_item/children/Land/children/roads',
        from: ['Water'],
        to: ['Land'],
        moves: true,
      },
    ])
    const children = [layer('rivers', 'Rivers'), layer('roads', 'Roads', { layer_transparency: 50 })]
    expect(edit(root([group('Land', []), group('Old water', children)]), actual)).toEqual([
      { pointer: '/webmap/root_item/children/Old water/display_name', from: 'Water', to: 'Old water' },
      {
        pointer: '/webmap/root_item/children/Old water/children/roads/layer_transparency',
        from: null,
        to: 50,
      },
      { pointer: '/webmap/root_item/children', from: ['Old water', 'Land'], to: ['Land', 'Old water'] },
    ])
    const nested = root([group('All', [group('Water', children), group('Land', [])])])
    expect(edit(nested, actual).map(({ pointer, moves }) => [pointer, moves ?? false])).toEqual([
      ['/webmap/root_item/children/All', false],
      ['/webmap/root_item/children/All/children/Water', true],
      ['/webmap/root_item/children/All/children/Water/children/roads/layer_transparency', false],
      ['/webmap/root_item/children/All/children/Land', true],
    ])
  })

  it('tells which of several layers with the same style moves', () => {
    const actual = root([layer(1, 'A'), layer(1, 'B'), group('G', [])])
    const wanted = root([layer('roads', 'A'), group('G', [layer('roads', 'B')])])
    expect(edit(wanted, actual)).toEqual([
      { pointer: '/webmap/root_item/children/G/children/roads', from: [], to: ['G'], moves: true },
    ])
  })

  it('shows the ids of styles that the account cannot read', () => {
    const [gone] = edit(root([]), root([layer(77, 'Roads')]))
    expect(gone?.pointer).toBe('/webmap/root_item/children/{"id":77}')
  })

  it('shows the keynames or names of readable styles that are not in the manifest', () => {
    const others = [
      { id: 77, key: 'thin', manager: null },
      { id: 78, key: null, name: 'Wide', manager: null },
    ]
    const [thin, wide] = edit(root([]), root([layer(77, 'Roads'), layer(78, 'Roads')]), others)
    expect(thin?.pointer).toBe('/webmap/root_item/children/thin')
    expect(thin?.from).toMatchObject({ layer_style_id: { id: 77, title: 'thin' } })
    expect(wide?.from).toMatchObject({ layer_style_id: { id: 78, title: 'Main / Wide' } })
  })

  it('resets a scalar member that was removed from its block to its default', () => {
    expect(edit({ extent_left: -25 }, { extent_left: -25, extent_top: 68, ...root([]) })).toEqual([
      { pointer: '/webmap/extent_top', from: 68, to: 90 },
    ])
  })

  it('keeps the layer tree if the manifest has none', () => {
    expect(edit({ extent_left: -25 }, { extent_left: -25, ...root([layer(1, 'Roads')]) })).toEqual([])
  })

  it('distinguishes null from a value, but not from the default null', () => {
    expect(edit({ bookmark_resource: null }, { bookmark_resource: null })).toEqual([])
    expect(edit({ bookmark_resource: 'l' }, { bookmark_resource: 9 })).toEqual([])
    expect(edit({ bookmark_resource: null }, { bookmark_resource: 9 })).toEqual([
      { pointer: '/webmap/bookmark_resource', from: 'l', to: null },
    ])
  })

  it('ignores the order of base maps, which the server sorts by position', () => {
    const maps = (...list: object[]) => ({ basemap_webmap: { basemaps: list } })
    const map = (position: number, resource_id: unknown) => ({ position, display_name: 'B', resource_id })
    const planned = (...list: object[]) =>
      planOf({
        blocks: {
          b: { existing: true, id: 5 },
          c: { existing: true, id: 6 },
          m: { cls: 'webmap' as const, members: maps(...list) as never },
        },
        rows: [
          { id: 5, cls: 'basemap_layer' as const },
          { id: 6, cls: 'basemap_layer' as const },
          { id: 3, key: 'm', cls: 'webmap' as const, members: { webmap: {}, ...maps(map(1, 5), map(2, 6)) } },
        ],
      }).changes.flatMap(({ edits }) => edits.map(({ pointer }) => pointer))
    expect(planned(map(2, 'c'), map(1, 'b'))).toEqual([])
    expect(planned(map(1, 'c'), map(2, 'b'))).toContain('/basemap_webmap/basemaps')
  })

  it('compares base maps by their content', () => {
    const maps = (list: object[]) => ({ basemap_webmap: { basemaps: list } })
    const blocks = {
      b: { existing: true, id: 5 },
      m: {
        cls: 'webmap' as const,
        members: maps([{ position: 0, display_name: 'B', resource_id: 'b' }]) as never,
      },
    }
    const wire = { position: 0, display_name: 'B', resource_id: 5, opacity: null, enabled: false }
    const rows = [
      { id: 5, cls: 'basemap_layer' as const },
      { id: 3, key: 'm', cls: 'webmap' as const, members: { webmap: {}, ...maps([wire]) } },
    ]
    expect(planOf({ blocks, rows }).changes[0]?.edits).toEqual([
      { pointer: '/basemap_webmap/basemaps/b/enabled', from: false, to: true },
    ])
  })
})

describe('a style', () => {
  const edits = (wanted: string, actual: string) => {
    const style = (xml: string) => ({ mapsrv_style: { xml } })
    return planOf({
      blocks: { s: { cls: 'mapsrv_style', members: style(wanted) } },
      rows: [{ id: 1, key: 's', cls: 'mapsrv_style', members: style(actual) }],
    }).changes[0]?.edits
  }

  it('is equal when only its layout differs', () => {
    expect(edits('<map>\n  <a x="1" y=\'2\'/>\n</map>', '<map><a y="2" x="1"></a></map>')).toBeUndefined()
  })

  it('differs if a value differs', () => {
    expect(edits('<map><a x="1"/></map>', '<map><a x="2"/></map>')).toHaveLength(1)
  })
})

describe('the fields of a layer', () => {
  const field = (id: number, keyname: string, more: object = {}) => ({
    id,
    keyname,
    datatype: 'STRING',
    display_name: keyname,
    label_field: false,
    grid_visibility: true,
    text_search: true,
    lookup_table: null,
    typemod: null,
    ...more,
  })
  const change = (wanted: object[], actual: object[]) =>
    planOf({
      blocks: {
        t: { existing: true, id: 8 },
        a: { cls: 'vector_layer', members: { feature_layer: { fields: wanted } } },
      },
      rows: [
        { id: 8, cls: 'lookup_table', key: 't' },
        { id: 1, key: 'a', cls: 'vector_layer', members: { feature_layer: { fields: actual } } },
      ],
    }).changes[0]

  it('are equal when only ids and defaults differ', () => {
    expect(change([{ keyname: 'x', datatype: 'STRING' }], [field(11, 'x')])).toBeUndefined()
  })

  it('keep their ids, and dropped ones are reported', () => {
    const wanted = [
      { keyname: 'y', datatype: 'INTEGER' },
      { keyname: 'x', datatype: 'STRING', display_name: 'X', lookup_table: 't' },
    ]
    const found = change(wanted, [field(11, 'x', { label_field: true }), field(12, 'z')])
    expect(found?.body.feature_layer?.fields).toEqual([
      { keyname: 'y', datatype: 'INTEGER' },
      {
        id: 11,
        keyname: 'x',
        datatype: 'STRING',
        display_name: 'X',
        label_field: false,
        grid_visibility: true,
        text_search: true,
        lookup_table: 't',
      },
      { id: 12, delete: true },
    ])
    const gone = found?.edits.find(({ pointer }) => pointer === '/feature_layer/fields/z')
    expect(gone?.loses).toBe('deleting a field deletes its values')
  })

  it('are equal if a lookup table of the manifest is named by its id', () => {
    const named = { keyname: 'x', datatype: 'STRING', lookup_table: { id: 8 } }
    expect(change([named], [field(11, 'x', { lookup_table: { id: 8 } })])).toBeUndefined()
  })

  it('report a change of the lookup table', () => {
    const found = change(
      [{ keyname: 'x', datatype: 'STRING', lookup_table: 't' }],
      [field(11, 'x', { lookup_table: { id: 99 } })],
    )
    expect(found?.edits).toEqual([
      { pointer: '/feature_layer/fields/x/lookup_table', from: { id: 99 }, to: 't' },
    ])
  })
})

describe('a connection', () => {
  const members = (more: object) => ({
    geodb_connection: { hostname: 'db', port: 5432, database: 'gis', username: 'u', ...more },
  })
  const blocks = { c: { cls: 'geodb_connection' as const, members: members({ password: 'sesame' }) } }
  const rows = [{ id: 1, key: 'c', cls: 'geodb_connection' as const, members: members({ sslmode: null }) }]

  it('sends its password only on request, and never shows it', () => {
    expect(tell(planOf({ blocks, rows }))).toEqual([])
    const plan = planOf({ blocks, rows, options: { sendSecrets: new Set(['c']) } })
    expect(plan.changes[0]?.edits).toEqual([{ pointer: '/geodb_connection/password', secret: true }])
    const created = planOf({ blocks, rows: [] })
    expect(JSON.stringify(created.changes.map(({ edits }) => edits))).not.toContain('sesame')
    expect(created.changes[0]?.body.geodb_connection?.password).toBe('sesame')
  })

  it('sends its password with a new address, as the server requires', () => {
    for (const more of [{ hostname: 'other' }, { port: 5433 }, { sslmode: 'require' }]) {
      const moved = { c: { ...blocks.c, members: members({ ...more, password: 'sesame' }) } }
      const [change] = planOf({ blocks: moved, rows }).changes
      expect(change?.edits.map(({ pointer }) => pointer)).toEqual([
        `/geodb_connection/${Object.keys(more)[0]}`,
        '/geodb_connection/password',
      ])
      expect(change?.body.geodb_connection).toEqual({ ...more, password: 'sesame' })
      expect(JSON.stringify(change?.edits)).not.toContain('sesame')
    }
    const renamed = { c: { ...blocks.c, members: members({ username: 'v', password: 'sesame' }) } }
    expect(planOf({ blocks: renamed, rows }).changes[0]?.body.geodb_connection).toEqual({ username: 'v' })
    const unknown = { c: { ...blocks.c, members: members({ hostname: 'other' }) } }
    expect(planOf({ blocks: unknown, rows }).changes[0]?.body.geodb_connection).toEqual({ hostname: 'other' })
  })

  it('sends its password if the server has none', () => {
    const service = (more: object) => ({
      wmsclient_connection: { url: 'https://a.example/', username: 'u', version: '1.3.0', ...more },
    })
    const cls = 'wmsclient_connection' as const
    const row = { id: 1, key: 'c', cls, members: service({ password: null, capcache: null }) }
    const edits = (password: string | null) =>
      planOf({ blocks: { c: { cls, members: service({ password }) } }, rows: [row] }).changes[0]?.edits
    expect(edits('sesame')).toEqual([{ pointer: '/wmsclient_connection/password', secret: true }])
    expect(edits(null)).toBeUndefined()
  })
})
