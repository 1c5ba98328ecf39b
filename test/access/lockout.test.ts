import { describe, expect, test } from 'vitest'
import type { AccessResource, AccessRule, AccessSubject, Key } from '../../src/access/access_tree.ts'
import { findManaged } from '../../src/access/lockout.ts'

const rule = (text: string, more: Partial<AccessRule> = {}): AccessRule => {
  const [action, principal = '', name = ''] = text.split(' ')
  const [scope = '', permission = ''] = name.split('.')
  const parts = { principal, identity: '', scope, permission, propagate: true }
  return { action: action === 'deny' ? 'deny' : 'allow', ...parts, ...more }
}

const group = (parent: Key | undefined, owner: Key, ...rules: AccessRule[]): AccessResource => ({
  cls: 'resource_group',
  parent,
  owner,
  rules,
})

const administrator = (user: string, ...groups: string[]): AccessSubject => ({
  user,
  principals: new Set([user, 'administrators', 'everyone', ...groups]),
  ownerPrincipal: 'owner',
})
const ada = administrator('ada')
const bob = administrator('bob', 'crew')

const managed = (resources: Readonly<Record<string, AccessResource>>, ...subjects: AccessSubject[]) => {
  const tree = new Map(Object.entries(resources))
  return [...findManaged(tree, subjects, tree.keys())].sort()
}

const root = group(undefined, 'ada', rule('allow administrators'))

describe('resources that an administrator can manage', () => {
  test('are those of any administrator, and none without administrators', () => {
    expect(managed({ root, maps: group('root', 'ada') }, ada)).toEqual(['maps', 'root'])
    expect(managed({ root }, ada, bob)).toEqual(['root'])
    expect(managed({ root })).toEqual([])
  })

  test.each(['administrators', 'everyone', 'ada', 'owner'])('are lost by a deny for %s', (principal) => {
    for (const name of ['', 'resource', 'resource.read', 'resource.update', 'resource.change_permissions']) {
      const maps = group('root', 'ada', rule(`deny ${principal} ${name}`))
      expect(managed({ root, maps, inner: group('maps', 'ada') }, ada), name).toEqual(['root'])
    }
    const maps = group('root', 'ada', rule(`deny ${principal} resource.delete`))
    expect(managed({ root, maps }, ada)).toEqual(['maps', 'root'])
  })

  test('are kept by another administrator whom the deny does not apply to', () => {
    const maps = group('root', 'ada', rule('deny owner'), rule('deny ada'))
    expect(managed({ root, maps }, ada, bob)).toEqual(['maps', 'root'])
    const crew = group('root', 'ada', rule('deny owner'), rule('deny crew'))
    expect(managed({ root, crew }, ada, bob)).toEqual(['root'])
  })

  test('require all permissions of one administrator', () => {
    const maps = group(
      'root',
      'x',
      rule('deny ada resource.change_permissions'),
      rule('deny bob resource.read'),
    )
    expect(managed({ root, maps }, ada, bob)).toEqual(['root'])
  })

  test('are all of them for a superuser', () => {
    const maps = group('root', 'ada', rule('deny everyone'))
    expect(managed({ root, maps }, { ...ada, superuser: true })).toEqual(['maps', 'root'])
  })
})
