import { expect, it } from 'vitest'
import { formatPlan } from '../../../src/cli/print/plan.ts'
import { painter } from '../../../src/cli/print/text_format.ts'
import { planOf, type Row } from '../../reconcile/support/literals.ts'

it('shows adopted resources that also change with the mark and the count of the change', () => {
  const plan = planOf({
    blocks: { a: {}, b: { displayName: 'New' }, c: { parent: 'a' } },
    rows: [
      { id: 1, key: 'a', manager: 'other' },
      { id: 2, key: 'b', name: 'Old', manager: 'other' },
      { id: 3, key: 'c', manager: 'other' },
    ],
    options: { adopt: true },
  })
  expect(formatPlan(plan, painter(false)).split('\n')).toEqual([
    '  = a  resource_group  Main / a',
    '      managed by this manifest from now on',
    '  ~ b  resource_group  Main / New',
    '      managed by this manifest from now on',
    '      display_name  "Old" → "New"',
    '  > c  resource_group  Main / a / c',
    '      managed by this manifest from now on',
    '      parent  "root" → "a"',
    '',
    'Plan for test: 1 to adopt, 1 to update, 1 to move, 1 unchanged.',
  ])
})

it('tells fields that are recorded for the first time, as after an upgrade, from adoptions', () => {
  const plan = planOf({
    blocks: { a: { existing: true, displayName: 'a' } },
    rows: [{ id: 1, key: 'a', manager: null }],
  })
  expect(formatPlan(plan, painter(false)).split('\n')).toEqual([
    '  = a  resource_group  Main / a',
    '      records that this manifest sets display_name; the values stay',
    '',
    'Plan for test: 1 to record, 1 unchanged.',
  ])
})

it('counts records of the catalog that the account may not manage, instead of listing them', () => {
  const reason = 'this account cannot manage the catalog'
  const unknown = ['a', 'b', 'c'].map((key) => ({ key, cls: 'geoservice' as const, path: [key], reason }))
  const plan = { ...planOf({ blocks: {}, rows: [] }), changes: [], unknown, unchanged: 0, issues: [] }
  expect(formatPlan(plan, painter(false)).split('\n')).toEqual([
    '  ? 3 records of the catalog',
    '      this account cannot manage the catalog',
    '',
    'Plan for test: 3 unknown, 0 unchanged.',
  ])
})

it('folds many similar changes, counts the kinds, and shows every loss', () => {
  const keys = Array.from({ length: 3000 }, (_, at) => `k${at}`)
  const rows = keys.slice(0, 60).map((key, at) => ({ id: at + 1, key: `gone-${key}` }))
  const blocks = Object.fromEntries([
    ...keys.map((key) => [key, {}] as const),
    ['other', { description: 'text' }] as const,
  ])
  const plan = planOf({ blocks, rows, options: { prune: true, fuse: 1 } })
  const lines = formatPlan(plan, painter(false)).split('\n')
  expect(lines.filter((line) => line.startsWith('  + k'))).toHaveLength(5)
  expect(lines).toContain('  … and 2,995 similar changes: resource_group to create in Main; see --json')
  expect(lines.some((line) => line.startsWith('  + other'))).toBe(true)
  expect(lines.filter((line) => line.startsWith('  - gone-'))).toHaveLength(60)
  expect(lines.slice(-3)).toEqual([
    'create: 3,001 resource_group',
    'delete: 60 resource_group',
    'Plan for test: 3,001 to create, 60 to delete, 1 unchanged.',
  ])
})

it('shows what a deletion takes: counts, the resources below by name, and the last change', () => {
  const layers = Array.from({ length: 25 }, (_, at) => ({ id: at + 2, key: at === 0 ? null : `l${at}` }))
  const plan = planOf({
    blocks: {},
    rows: [
      { id: 1, key: 'g' },
      ...layers.map((one) => ({ ...one, parent: 1, name: `L${one.id}`, cls: 'vector_layer' as const })),
    ],
    counts: new Map(layers.map(({ id }) => [id, id - 2])),
    contents: new Map(
      [1, ...layers.map(({ id }) => id)].map((id) => {
        const changed = id === 3 ? '2024-05-01T10:00:00' : '2024-01-01T00:00:00'
        return [id, { id, attachments: id === 2 ? 1 : 0, bytes: 1000, changed, user: 'ada' }] as const
      }),
    ),
    options: { prune: true, fuse: 1, allowDelete: new Set(['g']) },
  })
  const lines = formatPlan(plan, painter(false)).split('\n')
  expect(lines.slice(0, 2)).toEqual([
    '  - g  resource_group  Main / g',
    '      also deletes 25 resources below it, 300 features and 1 attachment (26.0 kB)',
  ])
  expect(lines[2]).toMatch(
    /^ {6}below it: #2 "L2" \(vector_layer, 1 attachment\), l1 \(vector_layer, 1 feature\), .* more$/,
  )
  expect(lines[2]).toContain('l19 (vector_layer, 19 features), … and 5 resources more')
  expect(lines).toContain('      last change 2024-05-01 10:00:00 UTC by ada (l1)')
})

it('shows the texts of new resources, and names what they refer to instead of ids', () => {
  const rows: Row[] = [
    { id: 1, key: 'theirs', manager: null },
    { id: 2, key: 'layer', parent: 1, cls: 'vector_layer', manager: null },
    { id: 3, key: 'style', parent: 2, cls: 'mapsrv_style', manager: null },
    { id: 4, key: null, name: 'Base', parent: 1, cls: 'basemap_layer', manager: null },
    {
      ...{ id: 5, key: 'map', cls: 'webmap' },
      members: {
        webmap: {
          root_item: {
            item_type: 'root',
            children: [{ item_type: 'layer', display_name: 'Hidden', layer_style_id: 98 }],
          },
        },
        basemap_webmap: { basemaps: [{ resource_id: 4, display_name: 'B', position: 0 }] },
      },
    },
  ]
  const lines = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']
  const root = { item_type: 'root', children: [] }
  const plan = planOf({
    rows,
    blocks: {
      map: { cls: 'webmap', members: { webmap: { root_item: root }, basemap_webmap: { basemaps: [] } } },
      new: {
        ...{ cls: 'webmap', description: lines.slice(0, 2).join('\n') },
        members: { webmap: { bookmark_resource: { id: 2 } } },
      },
      points: {
        ...{ cls: 'vector_layer', description: lines.join('\n') },
        members: { vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' } },
      },
    },
  })
  expect(formatPlan(plan, painter(false)).split('\n')).toEqual([
    '  ~ map  webmap  Main / map',
    '      layers  -  id 98  layer "Hidden"',
    '      basemap_webmap.basemaps.Main / theirs / Base  - {"opacity":null,"enabled":true,"position":0,"display_name":"B",… 1 more}',
    '  + new  webmap  Main / new',
    '      description',
    '        one',
    '        two',
    '      webmap.bookmark_resource  layer (id 2)',
    '  + points  vector_layer  Main / points',
    '      description',
    '        one',
    '        two',
    '        three',
    '        four',
    '        five',
    '        … 3 more lines',
    '      vector_layer.srs  EPSG:3857',
    '      vector_layer.geometry_type  "POINT"',
    '',
    'Plan for test: 2 to create, 1 to update, 1 unchanged.',
  ])
})
