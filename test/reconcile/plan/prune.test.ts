import { describe, expect, it } from 'vitest'
import { type Case, codesOf, planningOf, planOf, type Row, tell } from '../support/literals.ts'

const prune = { prune: true, fuse: 1 }

describe('pruning', () => {
  it('only reports orphaned resources unless it is requested', () => {
    const plan = planOf({ blocks: {}, rows: [{ id: 1, key: 'a' }] })
    expect(tell(plan)).toEqual([])
    expect(codesOf(plan)).toEqual(['(plan/orphan)'])
  })

  it('deletes only resources of this manifest', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'b', manager: null },
      { id: 3, key: 'c', manager: 'other' },
      { id: 4, key: 'd', manager: null, meta: { 'landform.manager': 'test/1' } },
    ]
    const plan = planOf({ blocks: {}, rows, options: prune })
    expect(tell(plan)).toEqual(['delete a'])
  })

  it('deletes a subtree by its root, and reports its descendants', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'b', parent: 1 },
      { id: 3, key: 'c', parent: 2 },
    ]
    const plan = planOf({ blocks: {}, rows, options: prune })
    expect(tell(plan)).toEqual(['delete a'])
    const below = ['b', 'c'].map((key, at) => ({
      ...{ id: at + 2, key, cls: 'resource_group', display_name: key },
    }))
    expect(plan.changes[0]?.takes).toEqual({ resources: 2, below, unmanaged: [], features: 0 })
  })

  it('counts the files that it deletes, and refuses until the resource is named', () => {
    const members = {
      file_bucket: {
        files: [
          { name: 'a.txt', size: 1 },
          { name: 'b.txt', size: 2 },
        ],
      },
    }
    const rows: Row[] = [
      { id: 1, key: 'a' },
      { id: 2, key: 'b', cls: 'file_bucket', parent: 1, members },
    ]
    const plan = planOf({ blocks: {}, rows, options: prune })
    const below = [{ id: 2, key: 'b', cls: 'file_bucket', display_name: 'b', files: 2 }]
    expect(plan.changes[0]?.takes).toEqual({ resources: 1, below, unmanaged: [], features: 0, files: 2 })
    expect(plan.issues.map(({ message }) => message)).toEqual(['deleting "a" would delete 2 files'])
    const allowed = planOf({ blocks: {}, rows, options: { ...prune, allowDelete: new Set(['a']) } })
    expect(codesOf(allowed)).toEqual([])
  })

  it('tells attachments, bytes and the last change, which it asks for first; of a part, nothing', () => {
    const rows: Row[] = [
      { id: 1, key: 'a' },
      { id: 2, key: 'b', cls: 'vector_layer', parent: 1 },
    ]
    const asked: Case = { blocks: {}, rows, options: prune, counts: new Map([[2, 3]]) }
    const { unreadContents, plan: early } = planningOf(asked)
    expect(unreadContents).toEqual([1, 2])
    expect(early.changes[0]?.takes).not.toHaveProperty('bytes')
    const group = { id: 1, attachments: 0, bytes: 10, changed: '2024-01-01T00:00:00', user: 'ada' }
    const layer = { id: 2, attachments: 5, bytes: 90, changed: '2024-02-01T00:00:00', user: null }
    const { plan, unreadContents: rest } = planningOf({
      ...asked,
      contents: new Map([group, layer].map((one) => [one.id, one])),
    })
    expect(rest).toEqual([])
    expect(plan.changes[0]?.takes).toMatchObject({
      ...{ features: 3, attachments: 5, bytes: 100, changed: { key: 'b', at: layer.changed, by: null } },
      below: [{ key: 'b', features: 3, attachments: 5, bytes: 90 }],
    })
    expect(plan.issues[0]?.message).toBe('deleting "a" would delete 3 features and 5 attachments')
    const partly = planOf({ ...asked, contents: new Map([[1, group] as const, [2, null] as const]) })
    expect(partly.changes[0]?.takes).not.toHaveProperty('bytes')
    expect(partly.changes[0]?.takes).not.toHaveProperty('changed')
  })

  it('quotes ids in hints, which shells read as comments', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 7, key: null, parent: 1, manager: null },
    ]
    const [issue] = planOf({ blocks: {}, rows, options: prune }).issues
    expect(issue?.hint).toContain("--allow-delete a --allow-delete '#7'.")
    for (const id of ['7', '#7']) {
      const allowed = planOf({ blocks: {}, rows, options: { ...prune, allowDelete: new Set(['a', id]) } })
      expect(codesOf(allowed)).toEqual([])
    }
  })

  it('is allowed by id, unless another resource has the number as its key', () => {
    const rows = [
      { id: 53, key: 'a', cls: 'vector_layer' as const },
      { id: 54, key: '55', cls: 'vector_layer' as const },
      { id: 55, key: 'b', cls: 'vector_layer' as const },
    ]
    const counts = new Map(rows.map(({ id }) => [id, 3]))
    const left = (...keys: readonly string[]) => {
      const options = { ...prune, allowDelete: new Set(keys) }
      const { issues } = planOf({ blocks: {}, rows, counts, options })
      return issues.flatMap(({ message }) => /^deleting "(.*)" would/.exec(message)?.[1] ?? [])
    }
    expect(left('53', '55')).toEqual(['b'])
    expect(left('53', '#54', '55')).toEqual(['b'])
  })

  it('first moves descendants that the manifest has elsewhere', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'b', parent: 1 },
      { id: 3, key: 'c', parent: 2 },
    ]
    const plan = planOf({ blocks: { b: {} }, rows, options: prune })
    expect(tell(plan)).toEqual(['move b /parent', 'delete a', 'delete c'])
    expect(plan.changes[1]?.takes?.resources).toBe(0)
  })

  it('refuses to delete unmanaged descendants, unless they or a group around them are allowed by key', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'theirs', parent: 1, manager: null },
      { id: 3, key: 'inner', parent: 2, manager: null },
      { id: 4, key: 'other', parent: 1, manager: null },
    ]
    const issuesOf = (...keys: string[]) =>
      planOf({ blocks: {}, rows, options: { ...prune, allowDelete: new Set(keys) } }).issues.map(
        ({ code, message, hint }) => [code, message.replace(/.*: /, ''), hint?.replace(/.*use /, '')],
      )
    expect(issuesOf()).toEqual([
      [
        'plan/taken-along',
        'theirs, other, inner',
        '--allow-delete a --allow-delete theirs --allow-delete other.',
      ],
    ])
    expect(issuesOf('a')).toEqual([
      ['plan/taken-along', 'theirs, other, inner', '--allow-delete theirs --allow-delete other.'],
    ])
    expect(issuesOf('a', 'inner', 'other')).toEqual([
      ['plan/taken-along', 'theirs', '--allow-delete theirs.'],
    ])
    expect(issuesOf('a', 'theirs', 'other')).toEqual([])
  })

  it('never deletes descendants that the manifest refers to as existing', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'x', parent: 1, manager: null },
    ]
    const options = { ...prune, allowDelete: new Set(['a']) }
    expect(codesOf(planOf({ blocks: { x: { existing: true } }, rows, options }))).toEqual([
      'plan/taken-along',
    ])
  })

  it('is limited by the fuse to a tenth of the managed resources', () => {
    const keys = Array.from({ length: 20 }, (_, at) => `r${at}`)
    const rows = keys.map((key, at) => ({ id: at + 1, key }))
    const without = (count: number) => Object.fromEntries(keys.slice(count).map((key) => [key, {}]))
    const plan = (count: number, more = {}) =>
      planOf({ blocks: without(count), rows, options: { prune: true, ...more } })
    expect(codesOf(plan(2))).toEqual([])
    expect(codesOf(plan(3))).toEqual(['plan/fuse'])
    expect(plan(3).issues[0]?.message).toBe(
      'the plan would delete 3 of 20 resources of this manifest, more than 10 %',
    )
    expect(codesOf(plan(3, { allowDelete: new Set(['r0']) }))).toEqual([])
    expect(codesOf(plan(20))).toEqual(['plan/fuse'])
    expect(codesOf(plan(20, { fuse: 1 }))).toEqual([])
  })

  it('refuses to delete layers with features, counted or not', () => {
    const rows = [{ id: 1, key: 'a', cls: 'vector_layer' as const }]
    const one: Case = { blocks: {}, rows, options: prune }
    expect(planningOf(one).uncounted).toEqual([1])
    const counted = (count: number | null) => planOf({ ...one, counts: new Map([[1, count]]) })
    expect(codesOf(counted(0))).toEqual([])
    expect(codesOf(counted(199_568))).toEqual(['plan/fuse'])
    expect(counted(199_568).issues[0]?.message).toContain('199,568 features')
    expect(codesOf(counted(null))).toEqual(['plan/fuse'])
  })

  it('keeps protected resources, whatever is allowed', () => {
    const rows = [{ id: 1, key: 'a', meta: { 'landform.protect': true } }]
    const options = { ...prune, allowDelete: new Set(['a']) }
    const plan = planOf({ blocks: {}, rows, options })
    expect(codesOf(plan)).toEqual(['plan/protected'])
    expect(plan.issues[0]?.hint).toContain('Put its block back without protect: true')
  })

  it('refuses if the tree was not read completely and the caller is not an administrator', () => {
    const one: Case = { blocks: {}, rows: [{ id: 1, key: 'a' }], options: prune }
    const half = { complete: false, administrator: false }
    expect(codesOf(planOf({ ...one, head: half }))).toEqual(['plan/incomplete'])
    expect(tell(planOf({ ...one, head: half }))).toEqual([])
    expect(codesOf(planOf({ ...one, head: { ...half, administrator: true } }))).toEqual([])
    expect(planOf({ ...one, head: half }).issues[0]?.hint).toContain('name what to delete: --allow-delete a.')
  })

  it('deletes what is named although the tree was not read completely, and warns of references that it cannot see', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'b' },
    ]
    const half = { complete: false, administrator: false }
    const named = (...keys: string[]) =>
      planOf({ blocks: {}, rows, options: { ...prune, allowDelete: new Set(keys) }, head: half })
    expect(codesOf(named('a', 'b'))).toEqual(['(plan/incomplete)'])
    expect(named('a', 'b').issues[0]?.message).toContain(
      'may refer to the deleted ones, and lose these references',
    )
    expect(tell(named('a', 'b'))).toEqual(['delete a', 'delete b'])
    expect([codesOf(named('a')), tell(named('a'))]).toEqual([['plan/incomplete'], []])
  })

  describe('reports references to deleted resources, whatever manifest has them', () => {
    const item = (name: string, style: number) => ({
      item_type: 'layer',
      display_name: name,
      layer_style_id: style,
    })
    const mapRow = (more: Partial<Row> = {}): Row => ({
      id: 9,
      key: 'their_map',
      cls: 'webmap',
      manager: null,
      name: 'Their map',
      members: {
        webmap: {
          bookmark_resource: 1,
          root_item: {
            item_type: 'root',
            children: [
              { item_type: 'group', display_name: 'G', children: [item('All roads', 2)] },
              item('Other', 7),
            ],
          },
        },
      },
      ...more,
    })
    const rows: Row[] = [
      { id: 1, key: 'roads', cls: 'vector_layer' },
      { id: 2, key: 'style', cls: 'mapsrv_style', parent: 1 },
    ]
    const one = (more: Partial<Case> = {}): Case => ({
      blocks: {},
      rows: [...rows, mapRow()],
      counts: new Map([[1, 0]]),
      ...more,
      options: { ...prune, ...more.options },
    })

    it('and refuses until the loss is allowed', () => {
      const plan = planOf(one({ options: { allowDelete: new Set(['roads']) } }))
      expect(plan.changes[0]?.takes?.referrers).toEqual([
        {
          id: expect.any(Number),
          key: 'their_map',
          cls: 'webmap',
          path: ['Main', 'Their map'],
          loses: ['bookmark_resource', '"All roads"'],
          refuses: false,
        },
      ])
      expect(plan.issues.map(({ code, message, hint }) => [code, message, hint])).toEqual([
        [
          'plan/referenced',
          'deleting "roads" would remove bookmark_resource, "All roads" from "their_map" (webmap)',
          'If the loss is intended, use --allow-loss their_map.',
        ],
      ])
      const named = planOf(one({ options: { allowLoss: new Set(['their_map']) } }))
      expect(codesOf(named)).toEqual([])
      expect(named.changes[0]?.takes?.referrers).toHaveLength(1)
    })

    it('except those that are deleted too, or removed by the plan', () => {
      expect(codesOf(planOf(one({ rows: [...rows, mapRow({ manager: 'test' })] })))).toEqual([])
      const blocks: Case['blocks'] = {
        their_map: {
          cls: 'webmap',
          displayName: 'Their map',
          members: { webmap: { bookmark_resource: null, root_item: { item_type: 'root', children: [] } } },
        },
      }
      expect(codesOf(planOf(one({ blocks })))).toEqual([])
      // The block leaves the layers of the map to others.
      const silent = { their_map: { cls: 'webmap', displayName: 'Their map' } } as const
      expect(codesOf(planOf(one({ blocks: silent })))).toEqual(['plan/referenced'])
    })

    it('and references that prevent the deletion, which no option allows', () => {
      const field = { id: 5, keyname: 'kind', lookup_table: { id: 1 } }
      const layer: Row = {
        id: 2,
        key: 'streets',
        cls: 'vector_layer',
        manager: 'other',
        members: { feature_layer: { fields: [field] } },
      }
      const plan = planOf({
        blocks: {},
        rows: [{ id: 1, key: 'kinds', cls: 'lookup_table' }, layer],
        options: { ...prune, allowDelete: new Set(['kinds']), allowLoss: new Set(['streets']) },
      })
      expect(plan.issues.map(({ message }) => message)).toEqual([
        'cannot delete "kinds": "streets" (vector_layer) uses it in "kind"',
      ])
    })

    it('also to replaced resources, if the whole tree can be read', () => {
      const layer = (srs: number) => ({ vector_layer: { srs: { id: srs }, geometry_type: 'POINT' } })
      const anew: Case = {
        blocks: { roads: { cls: 'vector_layer', members: layer(4326) } },
        rows: [{ id: 1, key: 'roads', cls: 'vector_layer', members: layer(3857) }, mapRow()],
        counts: new Map([[1, 0]]),
        options: { replace: new Set(['roads']) },
      }
      expect(codesOf(planOf(anew))).toEqual(['plan/referenced'])
      expect(planOf(anew).changes[0]?.takes?.referrers?.[0]?.loses).toEqual(['bookmark_resource'])
      const half = { complete: false, administrator: false }
      expect(codesOf(planOf({ ...anew, head: half }))).toContain('plan/incomplete')
    })
  })

  it('deletes the referrers of a resource first', () => {
    const rows = [
      { id: 1, key: 'table', cls: 'lookup_table' as const },
      {
        id: 2,
        key: 'layer',
        cls: 'vector_layer' as const,
        members: { feature_layer: { fields: [{ id: 5, keyname: 'x', lookup_table: { id: 1 } }] } },
      },
    ]
    const plan = planOf({ blocks: {}, rows, options: prune, counts: new Map([[2, 0]]) })
    expect(plan.steps.find(({ id }) => id === 'delete:table')?.after).toEqual(['delete:layer'])
  })
})
