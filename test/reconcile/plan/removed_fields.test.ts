import { describe, expect, it } from 'vitest'
import { findFieldMark, formatFieldMark, withOwnId } from '../../../src/contract/field_marks.ts'
import { formatSource } from '../../../src/contract/markers.ts'
import type { WantedRule } from '../../../src/manifest/manifest.ts'
import type { Change, Plan } from '../../../src/reconcile/model/change.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { indexPrincipals } from '../../../src/reconcile/model/principals.ts'
import { partName } from '../../../src/reconcile/model/rule_records.ts'
import { computePlan } from '../../../src/reconcile/plan/compute_plan.ts'
import { sourceDigest } from '../../../src/reconcile/plan/data/decide_load.ts'
import { type Block, manifestOf, planOf, type Row, treeOf } from '../support/literals.ts'

const rule = {
  ...{ action: 'allow' as const, identity: '', principal: 'user:guest', propagate: true },
  ...{ scope: 'resource', permission: 'read' },
} satisfies WantedRule

const marked = (sets: string, more: object = {}): Row => ({
  ...{ id: 1, key: 'a', meta: { 'landform.manager': `test/1 ${sets}`, x: 1 } },
  ...more,
})

const changeOf = (block: Block, row: Row) => planOf({ blocks: { a: block }, rows: [row] }).changes[0]

/** What a server has after a plan was applied: the items of the metadata with their own id. */
const itemsOf = (change: Change | undefined) =>
  withOwnId(change?.body.resmeta?.items as Parameters<typeof withOwnId>[0], 1)

/** Plans a block, then another one against what the first has left on the server. */
function planAgain(before: Block, after: Block, row: Partial<Row>): Plan {
  const meta = itemsOf(changeOf({ existing: true, ...before }, { id: 1, key: 'a', manager: null, rules: [] }))
  const rows = [{ id: 1, key: 'a', manager: null, meta, ...row }]
  return planOf({ blocks: { a: { existing: true, ...after } }, rows })
}

/** Plans a block together with the rename of a user from visitors to visitor. */
function planRenamed(block: Block, row: Row): Plan {
  const user = (keyname: string) => ({ id: 8, kind: 'user' as const, keyname })
  const principals = { ...indexPrincipals([user('visitor')]), former: indexPrincipals([user('visitors')]) }
  return computePlan({
    manifest: manifestOf({ a: block }),
    actual: { ...treeOf([row]), principals },
    server: 'http://test',
    files: new Map(),
    counts: new Map(),
    options: safeOptions,
  }).plan
}

