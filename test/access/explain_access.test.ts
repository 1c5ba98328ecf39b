import { expect, test } from 'vitest'
import type { AccessRule, AccessTree } from '../../src/access/access_tree.ts'
import { explainPermission } from '../../src/access/explain_access.ts'

const rule = (action: 'allow' | 'deny', scope: string, permission: string, more = {}): AccessRule => ({
  action,
  principal: 'anna',
  identity: '',
  scope,
  permission,
  propagate: true,
  ...more,
})

const tree: AccessTree = new Map([
  [
    'root',
    { cls: 'resource_group', parent: undefined, owner: 'boss', rules: [rule('allow', 'resource', 'read')] },
  ],
  [
    'layer',
    {
      cls: 'vector_layer',
      parent: 'root',
      owner: 'anna',
      rules: [
        rule('allow', 'data', ''),
        rule('deny', 'data', 'write'),
        rule('allow', 'metadata', 'read', { principal: 'owner' }),
        rule('allow', 'datastruct', 'read', { identity: 'raster_layer' }),
      ],
    },
  ],
  ['style', { cls: 'mapsrv_style', parent: 'layer', owner: 'boss', rules: [] }],
])
const anna = { user: 'anna', principals: new Set(['anna', 'everyone']), ownerPrincipal: 'owner' }

const explain = (key: string, permission: Parameters<typeof explainPermission>[2]['permission']) =>
  explainPermission(tree, anna, { key, permission })

test('reports an inherited rule with its resource', () => {
  expect(explain('layer', 'resource.read')).toEqual({
    result: true,
    reasons: [
      {
        type: 'requirement',
        permission: 'resource.read',
        of: 'parent',
        resource: 'root',
        satisfied: true,
        reasons: [
          { type: 'acl_rule', result: true, resource: 'root', rule: rule('allow', 'resource', 'read') },
        ],
      },
      { type: 'acl_rule', result: true, resource: 'root', rule: rule('allow', 'resource', 'read') },
    ],
  })
})

test('reports both the deny and the allow that it overrides', () => {
  const { result, reasons } = explain('layer', 'data.write')
  expect(result).toBe(false)
  expect(reasons.flatMap((reason) => (reason.type === 'acl_rule' ? [reason.result] : []))).toEqual([
    true,
    false,
  ])
})

test('applies owner rules to owned resources, and no rules for other classes', () => {
  expect(explain('layer', 'metadata.read').result).toBe(true)
  expect(explain('layer', 'datastruct.read').reasons).toContainEqual({ type: 'default', result: false })
})

test('reports the requirements of a style on its layer', () => {
  const { result, reasons } = explain('style', 'data.read')
  expect(result).toBe(true)
  expect(
    reasons.map((reason) => (reason.type === 'requirement' ? [reason.of, reason.satisfied] : reason.type)),
  ).toEqual([['self', true], ['parent', true], 'acl_rule'])
})

test('denies permissions that the class does not have, and those on missing resources', () => {
  const denied = { result: false, reasons: [{ type: 'default', result: false }] }
  expect(explain('root', 'data.read')).toEqual(denied)
  expect(explain('nowhere', 'resource.read')).toEqual(denied)
})

test('superusers need no rule', () => {
  const subject = { ...anna, superuser: true }
  expect(explainPermission(tree, subject, { key: 'layer', permission: 'data.write' })).toEqual({
    result: true,
    reasons: [{ type: 'default', result: true }],
  })
})
