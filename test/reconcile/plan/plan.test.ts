import { describe, expect, it } from 'vitest'
import { formatSource } from '../../../src/contract/markers.ts'
import { codesOf, planningOf, planOf, recordOf, ruleOf, tell } from '../support/literals.ts'

describe('identity', () => {
  it('finds a resource by its key, and does not change it if it matches the manifest', () => {
    const plan = planOf({ blocks: { a: {} }, rows: [{ id: 1, key: 'a' }] })
    expect(tell(plan)).toEqual([])
    expect(plan.unchanged).toBe(2)
  })

  it('creates missing resources', () => {
    const plan = planOf({ blocks: { a: {}, b: { parent: 'a' } }, rows: [] })
    expect(tell(plan)).toEqual(['create a', 'create b'])
    expect(plan.changes[1]?.path).toEqual(['Main', 'a', 'b'])
    expect(plan.changes[1]?.body).toEqual({
      resource: { cls: 'resource_group', parent: 'a', keyname: 'b', display_name: 'b' },
      resmeta: { items: { 'landform.manager': 'test/0', ...recordOf('display_name parent') } },
    })
  })

  it('finds a resource by its old key, and changes the key', () => {
    const plan = planOf({
      blocks: { b: { was: 'a', displayName: 'A' } },
      rows: [{ id: 1, key: 'a', name: 'A' }],
    })
    expect(tell(plan)).toEqual(['update b /keyname'])
    expect(plan.changes[0]?.body).toEqual({
      resource: { keyname: 'b' },
      resmeta: { items: recordOf('display_name parent') },
    })
  })

  it('reports that an old key is obsolete', () => {
    const plan = planOf({ blocks: { b: { was: 'a' } }, rows: [{ id: 1, key: 'b' }] })
    expect(codesOf(plan)).toEqual(['(plan/spent)'])
  })

  it('finds a resource by its id', () => {
    const plan = planOf({ blocks: { b: { id: 1, displayName: 'A' } }, rows: [{ id: 1, name: 'A' }] })
    expect(tell(plan)).toEqual(['update b /keyname'])
  })

  it('refuses a key and an id of different resources', () => {
    const plan = planOf({
      blocks: { b: { id: 1 } },
      rows: [
        { id: 1, manager: null },
        { id: 2, key: 'b' },
      ],
    })
    expect(codesOf(plan)).toEqual(['plan/ambiguous'])
  })

  it('finds a resource without a key by parent, class and display name', () => {
    const rows = [
      { id: 1, name: 'A', manager: null },
      { id: 2, parent: 1, name: 'B', manager: null },
    ]
    const plan = planOf({ blocks: { a: { displayName: 'A' }, b: { parent: 'a', displayName: 'B' } }, rows })
    expect(tell(plan)).toEqual(['update a /keyname', 'update b /keyname'])
  })

  it('reports a possible rename of a resource that this manifest manages under another key', () => {
    const plan = planOf({
      blocks: { new: { displayName: 'A' } },
      rows: [{ id: 1, key: 'old', name: 'A' }],
      options: { prune: true },
    })
    expect(codesOf(plan)).toContain('plan/renamed')
    expect(plan.issues[0]?.hint).toBe('If it was renamed, add was: old.')
  })

  it('refuses two blocks for the same resource', () => {
    const plan = planOf({ blocks: { a: {}, b: { id: 1 } }, rows: [{ id: 1, key: 'a' }] })
    expect(codesOf(plan)).toEqual(['plan/ambiguous'])
  })

  it('reports a missing existing resource', () => {
    const plan = planOf({ blocks: { x: { existing: true }, y: { existing: true, id: 9 } }, rows: [] })
    expect(plan.issues.map(({ message }) => message)).toEqual([
      'the server has no resource with keyname "x"',
      'the server has no resource with id 9',
    ])
  })

  it('refuses a key of a resource of another class, unless replacement is allowed', () => {
    const one = { blocks: { a: { cls: 'webmap' as const } }, rows: [{ id: 1, key: 'a' }] }
    expect(codesOf(planOf(one))).toEqual(['plan/replace'])
    expect(codesOf(planOf({ ...one, rows: [{ id: 1, key: 'a', manager: null }] }))).toEqual([
      'plan/wrong-class',
    ])
    expect(tell(planOf({ ...one, options: { replace: new Set(['a']) } }))).toEqual(['replace a'])
  })
})

