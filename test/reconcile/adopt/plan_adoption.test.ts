import { describe, expect, it } from 'vitest'
import { listDifferences } from '../../../src/reconcile/adopt/check_unchanged.ts'
import { planAdoption } from '../../../src/reconcile/adopt/plan_adoption.ts'
import { type Block, manifestOf, type Row, recordOf, treeOf } from '../support/literals.ts'

function adopt(blocks: Readonly<Record<string, Block>>, rows: readonly Row[], from: readonly string[] = []) {
  const manifest = manifestOf(blocks)
  const actual = treeOf(rows)
  const { changes, issues, unchanged, unknown } = planAdoption({
    manifest,
    actual,
    server: 'http://test',
    from: new Set(from),
    sources: new Map(),
  })
  const shown = changes.map(({ key, action, edits, body }) => [key, action, edits, body] as const)
  return { shown, issues, unchanged, unknown }
}

const itemsOf = (marker: string, fields = 'display_name parent') => ({
  resmeta: { items: { 'landform.manager': marker, ...recordOf(fields) } },
})

describe('planAdoption', () => {
  it('plans marks without the differences, and records only the blocks that are the same', () => {
    const block = {
      displayName: 'New name',
      description: 'Same',
      permissions: { owns: 'all', rules: [] },
    } as const
    const { shown } = adopt({ a: block }, [
      { id: 1, key: 'a', name: 'Old', description: 'Same', manager: null },
    ])
    expect(shown).toEqual([['a', 'adopt', [], itemsOf('test/1', 'description parent permissions')]])
    const { shown: other } = adopt({ a: block }, [{ id: 1, key: 'a', description: 'Other', manager: null }])
    expect(other).toEqual([['a', 'adopt', [], itemsOf('test/1', 'parent permissions')]])
  })

  it('plans neither moves, creations, protection nor deletions', () => {
    const rows: Row[] = [
      { id: 1, key: 'a', manager: null },
      { id: 2, key: 'b', manager: null },
      { id: 3, key: 'gone' },
    ]
    const { shown } = adopt({ a: { parent: 'b', protect: true }, b: {}, c: {} }, rows)
    expect(shown.map(([key, , edits]) => [key, edits])).toEqual([
      ['a', []],
      ['b', []],
    ])
  })

  it('sets keynames of resources found by place, by id and by was', () => {
    const rows: Row[] = [
      { id: 1, name: 'a', manager: null },
      { id: 2, key: 'x', manager: null },
      { id: 3, key: 'old', manager: 'test' },
    ]
    const { shown } = adopt({ a: {}, b: { id: 2 }, c: { was: 'old' } }, rows)
    expect(shown.map(([key, action, edits]) => [key, action, edits[0]?.from, edits[0]?.to])).toEqual([
      ['b', 'update', 'x', 'b'],
      ['c', 'update', 'old', 'c'],
      ['a', 'update', null, 'a'],
    ])
  })

  it('refuses other classes, and resources of other manifests that are not named', () => {
    const rows: Row[] = [
      { id: 1, key: 'a', cls: 'webmap', manager: null },
      { id: 2, key: 'b', manager: 'city' },
    ]
    expect(adopt({ a: {}, b: {} }, rows).issues.map(({ code }) => code)).toEqual([
      'plan/wrong-class',
      'plan/foreign',
    ])
    expect(adopt({ b: {} }, rows, ['city']).shown).toEqual([['b', 'adopt', [], itemsOf('test/2')]])
  })

  it('cannot mark what the account cannot read', () => {
    const { unknown, shown } = adopt({ a: {} }, [{ id: 1, key: 'a', manager: null, hidden: ['resmeta'] }])
    expect([unknown.map(({ key }) => key), shown]).toEqual([['a'], []])
  })

  it('plans nothing for resources that the manifest manages', () => {
    expect(adopt({ a: { description: 'New' } }, [{ id: 1, key: 'a' }])).toMatchObject({
      shown: [],
      unchanged: 1,
    })
  })
})

describe('listDifferences', () => {
  const before = treeOf([
    { id: 1, manager: null, meta: { owner: 'A' } },
    { id: 2, key: 'b' },
  ]).byId
  const compare = (...rows: readonly Row[]) =>
    listDifferences(before, treeOf(rows).byId, new Set([1])).map(
      ({ key, part, kind }) => `${key} ${part} ${kind}`,
    )

  it('permits keynames, marks and versions of marked resources', () => {
    expect(
      compare({ id: 1, key: 'a', name: '#1', version: 2, meta: { owner: 'A' } }, { id: 2, key: 'b' }),
    ).toEqual([])
  })

  it('reports everything else, with its place', () => {
    const changed: Row = { id: 1, key: 'a', name: 'Other', meta: { owner: 'B' } }
    expect(compare(changed, { id: 2, key: 'c', version: 2 }, { id: 3, key: 'new' })).toEqual([
      'a resource.display_name changed',
      'a resmeta.items.owner changed',
      'c resource.keyname changed',
      'c resource.display_name changed',
      'c resource.version changed',
      'new  appeared',
    ])
    expect(compare({ id: 1, name: '#1', manager: null, meta: { owner: 'A' } })).toEqual(['b  disappeared'])
  })
})
