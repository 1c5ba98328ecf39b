import { describe, expect, it } from 'vitest'
import { formatKeyRecord } from '../../../src/contract/markers.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { temporaryKey } from '../../../src/reconcile/plan/match/renamed_keys.ts'
import { type Block, codesOf, planOf, type Row, tell } from '../support/literals.ts'

const renamed = (id: number, key: string, was?: string) => ({
  'landform.key': formatKeyRecord(id, was === undefined ? { key } : { key, was }),
})

/** Groups with the ids and display names 1, 2, …, which have these keys on the server. */
const rowsOf = (...keys: readonly string[]): Row[] =>
  keys.map((key, at) => ({ id: at + 1, key, name: String(at + 1) }))

/** Blocks of the group with an id. */
const blockOf = (id: number, was?: string): Block => ({
  displayName: String(id),
  ...(was === undefined ? {} : { was }),
})

/** The keys that a plan gives to resources, by id. */
const keysOf = ({ ids }: Plan) =>
  Object.fromEntries([...ids].filter(([key]) => key !== 'root').map(([key, id]) => [id, key]))

const swapped = { a: blockOf(2, 'b'), b: blockOf(1, 'a') }

describe('a rename of keys', () => {
  it.each<[string, Readonly<Record<string, Block>>, Row[], Record<number, string>]>([
    ['swaps two keys', swapped, rowsOf('a', 'b'), { 1: 'b', 2: 'a' }],
    [
      'rotates three keys',
      { a: blockOf(3, 'c'), b: blockOf(1, 'a'), c: blockOf(2, 'b') },
      rowsOf('a', 'b', 'c'),
      { 1: 'b', 2: 'c', 3: 'a' },
    ],
    [
      'moves keys along a chain',
      { b: blockOf(1, 'a'), c: blockOf(2, 'b') },
      rowsOf('a', 'b'),
      { 1: 'b', 2: 'c' },
    ],
  ])('%s', (_, blocks, rows, keys) => {
    const plan = planOf({ blocks, rows })
    expect([codesOf(plan), keysOf(plan)]).toEqual([[], keys])
    expect(tell(plan)).toEqual(Object.keys(blocks).map((key) => `update ${key} /keyname`))
  })

  it('creates a resource with a key that another one leaves', () => {
    const plan = planOf({ blocks: { a: blockOf(9), b: blockOf(1, 'a') }, rows: rowsOf('a') })
    expect([codesOf(plan), tell(plan)]).toEqual([[], ['create a', 'update b /keyname']])
    expect(plan.steps.find(({ id }) => id === 'write:a')?.after).toEqual(['write:b'])
    expect(plan.changes.map(({ body }) => body.resmeta?.items)).toEqual([
      expect.objectContaining(renamed(0, 'a')),
      expect.objectContaining(renamed(1, 'b', 'a')),
    ])
  })

  it('breaks a cycle with a temporary keyname, and records the former keys', () => {
    const plan = planOf({ blocks: swapped, rows: rowsOf('a', 'b') })
    expect(plan.steps.map(({ id, after, temporaryKey: key }) => [id, after, key])).toEqual([
      ['write:a', ['write:b', 'rename:a'], undefined],
      ['write:b', ['rename:a'], undefined],
      ['rename:a', [], 'landform-2-a'],
    ])
    expect(plan.changes.map(({ body }) => body.resmeta?.items)).toEqual([
      expect.objectContaining(renamed(2, 'a', 'b')),
      expect.objectContaining(renamed(1, 'b', 'a')),
    ])
  })

  it('is not made again once it is recorded', () => {
    const rows = [
      { id: 1, key: 'b', name: '1', meta: renamed(1, 'b', 'a') },
      { id: 2, key: 'a', name: '2', meta: renamed(2, 'a', 'b') },
    ]
    const plan = planOf({ blocks: swapped, rows })
    expect([codesOf(plan), tell(plan)]).toEqual([['(plan/spent)', '(plan/spent)'], []])
    expect(plan.issues[0]?.message).toBe('"a" already has its new key; was: "b" has no effect')
  })

  it('is not made again if one of its records is lost, which is written again', () => {
    const rows = [
      { id: 1, key: 'b', name: '1', meta: renamed(1, 'b', 'a') },
      { id: 2, key: 'a', name: '2' },
    ]
    const plan = planOf({ blocks: swapped, rows })
    expect(keysOf(plan)).toEqual({ 1: 'b', 2: 'a' })
    expect(plan.changes.map(({ action, key, records }) => [action, key, records?.key])).toEqual([
      ['adopt', 'a', 'written'],
    ])
  })

  it('is not made on resources that were created with the new keys', () => {
    const created = planOf({ blocks: swapped, rows: [] })
    const rows = created.changes.map(({ key, body }, at): Row => {
      const items = body.resmeta?.items as Record<string, string>
      const meta = { 'landform.key': items['landform.key']?.replace('0', String(at + 1)) ?? '' }
      return { id: at + 1, key, name: key === 'a' ? '2' : '1', meta }
    })
    expect(tell(planOf({ blocks: swapped, rows }))).toEqual([])
  })

  it.each<[string, Readonly<Record<string, Block>>, Row[]]>([
    [
      'two keys',
      { a: blockOf(1, 'b'), b: blockOf(2, 'a') },
      [
        { id: 1, key: 'b', name: '1', meta: renamed(1, 'b', 'a') },
        { id: 2, key: 'a', name: '2', meta: renamed(2, 'a', 'b') },
      ],
    ],
    [
      'two keys of different classes',
      { a: blockOf(1, 'b'), b: { ...blockOf(2, 'a'), cls: 'lookup_table' } },
      [
        { id: 1, key: 'b', name: '1', meta: renamed(1, 'b', 'a') },
        { id: 2, key: 'a', name: '2', cls: 'lookup_table', meta: renamed(2, 'a', 'b') },
      ],
    ],
    [
      'three keys',
      // The content of each moves on once more.
      { a: blockOf(2, 'c'), b: blockOf(3, 'a'), c: blockOf(1, 'b') },
      [
        { id: 1, key: 'b', name: '1', meta: renamed(1, 'b', 'a') },
        { id: 2, key: 'c', name: '2', meta: renamed(2, 'c', 'b') },
        { id: 3, key: 'a', name: '3', meta: renamed(3, 'a', 'c') },
      ],
    ],
  ])('is not taken for edits of the resources if the content of %s moves again', (_, blocks, rows) => {
    const { issues } = planOf({ blocks, rows })
    const found = issues.find(({ code }) => code === 'plan/ambiguous')
    expect(found?.severity).toBe('error')
    for (const { id, key } of rows) expect(found?.message).toContain(`"${key}" (resource ${id})`)
    expect(found?.hint).toContain('apply the manifest as it was before, without was: of')
  })

  it('is complete for edits of both resources that make neither the other', () => {
    const rows = [
      { id: 1, key: 'b', name: '1', meta: renamed(1, 'b', 'a') },
      { id: 2, key: 'a', name: '2', meta: renamed(2, 'a', 'b') },
    ]
    const described = { a: { ...swapped.a, description: 'A' }, b: { ...swapped.b, description: 'B' } }
    const plan = planOf({ blocks: described, rows })
    expect([codesOf(plan), tell(plan)]).toEqual([
      ['(plan/spent)', '(plan/spent)'],
      ['update a /description', 'update b /description'],
    ])
  })

  it('forgets the former keys without was:, so that the keys can be swapped again', () => {
    const rows = [
      { id: 1, key: 'b', name: '1', meta: renamed(1, 'b', 'a') },
      { id: 2, key: 'a', name: '2', meta: renamed(2, 'a', 'b') },
    ]
    const plan = planOf({ blocks: { a: blockOf(2), b: blockOf(1) }, rows })
    expect(plan.changes.map(({ action, key, records }) => [action, key, records])).toEqual([
      ['adopt', 'a', { gained: [], lost: [], key: 'removed' }],
      ['adopt', 'b', { gained: [], lost: [], key: 'removed' }],
    ])
    expect(plan.changes[0]?.body).toEqual({ resmeta: { items: { 'landform.key': null } } })
  })

  it('is made again if somebody has given the keynames back', () => {
    const rows = [
      { id: 1, key: 'a', name: '1', meta: renamed(1, 'b', 'a') },
      { id: 2, key: 'b', name: '2', meta: renamed(2, 'a', 'b') },
    ]
    expect(tell(planOf({ blocks: swapped, rows }))).toEqual(['update a /keyname', 'update b /keyname'])
  })

  it.each([
    ['another manifest manages one of them', { manager: 'other' }, 'Remove was: and apply'],
    ['the account cannot read the record of one of them', { hidden: ['resmeta'] }, 'Use an account that'],
  ])('is an error in a cycle if %s', (_, more, hint) => {
    const [one, other] = rowsOf('a', 'b')
    const plan = planOf({
      blocks: swapped,
      rows: [{ ...one, ...more } as Row, other as Row],
      options: { adopt: true },
    })
    expect(codesOf(plan)).toContain('plan/ambiguous')
    expect(keysOf(plan)).toEqual({ 1: 'a', 2: 'b' })
    expect(plan.issues.find(({ code }) => code === 'plan/ambiguous')?.hint).toContain(hint)
  })

  it('does not rename a resource again if the one that left its key is deleted on the server', () => {
    const rows = [{ id: 1, key: 'b', name: '1', meta: renamed(1, 'b', 'a') }]
    const blocks = { a: blockOf(9), b: blockOf(1, 'a'), c: blockOf(2, 'b') }
    const plan = planOf({ blocks, rows })
    expect([codesOf(plan), keysOf(plan)]).toEqual([['(plan/spent)', 'plan/ambiguous'], { 1: 'b' }])
    expect(plan.issues[1]?.message).toBe(
      'no resource has the key "c", and resource 1, whose key is "b", is recorded as that of "b"',
    )
    expect(plan.issues[1]?.hint).toBe(
      'To create "c", remove its was:. If resource 1 becomes "c", remove was: of "b" instead.',
    )
  })

  it('continues after an interruption that left a temporary keyname', () => {
    const rows = [
      { id: 1, key: temporaryKey(1, 'b'), name: '1' },
      { id: 2, key: 'b', name: '2' },
    ]
    const plan = planOf({ blocks: swapped, rows })
    expect([codesOf(plan), keysOf(plan)]).toEqual([['(plan/spent)'], { 1: 'b', 2: 'a' }])
    expect(plan.steps.find(({ id }) => id === 'write:b')?.after).toEqual(['write:a'])
  })

  it('includes the resource that leaves the key, with --only', () => {
    const plan = planOf({ blocks: swapped, rows: rowsOf('a', 'b'), options: { only: new Set(['a']) } })
    expect([codesOf(plan), tell(plan)]).toEqual([[], ['update a /keyname', 'update b /keyname']])
  })

  it('is an error if the resource with the key keeps it', () => {
    const [one, other] = rowsOf('a', 'b')
    const blocks = { b: blockOf(1, 'a'), c: blockOf(2, 'b') }
    const plan = planOf({ blocks, rows: [one as Row, { ...(other as Row), manager: 'other' }] })
    expect(codesOf(plan)).toEqual(['plan/foreign', 'resource/key-taken'])
    expect(plan.issues[1]?.message).toBe(
      'the key "b" is in use by resource 2 (resource_group), which keeps it',
    )
  })
})