describe('ownership', () => {
  it('adopts an unmanaged resource by setting its marker only', () => {
    const plan = planOf({ blocks: { a: {} }, rows: [{ id: 1, key: 'a', manager: null }] })
    expect(tell(plan)).toEqual(['adopt a'])
    expect(plan.changes[0]?.body).toEqual({
      resmeta: { items: { 'landform.manager': 'test/1', ...recordOf('display_name parent') } },
    })
  })

  it('ignores a marker that was copied from another resource', () => {
    const meta = { 'landform.manager': 'other/77' }
    const plan = planOf({ blocks: { a: {} }, rows: [{ id: 1, key: 'a', manager: null, meta }] })
    expect(tell(plan)).toEqual(['adopt a'])
  })

  it('does not change resources of another manifest, unless adopted', () => {
    const one = { blocks: { a: { displayName: 'X' } }, rows: [{ id: 1, key: 'a', manager: 'other' }] }
    expect(codesOf(planOf(one))).toEqual(['plan/foreign'])
    expect(tell(planOf(one))).toEqual([])
    const adopted = planOf({ ...one, options: { adopt: true } })
    expect(tell(adopted)).toEqual(['update a /display_name'])
    expect(adopted.changes[0]?.adopts).toBe(true)
  })

  it('moves what it takes over from another parent', () => {
    const plan = planOf({
      blocks: { a: { parent: 'b' }, b: {} },
      rows: [
        { id: 1, key: 'a', manager: null },
        { id: 2, key: 'b' },
      ],
    })
    expect(tell(plan)).toEqual(['move a /parent'])
    expect(plan.changes[0]?.adopts).toBe(true)
  })

  it('does not mark, move or rename existing resources', () => {
    const rows = [
      { id: 1, key: 'a', name: 'Elsewhere', parent: 2, manager: 'other' },
      { id: 2, key: 'b' },
    ]
    const plan = planOf({ blocks: { a: { existing: true, parent: 'root' } }, rows })
    expect(tell(plan)).toEqual([])
  })

  it('changes only the written fields of an existing resource', () => {
    const rows = [{ id: 1, key: 'a', meta: { x: 1, y: 2 }, manager: 'other' }]
    const plan = planOf({ blocks: { a: { existing: true, resmeta: { x: 3 } } }, rows })
    expect(plan.changes[0]?.body).toEqual({
      resmeta: { items: { x: 3, 'landform.fields.test': expect.stringMatching(/^1 resmeta\/\S+$/) } },
    })
  })

  it('sets and removes protection', () => {
    expect(tell(planOf({ blocks: { a: { protect: true } }, rows: [{ id: 1, key: 'a' }] }))).toEqual([
      'update a /protect',
    ])
    const rows = [{ id: 1, key: 'a', meta: { 'landform.protect': true } }]
    const plan = planOf({ blocks: { a: {} }, rows })
    expect(plan.changes[0]?.body).toEqual({
      resmeta: { items: { 'landform.protect': null, ...recordOf('display_name parent') } },
    })
  })
})