describe('the fields that a manifest sets', () => {
  it('are recorded on new resources with digests of their values', () => {
    const members = { webmap: { root_item: { item_type: 'root', children: [] }, editable: true } }
    const block: Block = {
      ...{ cls: 'webmap', description: 'b', resmeta: { x: 1 }, members },
      permissions: { owns: 'all', rules: [] },
    }
    const items = itemsOf(planOf({ blocks: { a: block }, rows: [] }).changes[0])
    expect(items).toMatchObject({ x: 1, 'landform.manager': 'test/1' })
    const fields = findFieldMark(1, items['landform.fields.test'])
    const names = ['description', 'display_name', 'parent', 'permissions', 'resmeta']
    expect([...(fields?.keys() ?? [])]).toEqual([...names, 'webmap', 'webmap.editable', 'webmap.root_item'])
    expect(fields?.get('description')).toMatch(/^[\w-]{8}$/)
    expect(findFieldMark(2, items['landform.fields.test'])).toBeUndefined()
  })

  it('stay, and their record too, if the account cannot read them or the block leaves them as they are', () => {
    const connection = { existing: true, cls: 'wmsclient_connection' as const }
    const members = { wmsclient_connection: { url: 'http://a' } }
    const row = { cls: 'wmsclient_connection' as const }
    const block = { ...connection, members }
    const planAfter = (after: Block, there: object) => {
      const first = changeOf(block, { ...row, id: 1, key: 'a', manager: null, members })
      const rows = [{ ...row, id: 1, key: 'a', manager: null, meta: itemsOf(first), members: { ...there } }]
      return planOf({ blocks: { a: after }, rows })
    }
    const unread = planAfter({ ...connection, displayName: 'New' }, {})
    expect(unread.changes.map(({ edits }) => edits.map(({ pointer }) => pointer))).toEqual([
      ['/display_name'],
    ])
    expect(unread.issues.map(({ code, message }) => [code, message])).toEqual([
      [
        'plan/unknown',
        '"a": this account cannot read /wmsclient_connection/url, so the plan does not change it',
      ],
    ])
    const left = { ...connection, displayName: 'New', unmanaged: new Set(['wmsclient_connection.url']) }
    const reset = planAfter(left, members)
    for (const { changes } of [unread, reset])
      expect([...(findFieldMark(1, itemsOf(changes[0])['landform.fields.test'])?.keys() ?? [])]).toContain(
        'wmsclient_connection.url',
      )
    expect(reset.changes[0]?.edits.map(({ pointer }) => pointer)).not.toContain('/wmsclient_connection/url')
  })

  it('are recorded if others have set the same value, and the plan shows it', () => {
    const row: Row = { id: 1, key: 'a', manager: null, description: 'old' }
    const change = changeOf({ existing: true, description: 'old' }, row)
    expect(change).toMatchObject({
      action: 'adopt',
      edits: [],
      records: { gained: ['description'], lost: [] },
    })
    const again = changeOf({ existing: true, description: 'old' }, { ...row, meta: itemsOf(change) })
    expect(again).toBeUndefined()
    const released = changeOf({ existing: true }, { ...row, description: null, meta: itemsOf(change) })
    expect(released?.records).toEqual({ gained: [], lost: ['description'] })
    expect(released?.body.resmeta?.items).toEqual({ 'landform.fields.test': null })
  })

  it('have a record of bounded size', () => {
    const rules = Array.from({ length: 900 }, (_, at) => ({ ...rule, principal: `id:${at}` }))
    const resmeta = Object.fromEntries(rules.map((_, at) => [`key ${at}`, at]))
    const block: Block = { existing: true, permissions: { owns: 'listed', rules }, resmeta }
    const mark = itemsOf(changeOf(block, { id: 1, key: 'a', manager: null }))['landform.fields.test']
    expect(String(mark).length).toBeLessThan(100)
  })

  it.each<[string, Block, Partial<Row>, object[], object]>([
    [
      'an included rule',
      { permissions: { owns: 'listed', rules: [rule] } },
      {
        rules: [
          { ...rule, principal: { id: 1 } },
          { ...rule, principal: { id: 7 } },
        ],
      },
      [{ pointer: '/permissions', from: 'allow user:guest resource.read, and below' }],
      { resource: { permissions: [{ ...rule, principal: 'group:editors' }] } },
    ],
    [
      'the description of a resource that others manage',
      { description: 'ours' },
      { description: 'ours' },
      [{ pointer: '/description', from: 'ours', to: null }],
      { resource: { description: null } },
    ],
    [
      'a metadata item',
      { resmeta: { ours: 1, both: 2 } },
      { meta: { ours: 1, both: 2, theirs: 3 } },
      [
        { pointer: '/resmeta/ours', from: 1 },
        { pointer: '/resmeta/both', from: 2 },
      ],
      { resmeta: { items: { ours: null, both: null } } },
    ],
    ['protection', { protect: true }, { meta: { 'landform.protect': true } }, [{ pointer: '/protect' }], {}],
  ])('are reset where the manifest no longer names them: %s', (_, before, row, edits, body) => {
    const first = changeOf({ existing: true, ...before }, { id: 1, key: 'a', manager: null })
    const meta = { ...itemsOf(first), ...row.meta }
    const change = changeOf({ existing: true }, { id: 1, key: 'a', manager: null, ...row, meta })
    expect(change?.edits).toMatchObject(edits)
    expect(change?.body).toMatchObject(body)
    expect(change?.body.resmeta?.items).toMatchObject({ 'landform.fields.test': null })
  })

  it.each([
    ['before the plan', 'user:visitors'],
    ['after the plan', 'user:visitor'],
  ])('are reset if an earlier version recorded them with the name of a user %s', (_, name) => {
    const line = `allow ${name} resource.read, and below`
    const mark = formatFieldMark(1, new Map([[partName('permissions', line), '']]))
    const rules = [{ ...rule, principal: { id: 8 } }]
    const row: Row = { id: 1, key: 'a', manager: null, rules, meta: { 'landform.fields.test': mark } }
    const change = planRenamed({ existing: true }, row).changes[0]
    expect(change?.edits).toMatchObject([{ from: 'allow user:visitor resource.read, and below' }])
    const listed = { ...rule, principal: 'user:visitor' }
    const kept = planRenamed({ existing: true, permissions: { owns: 'listed', rules: [listed] } }, row)
    // The former name is not known after the rename.
    expect(kept.changes.map(({ records }) => records?.renamed)).toEqual(
      name === 'user:visitors' ? [true] : [],
    )
  })

  it('stay with a reason if others changed them since, or another manifest sets them too', () => {
    const changed = planAgain({ description: 'ours' }, {}, { description: 'theirs' }).changes[0]
    const stays = 'it was changed on the server since the last apply'
    expect(changed?.edits).toEqual([{ pointer: '/description', released: true, stays }])
    const mark = { 'landform.fields.other': '1 description' }
    const first = itemsOf(changeOf({ existing: true, description: 'd' }, { id: 1, key: 'a', manager: null }))
    const row: Row = { id: 1, key: 'a', manager: null, description: 'd', meta: { ...first, ...mark } }
    expect(changeOf({ existing: true }, row)?.edits[0]?.stays).toBe('the manifest "other" sets it too')
  })

  it('tell whether the manifest or the server changed since the last apply', () => {
    const origin = (after: string, there: string) =>
      planAgain({ description: 'a' }, { description: after }, { description: there }).changes[0]?.edits[0]
        ?.origin
    expect([origin('b', 'a'), origin('a', 'b'), origin('b', 'c')]).toEqual(['manifest', 'server', 'both'])
  })

  it('stay as they are if they are those of a layer with data, and the next plan is empty', () => {
    const sha256 = 'a'.repeat(64)
    const data = { path: '/a.gpkg', source: 'a.gpkg', options: {} }
    const fields = [{ keyname: 'name', datatype: 'STRING', display_name: 'Name' }]
    const block: Block = {
      cls: 'vector_layer',
      data,
      members: { vector_layer: {}, feature_layer: { fields } },
    }
    const given = { files: new Map([['a', { sha256, sizeBytes: 1 }]]), loads: new Map([['a', null]]) }
    const members = {
      vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT', data_version: 1 },
      feature_layer: { fields: [{ id: 1, ...fields[0] }] },
    }
    const loaded = formatSource({ digest: sourceDigest(sha256, {}), version: 1 })
    const plan = (wanted: Block, marks: object) => {
      const meta = { ...marks, 'landform.source': loaded }
      return planOf({
        ...given,
        blocks: { a: wanted },
        rows: [{ id: 1, key: 'a', cls: 'vector_layer', members, meta }],
      }).changes
    }
    const first = itemsOf(planOf({ ...given, blocks: { a: block }, rows: [] }).changes[0])
    expect(plan(block, first)).toEqual([])
    const without: Block = { ...block, members: { vector_layer: {} } }
    const [change] = plan(without, first)
    expect(change?.edits).toMatchObject([{ pointer: '/feature_layer/fields', released: true }])
    expect([change?.data, change?.body.feature_layer]).toEqual([undefined, undefined])
    expect(plan(without, { ...first, ...itemsOf(change) })).toEqual([])
  })

  it('of a resource that the manifest no longer contains are reported, and reset with --prune', () => {
    const meta = itemsOf(changeOf({ existing: true, description: 'd' }, { id: 1, key: 'a', manager: null }))
    const rows = [
      {
        id: 1,
        key: 'a',
        manager: 'other',
        description: 'd',
        meta: { ...meta, 'landform.manager': 'other/1' },
      },
    ]
    expect(planOf({ blocks: {}, rows })).toMatchObject({
      changes: [],
      issues: [{ code: 'plan/left-behind' }],
    })
    const pruned = planOf({ blocks: {}, rows, options: { prune: true } })
    expect(pruned.issues).toEqual([])
    expect(pruned.changes).toMatchObject([
      { key: 'a', path: ['Main', 'a'], edits: [{ pointer: '/description' }] },
    ])
  })
})

