import { describe, expect, test } from 'vitest'
import type { AccessResource, AccessRule, AccessSubject, Key } from '../../src/access/access_tree.ts'
import { allEffectivePermissions, effectivePermissions } from '../../src/access/evaluate_access.ts'

const rule = (text: string, more: Partial<AccessRule> = {}): AccessRule => {
  const [action, principal = '', name = ''] = text.split(' ')
  const [scope = '', permission = ''] = name.split('.')
  return {
    action: action === 'deny' ? 'deny' : 'allow',
    principal,
    identity: '',
    scope,
    permission,
    propagate: true,
    ...more,
  }
}

const group = (parent: Key | undefined, ...rules: AccessRule[]): AccessResource => ({
  cls: 'resource_group',
  parent,
  owner: 'bob',
  rules,
})

const anna: AccessSubject = {
  user: 'anna',
  principals: new Set(['anna', 'editors', 'everyone', 'authenticated']),
  ownerPrincipal: 'owner',
}

const permissionsOn = (tree: Readonly<Record<string, AccessResource>>, key: string, subject = anna) => [
  ...effectivePermissions(new Map(Object.entries(tree)), key, subject),
]

describe('effective permissions', () => {
  test('are empty without rules', () => {
    expect(permissionsOn({ root: group(undefined) }, 'root')).toEqual([])
  })

  test('come from rules of the user, its groups, everyone and authenticated only', () => {
    for (const principal of ['anna', 'editors', 'everyone', 'authenticated'])
      expect(
        permissionsOn({ root: group(undefined, rule(`allow ${principal} resource.read`)) }, 'root'),
      ).toEqual(['resource.read'])
    expect(permissionsOn({ root: group(undefined, rule('allow bob resource.read')) }, 'root')).toEqual([])
  })

  test('are limited to the scopes of the class', () => {
    const everything = permissionsOn({ root: group(undefined, rule('allow anna')) }, 'root')
    expect(everything).toHaveLength(8)
    expect(everything).toContain('metadata.write')
    expect(everything).not.toContain('data.read')
  })

  test('are removed by a deny, even if an allow is nearer', () => {
    const tree = {
      root: group(undefined, rule('allow anna'), rule('deny everyone resource.update')),
      maps: group('root', rule('allow anna resource.update')),
    }
    expect(permissionsOn(tree, 'maps')).not.toContain('resource.update')
    expect(permissionsOn(tree, 'maps')).toContain('resource.delete')
  })

  test('are not inherited from a rule that does not propagate', () => {
    const tree = {
      root: group(undefined, rule('allow anna', { propagate: false })),
      maps: group('root'),
    }
    expect(permissionsOn(tree, 'root')).not.toEqual([])
    expect(permissionsOn(tree, 'maps')).toEqual([])
  })

  test('depend on the class of the evaluated resource, not of the one with the rule', () => {
    const tree = {
      root: group(
        undefined,
        rule('allow anna resource.read'),
        rule('allow anna data', { identity: 'vector_layer' }),
      ),
      roads: { ...group('root'), cls: 'vector_layer' as const },
      scan: { ...group('root'), cls: 'raster_layer' as const },
    }
    expect(permissionsOn(tree, 'roads')).toEqual(['resource.read', 'data.read', 'data.write'])
    expect(permissionsOn(tree, 'scan')).toEqual(['resource.read'])
  })

  test('depend on the owner of the evaluated resource', () => {
    const tree = {
      root: group(undefined, rule('allow anna resource.read'), rule('allow owner resource.delete')),
      hers: { ...group('root'), owner: 'anna' },
      his: { ...group('root'), owner: 'bob' },
    }
    expect(permissionsOn(tree, 'hers')).toContain('resource.delete')
    expect(permissionsOn(tree, 'his')).not.toContain('resource.delete')
  })

  test('require reading on every ancestor', () => {
    const tree = {
      root: group(undefined, rule('allow anna resource.read', { propagate: false })),
      hidden: group('root'),
      inner: group('hidden', rule('allow anna')),
    }
    expect(permissionsOn(tree, 'inner')).toEqual([])
  })

  test('are held only if their requirements are held', () => {
    const tree = { root: group(undefined, rule('allow anna resource.update')) }
    expect(permissionsOn(tree, 'root')).toEqual([])
    const layer = {
      root: { ...group(undefined, rule('allow anna resource.read'), rule('allow anna data.write')) },
    }
    expect(permissionsOn({ root: { ...layer.root, cls: 'vector_layer' } }, 'root')).toEqual(['resource.read'])
  })

  test('require the connection for data of its layers, and the layer for data of a style', () => {
    const tree = (connect: string) => ({
      root: group(undefined, rule('allow anna resource.read'), rule('allow anna data')),
      link: {
        ...group('root', rule(`${connect} anna connection.connect`)),
        cls: 'geodb_connection' as const,
      },
      layer: { ...group('root'), cls: 'geodb_layer' as const, connection: 'link' },
      style: { ...group('layer'), cls: 'mapsrv_style' as const },
    })
    for (const key of ['layer', 'style']) {
      expect(permissionsOn(tree('allow'), key), key).toEqual(['resource.read', 'data.read', 'data.write'])
      expect(permissionsOn(tree('deny'), key), key).toEqual(['resource.read'])
    }
  })

  test('are all those of the class for a superuser', () => {
    const superuser = { ...anna, superuser: true }
    expect(permissionsOn({ root: group(undefined, rule('deny anna')) }, 'root', superuser)).toHaveLength(8)
  })

  test('are not granted by a permission without its scope', () => {
    const loose = rule('allow anna', { permission: 'read' })
    expect(permissionsOn({ root: group(undefined, loose) }, 'root')).toEqual([])
  })

  test('are empty below a parent that is not in the tree', () => {
    expect(permissionsOn({ lost: group('gone', rule('allow anna')) }, 'lost')).toEqual([])
  })

  test('terminate on a cycle of parents', () => {
    const tree = { a: group('b', rule('allow anna')), b: group('a', rule('allow anna')) }
    expect(permissionsOn(tree, 'a')).toEqual([])
  })

  test('are the same one by one and for the entire tree', () => {
    const tree = new Map<Key, AccessResource>([
      [0, group(undefined, rule('allow anna resource.read'))],
      [1, group(0, rule('allow anna resource.update'))],
      [2, group(1, rule('deny anna resource.read'))],
    ])
    const all = allEffectivePermissions(tree, anna)
    expect([...all].map(([key, held]) => [key, [...held]])).toEqual([
      [0, ['resource.read']],
      [1, ['resource.read', 'resource.update']],
      [2, []],
    ])
    for (const [key, held] of all) expect(effectivePermissions(tree, key, anna)).toEqual(held)
  })
})
