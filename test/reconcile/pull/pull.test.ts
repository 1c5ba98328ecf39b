import { describe, expect, it } from 'vitest'
import { formatManifest } from '../../../src/manifest/rewrite.ts'
import { pullTree } from '../../../src/reconcile/pull/pull_tree.ts'
import { type Row, treeOf } from '../support/literals.ts'

function pull(rows: readonly Row[], root = 1) {
  const tree = treeOf(rows)
  const top = tree.byId.get(root)
  if (top === undefined) throw new Error('no root')
  const { manifest, issues } = pullTree({ tree, root: top, manifestId: 'test' })
  return { text: formatManifest(manifest), messages: issues.map(({ message }) => message) }
}

const tidyMap = `manifest: test

resources:
  its_style:
    cls: mapsrv_style
    existing: true
    id: 3
  root:
    cls: resource_group
    existing: true
    id: 0
    children:
      g:
        cls: resource_group
        display_name: Group
        resmeta:
          source: survey
        children:
          m:
            cls: webmap
            display_name: Map
            webmap:
              extent_top: 68
              root_item:
                item_type: root
                children:
                  - { item_type: layer, display_name: L, layer_style_id: its_style }
`

describe('pullTree', () => {
  it('warns of files that are not pulled, and of resources that the account may not see', () => {
    const members = { file_bucket: { files: [{ name: 'a.txt', size: 1 }] } }
    const rows: Row[] = [
      { id: 1, key: 'g', name: 'G' },
      { id: 2, key: 'papers', cls: 'file_bucket', parent: 1, members },
    ]
    expect(pull(rows).messages).toContain('the data of 1 resource are not pulled: papers')
    const tree = { ...treeOf(rows), complete: false, administrator: false }
    const root = tree.byId.get(1)
    const { issues } = root ? pullTree({ tree, root, manifestId: 'test' }) : { issues: [] }
    expect(issues).toContainEqual(expect.objectContaining({ code: 'plan/incomplete', severity: 'warning' }))
  })

  it('warns of descriptions and attachments that no field identifies', () => {
    const members = {
      vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' },
      feature_layer: { fields: [] },
    }
    const tree = treeOf([
      { id: 1, key: 'g', name: 'G' },
      { id: 2, key: 'roads', cls: 'vector_layer', parent: 1, members },
    ])
    const root = tree.byId.get(1)
    if (root === undefined) throw new Error('no root')
    const features = [{ key: null, same: 1, id: 1, description: 'Old', attachments: [] }]
    const pulled = pullTree({
      ...{ tree, root, manifestId: 'test', counts: new Map([[2, 1]]) },
      extensions: new Map([[2, { key: undefined, features }]]),
    })
    expect(formatManifest(pulled.manifest)).not.toContain('features')
    expect(pulled.issues.map(({ message }) => message)).toEqual([
      'descriptions and attachments of 1 feature of "roads" are not pulled: no field has a different value for each of them',
    ])
  })

  it('warns of resources that other manifests manage, with a hint', () => {
    const rows: Row[] = [
      { id: 1, key: 'g', name: 'G', manager: 'city' },
      { id: 2, key: 'a', parent: 1, name: 'A', manager: 'city' },
      { id: 3, key: 'b', parent: 1, name: 'B', manager: null },
      { id: 4, key: 'c', parent: 1, name: 'C', manager: 'county' },
      { id: 5, key: 'd', name: 'D', manager: 'county' },
    ]
    const tree = treeOf(rows)
    const root = tree.byId.get(1)
    if (root === undefined) throw new Error('no root')
    const warned = (manifestId: string) =>
      pullTree({ tree, root, manifestId }).issues.map(({ severity, message, hint }) => [
        severity,
        message,
        hint,
      ])
    const county = [
      'warning',
      '1 pulled resource is managed by the manifest "county"',
      'Plan with --adopt to take them over.',
    ]
    expect(warned('g')).toEqual([
      [
        'warning',
        '2 pulled resources are managed by the manifest "city"',
        'Pull with --manifest city to keep its id, or plan with --adopt to take them over.',
      ],
      county,
    ])
    expect(warned('city')).toEqual([county])
  })

  it('omits defaults, markers and computed fields', () => {
    const layer = {
      item_type: 'layer',
      display_name: 'L',
      layer_style_id: 3,
      layer_enabled: true,
      style_parent_id: 2,
    }
    const { text } = pull([
      { id: 1, key: 'g', name: 'Group', meta: { source: 'survey' } },
      {
        id: 4,
        key: 'm',
        parent: 1,
        name: 'Map',
        cls: 'webmap',
        members: {
          webmap: {
            extent_left: -180,
            extent_top: 68,
            bookmark_resource: null,
            root_item: { item_type: 'root', children: [layer] },
          },
          basemap_webmap: { basemaps: [] },
        },
      },
      { id: 2, key: 'outside', cls: 'vector_layer' },
      {
        id: 3,
        parent: 2,
        name: 'Its style',
        cls: 'mapsrv_style',
        members: { mapsrv_style: { xml: '<map/>' } },
      },
    ])
    expect(text).toBe(tidyMap)
  })

  it('replaces passwords with environment variables', () => {
    const geodb_connection = { hostname: 'db', port: 5432, database: 'gis', username: 'u' }
    const { text } = pull([{ id: 1, key: 'db-main', cls: 'geodb_connection', members: { geodb_connection } }])
    expect(text).toContain('password: ${env.DB_MAIN_PASSWORD}')
    const wmsclient_connection = {
      url: 'https://a.example/',
      version: '1.3.0',
      username: null,
      password: null,
    }
    const open = pull([{ id: 1, key: 'wms', cls: 'wmsclient_connection', members: { wmsclient_connection } }])
    expect(open.text).not.toContain('password')
  })

  it('writes resources that it cannot describe as existing, with the reason', () => {
    const { text, messages } = pull([
      { id: 1, key: 'g' },
      { id: 2, key: 'l', parent: 1, cls: 'vector_layer', members: { vector_layer: {}, feature_layer: {} } },
      { id: 3, key: 't', parent: 1, cls: 'tileset' as never },
    ])
    expect(text).toContain('l:\n            cls: vector_layer\n            existing: true')
    expect(messages).toEqual([
      '"l" (resource 2) is written as existing: this account cannot read its required fields',
      '"t" (resource 3) is written as existing: class tileset is unknown',
      'vector_layer.srs, vector_layer.geometry_type, feature_layer.fields of 1 resource are not written, because this account lacks datastruct.read: l',
    ])
  })

  it('warns that the data of layers are not pulled', () => {
    const members = {
      vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } },
      feature_layer: { fields: [] },
    }
    const layers = [2, 3, 4, 5, 6, 7, 8].map(
      (id): Row => ({ id, key: `l${id}`, parent: 1, name: `L${id}`, cls: 'vector_layer', members }),
    )
    const warned = (count: number) => pull([{ id: 1, key: 'g' }, ...layers.slice(0, count)]).messages
    expect(warned(0)).toEqual([])
    expect(warned(1)).toEqual(['the data of 1 resource are not pulled: l2'])
    expect(warned(7)).toEqual(['the data of 7 resources are not pulled: l2, l3, l4, l5, l6 and 2 more'])
  })

  it('writes rules with short names of principals if they are unambiguous', () => {
    const rule = (id: number) => ({
      action: 'allow',
      principal: { id },
      identity: '',
      scope: 'resource',
      permission: 'read',
      propagate: true,
    })
    const { text } = pull([{ id: 1, key: 'g', rules: [rule(1), rule(7), rule(99)] }])
    expect(text).toContain('principal: guest,')
    expect(text).toContain('principal: group:editors,')
    expect(text).toContain('principal: id:99,')
  })
})