describe('blocks that an earlier version recorded', () => {
  it('are no change, and recorded by field with the next change', () => {
    const row: Row = {
      id: 1,
      key: 'a',
      description: 'old',
      meta: { 'landform.manager': 'test/1 description' },
    }
    expect(changeOf({ description: 'old' }, row)).toBeUndefined()
    const items = changeOf({ description: 'new' }, row)?.body.resmeta?.items as Record<string, unknown>
    expect(items['landform.manager']).toBe('test/1')
    expect(String(items['landform.fields.test'])).toContain('description=')
  })

  it.each<[sets: string, more: object, edits: object[], body: object]>([
    [
      'description',
      { description: 'old' },
      [{ pointer: '/description', from: 'old', to: null }],
      { resource: { description: null } },
    ],
    [
      'permissions',
      { rules: [{ ...rule, principal: { id: 1 } }] },
      [{ pointer: '/permissions', from: 'allow user:guest resource.read, and below' }],
      { resource: { permissions: [] } },
    ],
    ['resmeta', {}, [{ pointer: '/resmeta/x', from: 1 }], { resmeta: { items: { x: null } } }],
  ])('that are removed are reset: %s', (sets, more, edits, body) => {
    const change = changeOf({}, marked(sets, more))
    expect([change?.action, change?.edits]).toEqual(['update', edits])
    expect(change?.body).toMatchObject(body)
    expect(change?.body.resmeta?.items).toMatchObject({ 'landform.manager': 'test/1' })
  })

  it('that the manifest never set stay', () => {
    expect(changeOf({}, marked('resmeta', { description: 'of somebody else' }))?.edits).toEqual([
      { pointer: '/resmeta/x', from: 1 },
    ])
    expect(changeOf({}, { id: 1, key: 'a', description: 'of somebody else' })).toBeUndefined()
  })

  it('of the class are reset to their defaults, and released without one', () => {
    const row: Row = {
      ...{ id: 1, key: 'a', cls: 'mapsrv_style' },
      meta: { 'landform.manager': 'test/1 mapsrv_style owner tile_cache' },
      members: { mapsrv_style: { xml: '<map/>' }, tile_cache: { enabled: true, max_z: 5, ttl: null } },
    }
    const change = changeOf({ cls: 'mapsrv_style', members: { mapsrv_style: { xml: '<map/>' } } }, row)
    expect(change?.edits).toEqual([
      { pointer: '/tile_cache/enabled', from: true, to: false },
      { pointer: '/tile_cache/max_z', from: 5, to: null },
      { pointer: '/owner', released: true, stays: 'to change it, set another owner' },
    ])
  })

  it('of another manifest are not reset', () => {
    const row: Row = { id: 1, key: 'a', manager: 'other', description: 'old' }
    const meta = { 'landform.manager': 'other/1 description' }
    expect(changeOf({ existing: true }, { ...row, meta })).toBeUndefined()
  })
})

