import { describe, expect, it } from 'vitest'
import { type Operation, sortSteps, writeOperations } from '../../../src/reconcile/apply/batch_operations.ts'
import { sourceDigest } from '../../../src/reconcile/plan/data/decide_load.ts'
import { type Case, planOf, recordOf } from '../support/literals.ts'

const sha256 = 'a'.repeat(64)
const token = 'b'.repeat(32)
const loaded = [
  { keyname: 'name', datatype: 'STRING' },
  { keyname: 'size', datatype: 'REAL' },
]

/** Writes the operations of a case; data of every layer are prepared with the same two fields. */
function operationsOf(one: Case): Operation[] {
  const plan = planOf({ ...one, files: new Map([['l', { sha256, sizeBytes: 10 }]]) })
  const source = { sha256, token, fields: loaded }
  const sources = new Map(plan.changes.flatMap((change) => (change.data ? [[change, source]] : [])))
  return writeOperations({ plan, steps: sortSteps(plan.steps), sources })
}

const itemOf = (style: string) => ({ item_type: 'layer', display_name: 'L', layer_style_id: style })
const mapOf = (style: string) => ({
  webmap: { root_item: { item_type: 'root', children: [itemOf(style)] } },
})

describe('the operations of a plan', () => {
  it('create parents first, and refer to new resources by their keys', () => {
    const blocks = {
      m: { cls: 'webmap' as const, parent: 'g', members: mapOf('s') },
      s: { cls: 'mapsrv_style' as const, parent: 'l' },
      l: { cls: 'vector_layer' as const, parent: 'old' },
      g: {},
      old: {},
    }
    const operations = operationsOf({ blocks, rows: [{ id: 7, key: 'old' }] })
    expect(operations.map((one) => ('name' in one ? `${one.op} ${one.name}` : one.op))).toEqual([
      'create l',
      'create g',
      'create s',
      'create m',
    ])
    const parents = operations.map((one) => 'body' in one && (one.body.resource as { parent: object }).parent)
    expect(parents).toEqual([{ id: 7 }, { id: 0 }, { id: 'l' }, { id: 'g' }])
    const resmeta = { items: recordOf('display_name parent webmap webmap.root_item') }
    expect(operations[3]).toMatchObject({ body: { ...mapOf('s'), resmeta } })
  })

  it('change only resources that are in the planned version', () => {
    const blocks = { a: { displayName: 'New' } }
    const rows = [
      { id: 1, key: 'a', name: 'Old', version: 4 },
      { id: 2, key: 'b', version: 5 },
    ]
    expect(operationsOf({ blocks, rows, options: { prune: true, fuse: 1 } })).toEqual([
      {
        ...{ op: 'update', id: 1, if_version: 4 },
        body: {
          resource: { display_name: 'New' },
          resmeta: { items: recordOf('display_name parent') },
        },
      },
      { op: 'delete', id: 2, if_version: 5, if_deletes: [{ id: 2 }] },
    ])
  })

  it('swap names through a temporary name, with the version of the first change', () => {
    const blocks = { a: { displayName: 'B' }, b: { displayName: 'A' } }
    const rows = [
      { id: 1, key: 'a', name: 'A', version: 3 },
      { id: 2, key: 'b', name: 'B', version: 4 },
    ]
    const resmeta = { items: recordOf('display_name parent') }
    const named = (display_name: string) => ({ resource: { display_name }, resmeta })
    expect(operationsOf({ blocks, rows })).toEqual([
      {
        op: 'update',
        id: 1,
        if_version: 3,
        body: { resource: { display_name: 'landform-1-a' } },
      },
      { op: 'update', id: 2, if_version: 4, body: named('A') },
      { op: 'update', id: 1, body: named('B') },
    ])
  })

  it('give a resource without a key its key with the temporary name, or a temporary one if it is not free', () => {
    const names = { a: { displayName: 'B', id: 1 }, c: { displayName: 'A', was: 'b' } }
    const rows = [
      { id: 1, key: null, name: 'A', manager: null },
      { id: 2, key: 'b', name: 'B' },
    ]
    const [first] = operationsOf({ blocks: names, rows })
    expect(first).toMatchObject({
      id: 1,
      body: { resource: { display_name: 'landform-1-a', keyname: 'a' } },
    })
    const keys = { b: { displayName: 'B', id: 1 }, c: { displayName: 'A', was: 'b' } }
    const operations = operationsOf({ blocks: keys, rows })
    expect(operations.map((one) => 'body' in one && one.body.resource)).toEqual([
      { display_name: 'landform-1-b', keyname: 'landform-1-b' },
      { keyname: 'c', display_name: 'A' },
      { keyname: 'b', display_name: 'B' },
    ])
  })

  it('recreate a resource under the key of the deleted one, and repair the references to it', () => {
    const blocks = {
      v: {
        cls: 'vector_layer' as const,
        members: { vector_layer: { srs: { id: 4326 }, geometry_type: 'POINT' } },
      },
      s: { cls: 'mapsrv_style' as const, parent: 'v' },
      m: { cls: 'webmap' as const, members: mapOf('s') },
    }
    const rows = [
      {
        id: 1,
        key: 'v',
        cls: 'vector_layer' as const,
        members: { vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' } },
      },
      { id: 2, key: 's', cls: 'mapsrv_style' as const, parent: 1, members: { mapsrv_style: {} } },
      { id: 3, key: 'm', cls: 'webmap' as const, members: { webmap: mapOf('x').webmap } },
    ]
    const operations = operationsOf({
      blocks,
      rows,
      counts: new Map([[1, 0]]),
      options: { replace: new Set(['v']) },
    })
    expect(operations).toMatchObject([
      { op: 'delete', id: 1, if_version: 1 },
      { op: 'create', name: 'v', body: { resource: { keyname: 'v' } } },
      { op: 'create', name: 's', body: { resource: { parent: { id: 'v' } } } },
      { op: 'update', id: 3, body: mapOf('s') },
    ])
  })
})

describe('the operation that loads data', () => {
  const data = { path: '/x/l.geojson', source: 'l.geojson', options: { fix_errors: 'LOSSY' } }
  const fields = [
    { keyname: 'size', datatype: 'REAL', grid_visibility: false },
    { keyname: 'note', datatype: 'STRING' },
  ]
  const layer = {
    cls: 'vector_layer' as const,
    data,
    members: { vector_layer: { geometry_type: 'POINT' }, feature_layer: { fields } },
  }
  const options = {
    cast_geometry_type: 'POINT',
    cast_is_multi: false,
    cast_has_z: false,
    fix_errors: 'LOSSY',
  }
  const written = [
    {
      keyname: 'size',
      datatype: 'REAL',
      display_name: 'size',
      label_field: false,
      grid_visibility: false,
      text_search: true,
      lookup_table: null,
    },
    { keyname: 'note', datatype: 'STRING' },
    { keyname: 'name', datatype: 'STRING', delete: true },
  ]

  const layerFields =
    'data display_name feature_layer feature_layer.fields parent vector_layer vector_layer.geometry_type'

  it('also writes the source marker and the fields of the manifest', () => {
    const [operation] = operationsOf({ blocks: { l: layer }, rows: [] })
    expect(operation).toMatchObject({
      op: 'create',
      name: 'l',
      body: {
        resmeta: {
          items: {
            'landform.manager': 'test/0',
            ...recordOf(layerFields),
            'landform.source': `sha256-${sourceDigest(sha256, options)}@1`,
          },
        },
        vector_layer: { srs: { id: 3857 }, source: { prepared: token } },
        feature_layer: { fields: written },
      },
    })
    expect(operation).not.toHaveProperty('body.vector_layer.geometry_type')
  })

  it('does not send the reference system of an existing layer', () => {
    const row = {
      id: 1,
      key: 'l',
      cls: 'vector_layer' as const,
      meta: { 'landform.source': `sha256-${'c'.repeat(64)}@2` },
      members: {
        vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT', data_version: 2 },
        feature_layer: { fields: [{ id: 5, keyname: 'old', datatype: 'STRING' }] },
      },
    }
    expect(operationsOf({ blocks: { l: layer }, rows: [row] })).toEqual([
      {
        op: 'update',
        id: 1,
        if_version: 1,
        body: {
          resmeta: {
            items: {
              ...recordOf(layerFields),
              'landform.source': `sha256-${sourceDigest(sha256, options)}@3`,
            },
          },
          vector_layer: { if_data_version: 2, source: { prepared: token } },
          feature_layer: { fields: written },
        },
      },
    ])
  })
})