describe('fields', () => {
  it('compares names, descriptions and positions', () => {
    const plan = planOf({
      blocks: { a: {}, b: { parent: 'a', displayName: 'New', description: null } },
      rows: [
        { id: 1, key: 'a' },
        { id: 2, key: 'b', name: 'Old', description: 'x' },
      ],
    })
    expect(tell(plan)).toEqual(['move b /display_name', 'move b /description', 'move b /parent'])
    expect(plan.changes[0]?.edits.at(-1)).toEqual({ pointer: '/parent', from: 'root', to: 'a' })
  })

  it('removes metadata that was removed from the manifest, and keeps it if the manifest has none', () => {
    const rows = [{ id: 1, key: 'a', meta: { x: 1, y: 2 } }]
    expect(planOf({ blocks: { a: { resmeta: { x: 1 } } }, rows }).changes[0]?.body).toEqual({
      resmeta: { items: { y: null, ...recordOf('display_name parent resmeta') } },
    })
    expect(tell(planOf({ blocks: { a: {} }, rows }))).toEqual([])
  })

  it('distinguishes metadata values by type', () => {
    const plan = planOf({
      blocks: { a: { resmeta: { x: '1' } } },
      rows: [{ id: 1, key: 'a', meta: { x: 1 } }],
    })
    expect(plan.changes[0]?.edits).toEqual([{ pointer: '/resmeta/x', from: 1, to: '1' }])
  })

  it('treats unreadable values as unknown, never as empty', () => {
    const rows = [
      { id: 1, key: 'a', cls: 'vector_layer' as const, members: { vector_layer: {}, feature_layer: {} } },
    ]
    const fields = [{ keyname: 'x', datatype: 'STRING' }]
    const blocks = { a: { cls: 'vector_layer' as const, members: { feature_layer: { fields } } } }
    const plan = planOf({ blocks, rows })
    expect(tell(plan)).toEqual([])
    expect(codesOf(plan)).toEqual(['(plan/unknown)'])
  })
})

describe('permissions', () => {
  const guest = {
    action: 'allow',
    principal: { id: 1 },
    identity: '',
    scope: 'resource',
    permission: 'read',
    propagate: false,
  }
  const admin = { ...guest, principal: { id: 5 }, propagate: true }

  it('compares rules as sets', () => {
    const rules = [ruleOf('group:administrators', { propagate: true }), ruleOf('guest')]
    const plan = planOf({
      blocks: { a: { permissions: { owns: 'all', rules } } },
      rows: [{ id: 1, key: 'a', rules: [guest, admin] }],
    })
    expect(tell(plan)).toEqual([])
  })

  it('removes other rules if the manifest has the full list', () => {
    const plan = planOf({
      blocks: { a: { permissions: { owns: 'all', rules: [ruleOf('guest')] } } },
      rows: [{ id: 1, key: 'a', rules: [guest, admin] }],
    })
    expect(plan.changes[0]?.edits).toEqual([
      { pointer: '/permissions', from: 'allow group:administrators resource.read, and below' },
    ])
    expect(plan.changes[0]?.body.resource?.permissions).toEqual([ruleOf('user:guest')])
  })

  it('keeps other rules with include, and does not overwrite concurrent changes', () => {
    const plan = planOf({
      blocks: { root: { existing: true, id: 0, permissions: { owns: 'listed', rules: [ruleOf('guest')] } } },
      rows: [],
    })
    expect(plan.changes[0]?.ifVersion).toBe(1)
    const again = planOf({
      blocks: { a: { permissions: { owns: 'listed', rules: [ruleOf('guest')] } } },
      rows: [{ id: 1, key: 'a', rules: [guest, admin] }],
    })
    expect(tell(again)).toEqual([])
  })

  it('refuses names that are unknown or ambiguous', () => {
    const rules = [ruleOf('gest'), ruleOf('editors'), ruleOf('group:surveyors'), ruleOf('surveyors')]
    const plan = planOf({ blocks: { a: { permissions: { owns: 'all', rules } } }, rows: [] })
    expect(plan.issues.map(({ message, hint }) => [message, hint])).toEqual([
      ['unknown user or group "gest"', 'did you mean "guest"?'],
      ['"editors" is both a user and a group', 'Write user:editors or group:editors.'],
      ['unknown user or group "group:surveyors"', 'Create it with landform group create surveyors.'],
      [
        'unknown user or group "surveyors"',
        'Create it with landform user create surveyors or landform group create surveyors.',
      ],
    ])
  })
})