describe('a resource that another manifest manages', () => {
  const row: Row = {
    id: 1,
    key: 'a',
    description: 'old',
    meta: { 'landform.manager': 'other/1 description' },
  }
  const plan = (block: Block, take: readonly string[] = []) =>
    planOf({ blocks: { a: { existing: true, ...block } }, rows: [row], options: { take: new Set(take) } })

  it.each<[Block, string]>([
    [{ displayName: 'New' }, 'display_name'],
    [{ description: 'new' }, 'description'],
  ])('is not changed where the other manifest sets the same: %j', (block, name) => {
    const { issues } = plan(block)
    expect(issues).toMatchObject([{ code: 'plan/foreign', severity: 'error' }])
    expect(issues[0]?.message).toBe(`the manifest "other" sets ${name} of "a" too`)
    expect(issues[0]?.hint).toContain('--take a')
    expect(plan(block, ['a'])).toMatchObject({ issues: [], changes: [{ action: 'update' }] })
  })

  it('is set by this manifest alone once it was taken', () => {
    const items = plan({ description: 'new' }, ['a']).changes[0]?.body.resmeta?.items as Record<
      string,
      string
    >
    expect(findFieldMark(1, items['landform.fields.other'])).toEqual(
      new Map([
        ['display_name', ''],
        ['parent', ''],
      ]),
    )
    const meta = { ...items, 'landform.manager': 'test/1' }
    const other = { 'landform.manager': 'other/1' }
    const back = (options: object) =>
      computePlan({
        ...{ manifest: manifestOf({ a: { description: 'old' } }, 'other'), server: '', files: new Map() },
        ...{
          actual: treeOf([{ ...row, description: 'new', meta: { ...meta, ...other } }]),
          counts: new Map(),
        },
        options: { ...safeOptions, ...options },
      }).plan.issues
    expect(back({})[0]?.message).toBe('the manifest "test" sets description of "a" too')
    expect(back({ take: new Set(['a']) })).toEqual([])
  })

  it('is changed elsewhere', () => {
    expect(plan({ resmeta: { y: 2 } })).toMatchObject({ issues: [], changes: [{ action: 'update' }] })
    expect(plan({ permissions: { owns: 'listed', rules: [rule] } }).issues).toEqual([])
  })
})
