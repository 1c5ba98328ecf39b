import { expect, test } from 'vitest'
import { explainPermission } from '../../src/access/explain.ts'
import type { AccessRule, AccessTree } from '../../src/access/tree.ts'

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

test('a rule from above is named with the resource it stands on', () => {
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

test('a deny decides against all that allow, and both are named', () => {
  const { result, reasons } = explain('layer', 'data.write')
  expect(result).toBe(false)
  expect(reasons.flatMap((reason) => (reason.type === 'acl_rule' ? [reason.result] : []))).toEqual([
    true,
    false,
  ])
})

test('rules for owners count for what one owns, rules for another class do not', () => {
  expect(explain('layer', 'metadata.read').result).toBe(true)
  expect(explain('layer', 'datastruct.read').reasons).toContainEqual({ type: 'default', result: false })
})

test('a style names what its layer lacks', () => {
  const { result, reasons } = explain('style', 'data.read')
  expect(result).toBe(true)
  expect(
    reasons.map((reason) => (reason.type === 'requirement' ? [reason.of, reason.satisfied] : reason.type)),
  ).toEqual([['self', true], ['parent', true], 'acl_rule'])
})

test('what a class does not have, and what is not there, is not held', () => {
  const nothing = { result: false, reasons: [{ type: 'default', result: false }] }
  expect(explain('root', 'data.read')).toEqual(nothing)
  expect(explain('nowhere', 'resource.read')).toEqual(nothing)
})

test('superusers need no rule', () => {
  const subject = { ...anna, superuser: true }
  expect(explainPermission(tree, subject, { key: 'layer', permission: 'data.write' })).toEqual({
    result: true,
    reasons: [{ type: 'default', result: true }],
  })
})
