import { expect, test } from 'vitest'
import { withOwnId } from '../../../src/contract/field_marks.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { type Block, planOf } from '../support/literals.ts'

const only = (...keys: readonly string[]) => ({ only: new Set(keys) })

/** Actions by key. */
const actionsOf = (plan: ReturnType<typeof planOf>) =>
  Object.fromEntries(plan.changes.map(({ key, action }) => [key, action]))

const map = (style: string): Block => ({
  cls: 'webmap',
  members: {
    webmap: {
      root_item: {
        item_type: 'root',
        children: [{ item_type: 'layer', display_name: 'Layer', layer_style_id: style }],
      },
    },
  },
})

test('plans the named resources alone, and no other issues', () => {
  const plan = planOf({
    blocks: { a: { description: 'new' }, b: { description: 'new' }, c: { cls: 'webmap' } },
    rows: [
      { id: 1, key: 'a' },
      { id: 2, key: 'b' },
      { id: 3, key: 'c' },
      { id: 4, key: 'gone' },
    ],
    options: only('a'),
  })
  expect(actionsOf(plan)).toEqual({ a: 'update' })
  expect([plan.only, plan.issues, plan.unchanged]).toEqual([['a'], [], 0])
})

test('creates parents and resources that they refer to, if they are missing', () => {
  const blocks: Record<string, Block> = {
    town: {},
    old: {},
    lots: {
      cls: 'vector_layer',
      parent: 'old',
      members: { vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } } },
    },
    style: {
      cls: 'mapsrv_style',
      parent: 'lots',
      members: { mapsrv_style: { xml: '<map><layer><class/></layer></map>' } },
    },
    map: { ...map('style'), parent: 'town' },
    other: { parent: 'town' },
  }
  const plan = planOf({ blocks, rows: [{ id: 1, key: 'old', name: 'Other' }], options: only('map') })
  expect(actionsOf(plan)).toEqual({ town: 'create', lots: 'create', style: 'create', map: 'create' })
  const after = plan.steps.find(({ change }) => change.key === 'map')?.after
  expect(after).toEqual(expect.arrayContaining(['write:town', 'write:style']))
})

test('deletes only resources that it names, after what moves out of them', () => {
  const request = {
    blocks: { target: {}, moved: { parent: 'target' }, other: { description: 'new' } },
    rows: [
      { id: 1, key: 'target' },
      { id: 2, key: 'gone' },
      { id: 3, key: 'moved', parent: 2 },
      { id: 4, key: 'also_gone' },
      { id: 5, key: 'other' },
    ],
    options: { prune: true, fuse: 1, ...only('gone') },
  }
  const plan = planOf(request)
  expect(actionsOf(plan)).toEqual({ moved: 'move', gone: 'delete' })
  expect(plan.changes.find(({ key }) => key === 'gone')?.takes?.resources).toBe(0)
})

test('creates what is below a replaced resource again', () => {
  const plan = planOf({
    blocks: {
      lots: {
        cls: 'vector_layer',
        members: { vector_layer: { geometry_type: 'POLYGON', srs: { id: 3857 } } },
      },
      style: {
        cls: 'mapsrv_style',
        parent: 'lots',
        members: { mapsrv_style: { xml: '<map><layer><class/></layer></map>' } },
      },
      other: { description: 'new' },
    },
    rows: [
      {
        id: 1,
        key: 'lots',
        cls: 'vector_layer',
        members: { vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } } },
      },
      {
        id: 2,
        key: 'style',
        cls: 'mapsrv_style',
        parent: 1,
        members: { mapsrv_style: { xml: '<map><layer><class/></layer></map>' } },
      },
      { id: 3, key: 'other' },
    ],
    counts: new Map([[1, 0]]),
    options: { replace: new Set(['lots']), ...only('lots') },
  })
  expect(actionsOf(plan)).toEqual({ lots: 'replace', style: 'replace' })
})

test('refuses a name that another resource frees only in the whole plan', () => {
  const swap = {
    blocks: { a: { displayName: 'B' }, b: { displayName: 'A' } },
    rows: [
      { id: 1, key: 'a', name: 'A' },
      { id: 2, key: 'b', name: 'B' },
    ],
  }
  expect(planOf({ ...swap, options: {} }).issues).toEqual([])
  const [issue] = planOf({ ...swap, options: only('a') }).issues
  expect(issue).toMatchObject({ severity: 'error', message: expect.stringContaining('"B"') })
})

test('records what refers to a renamed key again, although the plan leaves it out', () => {
  const created = planOf({ blocks: { box: {}, inner: { parent: 'box' } }, rows: [{ id: 1, key: 'box' }] })
  const itemsOf = ({ changes }: Plan) =>
    changes.find(({ key }) => key === 'inner')?.body.resmeta?.items as Record<string, string>
  const meta = withOwnId(itemsOf(created), 2)
  const row = { id: 2, key: 'inner', parent: 1, meta }
  const blocks = {
    new_box: { was: 'box', displayName: 'box' },
    inner: { parent: 'new_box', description: 'new' },
  }
  const plan = planOf({ blocks, rows: [{ id: 1, key: 'box' }, row], options: only('new_box') })
  expect(actionsOf(plan)).toEqual({ new_box: 'update', inner: 'adopt' })
  const { edits, records } = plan.changes.find(({ key }) => key === 'inner') ?? {}
  expect([edits, records]).toEqual([[], { gained: [], lost: [], renamed: true }])
  // Moved by hand afterwards; the description, which the plan has left out, is not recorded.
  const moved = { ...row, parent: 0, meta: { ...meta, ...itemsOf(plan) } }
  const again = planOf({ blocks, rows: [{ id: 1, key: 'new_box', name: 'box' }, moved] })
  const found = again.changes.flatMap((change) => change.edits.map((edit) => [edit.pointer, edit.origin]))
  expect(found).toEqual([
    ['/description', undefined],
    ['/parent', 'server'],
  ])
})
