import { describe, expect, test } from 'vitest'
import { allEffectivePermissions, effectivePermissions } from '../../src/access/evaluate.ts'
import type { AccessResource, AccessRule, AccessSubject, Key } from '../../src/access/tree.ts'

const rule = (words: string, more: Partial<AccessRule> = {}): AccessRule => {
  const [action, principal = '', name = ''] = words.split(' ')
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
  owner: 'somebody',
  rules,
})

const anna: AccessSubject = {
  user: 'anna',
  principals: new Set(['anna', 'editors', 'everyone', 'authenticated']),
  ownerPrincipal: 'owner',
}

const ask = (tree: Readonly<Record<string, AccessResource>>, key: string, subject = anna) => [
  ...effectivePermissions(new Map(Object.entries(tree)), key, subject),
]

describe('effective permissions', () => {
  test('are none without rules', () => {
    expect(ask({ root: group(undefined) }, 'root')).toEqual([])
  })

  test('come from rules of the user, its groups, everyone and authenticated, and of nobody else', () => {
    for (const principal of ['anna', 'editors', 'everyone', 'authenticated'])
      expect(ask({ root: group(undefined, rule(`allow ${principal} resource.read`)) }, 'root')).toEqual([
        'resource.read',
      ])
    expect(ask({ root: group(undefined, rule('allow bob resource.read')) }, 'root')).toEqual([])
  })

  test('are those of the scopes of the class', () => {
    const everything = ask({ root: group(undefined, rule('allow anna')) }, 'root')
    expect(everything).toHaveLength(8)
    expect(everything).toContain('metadata.write')
    expect(everything).not.toContain('data.read')
  })

  test('are taken away by a deny, however near the allow is', () => {
    const tree = {
      root: group(undefined, rule('allow anna'), rule('deny everyone resource.update')),
      maps: group('root', rule('allow anna resource.update')),
    }
    expect(ask(tree, 'maps')).not.toContain('resource.update')
    expect(ask(tree, 'maps')).toContain('resource.delete')
  })

  test('do not come down from a rule that does not propagate', () => {
    const tree = {
      root: group(undefined, rule('allow anna', { propagate: false })),
      maps: group('root'),
    }
    expect(ask(tree, 'root')).not.toEqual([])
    expect(ask(tree, 'maps')).toEqual([])
  })

  test('follow the class of the resource asked about, not of the one that carries the rule', () => {
    const tree = {
      root: group(
        undefined,
        rule('allow anna resource.read'),
        rule('allow anna data', { identity: 'vector_layer' }),
      ),
      roads: { ...group('root'), cls: 'vector_layer' as const },
      scan: { ...group('root'), cls: 'raster_layer' as const },
    }
    expect(ask(tree, 'roads')).toEqual(['resource.read', 'data.read', 'data.write'])
    expect(ask(tree, 'scan')).toEqual(['resource.read'])
  })

  test('follow the owner of the resource asked about', () => {
    const tree = {
      root: group(undefined, rule('allow anna resource.read'), rule('allow owner resource.delete')),
      hers: { ...group('root'), owner: 'anna' },
      his: { ...group('root'), owner: 'bob' },
    }
    expect(ask(tree, 'hers')).toContain('resource.delete')
    expect(ask(tree, 'his')).not.toContain('resource.delete')
  })

  test('need reading on every resource above', () => {
    const tree = {
      root: group(undefined, rule('allow anna resource.read', { propagate: false })),
      hidden: group('root'),
      inner: group('hidden', rule('allow anna')),
    }
    expect(ask(tree, 'inner')).toEqual([])
  })

  test('count only while what they require counts', () => {
    const tree = { root: group(undefined, rule('allow anna resource.update')) }
    expect(ask(tree, 'root')).toEqual([])
    const layer = {
      root: { ...group(undefined, rule('allow anna resource.read'), rule('allow anna data.write')) },
    }
    expect(ask({ root: { ...layer.root, cls: 'vector_layer' } }, 'root')).toEqual(['resource.read'])
  })

  test('need the connection for data of a layer that has one, and the layer for data of a style', () => {
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
      expect(ask(tree('allow'), key), key).toEqual(['resource.read', 'data.read', 'data.write'])
      expect(ask(tree('deny'), key), key).toEqual(['resource.read'])
    }
  })

  test('are all of the class for a superuser', () => {
    const superuser = { ...anna, superuser: true }
    expect(ask({ root: group(undefined, rule('deny anna')) }, 'root', superuser)).toHaveLength(8)
  })

  test('match nothing by a permission without its scope', () => {
    const loose = rule('allow anna', { permission: 'read' })
    expect(ask({ root: group(undefined, loose) }, 'root')).toEqual([])
  })

  test('are none below a resource that is not in the tree', () => {
    expect(ask({ lost: group('gone', rule('allow anna')) }, 'lost')).toEqual([])
  })

  test('end on a tree that runs in a circle', () => {
    const tree = { a: group('b', rule('allow anna')), b: group('a', rule('allow anna')) }
    expect(ask(tree, 'a')).toEqual([])
  })

  test('are the same one by one and all at once', () => {
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
