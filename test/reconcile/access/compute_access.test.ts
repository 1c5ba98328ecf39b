import { describe, expect, test } from 'vitest'
import { describeAccess } from '../../../src/reconcile/access/describe_access.ts'
import { computeAccess } from '../../../src/reconcile/access/plan_access.ts'
import { type Block, type Case, manifestOf, planOf, type Row, ruleOf, treeOf } from '../support/literals.ts'

const users = [
  { id: 4, keyname: 'administrator', system: false, member_of: [5] },
  { id: 6, keyname: 'editors', system: false, member_of: [7] },
]

/** Says what the blocks change, a line each: `gain group:editors existing a: resource.read`. */
function tellAccess(blocks: Record<string, Block>, rows: readonly Row[], more: Partial<Case> = {}): string[] {
  const one = { blocks, rows, ...more }
  const input = { plan: planOf(one), manifest: manifestOf(blocks), actual: treeOf(rows, more.head) }
  return computeAccess(input, users).changes.map(
    ({ change, principals, on, resources, permissions, implied }) =>
      `${change} ${principals.join(' ')} ${on} ${resources.map(({ key }) => key).join(' ')}: ${permissions.join(' ')}${implied ? ' (implied)' : ''}`,
  )
}

const wire = (principal: number, more: object = {}) => ({
  action: 'allow',
  principal: { id: principal },
  identity: '',
  scope: 'resource',
  permission: 'read',
  propagate: true,
  ...more,
})
const open: Block = { existing: true, id: 0, permissions: { owns: 'listed', rules: [ruleOf('guest')] } }

describe('the permissions of a plan', () => {
  test('follow a resource that moves to a group with other rules', () => {
    const blocks = {
      root: open,
      shut: {},
      free: { permissions: { owns: 'all' as const, rules: [ruleOf('guest', { propagate: true })] } },
      map: { parent: 'free' },
    }
    const rows = [
      { id: 1, key: 'shut' },
      { id: 2, key: 'free', rules: [wire(1)] },
      { id: 3, key: 'map', parent: 1 },
    ]
    expect(tellAccess(blocks, rows)).toEqual(['gain user:guest existing root free map: resource.read'])
  })

  test('reach resources that move out of a deleted one, and not those that are deleted with it', () => {
    const rules = [ruleOf('guest', { propagate: true })]
    const root: Block = { existing: true, id: 0, permissions: { owns: 'listed', rules } }
    const rows = [
      { id: 1, key: 'gone' },
      { id: 2, key: 'below', parent: 1, manager: null },
      { id: 3, key: 'kept', parent: 1 },
    ]
    const options = { prune: true, fuse: 1, allowDelete: new Set(['gone', 'below']) }
    expect(tellAccess({ root, kept: {} }, rows, { options })).toEqual([
      'gain user:guest existing root kept: resource.read',
    ])
  })

  test('of a user in rules are implied by those of its group', () => {
    const rules = [ruleOf('group:editors', { propagate: true }), ruleOf('user:editors', { propagate: true })]
    const root: Block = { existing: true, id: 0, permissions: { owns: 'listed', rules } }
    expect(tellAccess({ root }, [])).toEqual([
      'gain group:editors existing root: resource.read',
      'gain user:editors existing root: resource.read (implied)',
    ])
  })

  test('of administrators are not reported for new resources', () => {
    const rules = [ruleOf('group:administrators', { propagate: true })]
    const root: Block = { existing: true, id: 0, permissions: { owns: 'listed', rules } }
    expect(tellAccess({ root, new: {} }, [])).toEqual([
      'gain group:administrators existing root: resource.read',
    ])
  })

  test('are incomplete for an account that cannot read the whole tree', () => {
    const head = { complete: false, administrator: false }
    const blocks = { root: open }
    const input = {
      plan: planOf({ blocks, rows: [], head }),
      manifest: manifestOf(blocks),
      actual: treeOf([], head),
    }
    expect(computeAccess(input, undefined)).toMatchObject({ complete: false, users: false })
    expect(computeAccess({ ...input, plan: { ...input.plan, changes: [] } }, undefined).changes).toEqual([])
  })

  test('that signed-in users gain name who is denied them', () => {
    const signedIn = ruleOf('user:authenticated', { propagate: true })
    const denied = ruleOf('user:editors', { action: 'deny', propagate: true })
    const blocks: Record<string, Block> = {
      root: { existing: true, id: 0, permissions: { owns: 'listed', rules: [signedIn] } },
      secrets: { permissions: { owns: 'all', rules: [denied] } },
    }
    const one = { blocks, rows: [] }
    const input = { plan: planOf(one), manifest: manifestOf(blocks), actual: treeOf([]) }
    const { changes } = computeAccess(input, users)
    expect(describeAccess(changes).map(({ sentence, names }) => `${sentence}: ${names}`)).toEqual([
      'signed-in users gain read on 1 resource group: root',
      'signed-in users, except user editors, gain read on 1 new resource group: secrets',
    ])
  })

  describe('names rules without effect', () => {
    /** Says which rules have no effect, a line each: `user:guest a without root`. */
    function tellBlocked(blocks: Record<string, Block>, rows: readonly Row[] = []): string[] {
      const one = { blocks, rows }
      const input = { plan: planOf(one), manifest: manifestOf(blocks), actual: treeOf(rows) }
      return computeAccess(input, [
        ...users,
        { id: 8, keyname: 'ada', system: false, member_of: [7, 9] },
      ]).blocked.map(
        ({ principal, resources, unreadable }) =>
          `${principal} ${resources.map(({ key }) => key).join(' ')} without ${unreadable.key}`,
      )
    }
    const shared = (...names: string[]): Block => ({
      permissions: { owns: 'all', rules: names.map((name) => ruleOf(name, { propagate: true })) },
    })

    test('of users who cannot read a resource above', () => {
      expect(
        tellBlocked({ a: shared('guest', 'group:editors'), b: { parent: 'a', ...shared('guest') } }),
      ).toEqual(['group:editors a without root', 'user:guest a b without root'])
    })

    test('but not of those who can, of those with another rule against them, and of old rules', () => {
      const deny = { ...ruleOf('guest'), action: 'deny' as const }
      const shut: Block = { existing: true, id: 0, permissions: { owns: 'listed', rules: [deny] } }
      expect(tellBlocked({ root: open, a: shared('guest', 'everyone', 'group:administrators') })).toEqual([])
      expect(tellBlocked({ root: shut, a: shared('guest') })).toEqual([])
      expect(tellBlocked({ a: shared('guest') }, [{ id: 1, key: 'a', rules: [wire(1)] }])).toEqual([])
    })
  })
})
