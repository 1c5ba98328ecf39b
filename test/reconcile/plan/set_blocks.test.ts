import { describe, expect, it } from 'vitest'
import type { WantedRule } from '../../../src/manifest/manifest.ts'
import { type Block, planOf, type Row } from '../support/literals.ts'

const rule = {
  ...{ action: 'allow' as const, identity: '', principal: 'user:guest', propagate: true },
  ...{ scope: 'resource', permission: 'read' },
} satisfies WantedRule

const marked = (sets: string, more: object = {}): Row => ({
  ...{ id: 1, key: 'a', meta: { 'landform.manager': `test/1 ${sets}`, x: 1 } },
  ...more,
})

const changeOf = (block: Block, row: Row) => planOf({ blocks: { a: block }, rows: [row] }).changes[0]

describe('optional blocks', () => {
  it('are recorded on new resources', () => {
    const members = { webmap: { root_item: { item_type: 'root', children: [] }, editable: true } }
    const block: Block = {
      ...{ cls: 'webmap', description: 'b', resmeta: { x: 1 }, members },
      permissions: { owns: 'all', rules: [] },
    }
    const { resmeta } = planOf({ blocks: { a: block }, rows: [] }).changes[0]?.body ?? {}
    expect(resmeta?.items).toEqual({
      x: 1,
      'landform.manager': 'test/0 description permissions resmeta webmap webmap.root_item',
    })
  })

  it('are recorded with a change, but are no change themselves', () => {
    const row: Row = { id: 1, key: 'a', description: 'old' }
    expect(changeOf({ description: 'old' }, row)).toBeUndefined()
    expect(changeOf({ description: 'new' }, row)?.body.resmeta).toEqual({
      items: { 'landform.manager': 'test/1 description' },
    })
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
      { pointer: '/owner', released: true },
    ])
    expect(change?.body.resmeta).toEqual({ items: { 'landform.manager': 'test/1 mapsrv_style' } })
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
    expect(issues[0]?.message).toBe(`"a" is managed by the manifest "other", which sets ${name} too`)
    expect(issues[0]?.hint).toContain('--take a')
    expect(plan(block, ['a'])).toMatchObject({ issues: [], changes: [{ action: 'update' }] })
  })

  it('is changed elsewhere', () => {
    expect(plan({ resmeta: { y: 2 } })).toMatchObject({ issues: [], changes: [{ action: 'update' }] })
    expect(plan({ permissions: { owns: 'listed', rules: [rule] } }).issues).toEqual([])
  })
})