describe('replacement', () => {
  const layer = (srs: number, type = 'POINT') => ({ vector_layer: { srs: { id: srs }, geometry_type: type } })
  const blocks = {
    a: { cls: 'vector_layer' as const, members: layer(4326) },
    s: { cls: 'mapsrv_style' as const, parent: 'a', members: { mapsrv_style: { xml: '<map/>' } } },
    m: {
      cls: 'webmap' as const,
      members: {
        webmap: {
          root_item: {
            item_type: 'root',
            children: [{ item_type: 'layer', display_name: 'L', layer_style_id: 's' }],
          },
        },
      },
    },
  }
  const rows = [
    { id: 1, key: 'a', cls: 'vector_layer' as const, members: layer(3857) },
    {
      id: 2,
      key: 's',
      cls: 'mapsrv_style' as const,
      parent: 1,
      members: { mapsrv_style: { xml: '<map></map>' } },
    },
    {
      id: 3,
      key: 'm',
      cls: 'webmap' as const,
      members: {
        webmap: {
          root_item: {
            item_type: 'root',
            children: [{ item_type: 'layer', display_name: 'L', layer_style_id: 2 }],
          },
        },
      },
    },
  ]

  it('is refused with a hint', () => {
    const plan = planOf({ blocks, rows })
    expect(codesOf(plan)).toEqual(['plan/replace'])
    expect(plan.issues[0]?.hint).toContain('--replace a')
  })

  it('is refused if it deletes features, until it is named', () => {
    const anew = (count: number | null, allowed: readonly string[] = []) =>
      planOf({
        blocks,
        rows,
        counts: new Map([[1, count]]),
        options: { replace: new Set(['a']), allowDelete: new Set(allowed) },
      }).issues.map(({ message, hint }) => [message, hint])
    const hint = 'If the deletion is intended, use --allow-delete a.'
    expect(anew(0)).toEqual([])
    expect(anew(300)).toEqual([['replacing "a" would delete 300 features', hint]])
    expect(anew(null)).toEqual([['replacing "a" would delete an unknown number of features', hint]])
    expect(anew(300, ['a'])).toEqual([])
  })

  it('does not need a name for features that are loaded again', () => {
    const file = { sha256: 'a'.repeat(64), sizeBytes: 10 }
    const data = { path: '/x/a.geojson', source: 'a.geojson', options: {} }
    const loaded = (version: number) =>
      codesOf(
        planOf({
          blocks: { a: { cls: 'vector_layer', members: layer(4326), data } },
          rows: [
            {
              id: 1,
              key: 'a',
              cls: 'vector_layer',
              meta: { 'landform.source': formatSource({ digest: 'b'.repeat(64), version: 3 }) },
              members: { vector_layer: { ...layer(3857).vector_layer, data_version: version } },
            },
          ],
          files: new Map([['a', file]]),
          loads: new Map([['a', null]]),
          counts: new Map([[1, 300]]),
          options: { replace: new Set(['a']) },
        }),
      )
    expect(loaded(3)).toEqual([])
    expect(loaded(4)).toEqual(['plan/fuse'])
  })

  it('recreates the descendants, and repairs the references', () => {
    const { plan, uncounted } = planningOf({ blocks, rows, options: { replace: new Set(['a']) } })
    expect(uncounted).toEqual([1])
    expect(plan.changes.map(({ action, key }) => `${action} ${key}`)).toEqual([
      'replace a',
      'replace s',
      'update m',
    ])
    const after = Object.fromEntries(plan.steps.map(({ id, after: before }) => [id, before]))
    expect(after).toEqual({
      'write:a': ['delete:a'],
      'delete:a': [],
      'write:s': ['write:a', 'delete:a'],
      'write:m': ['write:s'],
    })
  })
})
