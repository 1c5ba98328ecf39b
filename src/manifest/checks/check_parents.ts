import { descriptorOf, isAllowedParent } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import { findHint } from '../../core/suggest.ts'
import { type BlockTree, clsOf } from '../block_tree.ts'
import { type Block, blockIssue, formatClasses, placeOf } from '../manifest_block.ts'

/** Checks that each managed resource has a parent, and that the parent allows its class. */
export function checkParents({ blocks, complete }: BlockTree): Issue[] {
  return [...blocks.values()].flatMap((block) => {
    if (block.parent === undefined) return block.existing ? [] : [withoutParent(block)]
    const parent = blocks.get(block.parent)
    if (parent === undefined) return complete ? [unknownParent(block, [...blocks.keys()])] : []
    return checkParentClass(block, parent)
  })
}

function withoutParent(block: Block): Issue {
  return blockIssue(block, {
    code: 'manifest/unknown-parent',
    pointer: '',
    message: 'has no parent',
    hint: 'nest it under children: of another resource, or set parent:; for the root of the server, write root: { existing: true, id: 0 }',
    at: 'key',
  })
}

function unknownParent(block: Block, keys: readonly string[]): Issue {
  const parent = block.parent ?? ''
  return blockIssue(block, {
    code: 'manifest/unknown-reference',
    pointer: '/parent',
    message: `unknown resource ${JSON.stringify(parent)}`,
    hint:
      findHint(parent, keys) ?? 'use a key of this manifest; declare unmanaged resources with existing: true',
  })
}

function checkParentClass(block: Block, parent: Block): Issue[] {
  const cls = block.cls
  const parentCls = clsOf(parent)
  if (cls === undefined || parentCls === undefined || isAllowedParent(cls, parentCls)) return []
  const { parents } = descriptorOf(cls)
  return [
    blockIssue(block, {
      code: 'manifest/wrong-parent',
      pointer: block.value.parent === undefined ? '' : '/parent',
      message: `class ${cls} is not allowed under ${JSON.stringify(parent.key)}, which is a ${parentCls}`,
      hint: `move it under a resource of class ${formatClasses(parents)}`,
      at: block.value.parent === undefined ? 'key' : 'value',
    }),
  ]
}

/** Reports each cycle of parents at its first block. */
export function checkCycles(cycles: readonly (readonly Block[])[]): Issue[] {
  return cycles.flatMap((cycle) => {
    const [first] = cycle
    if (first === undefined) return []
    const path = [...cycle.map(({ key }) => key), first.key].join(' is under ')
    const others = cycle.slice(1).map((block) => `${block.key}: ${placeOf(block)}`)
    return blockIssue(first, {
      code: 'manifest/cycle',
      pointer: '/parent',
      message: cycle.length === 1 ? 'it is its own parent' : `the parents form a cycle: ${path}`,
      ...(others.length > 0 ? { hint: others.join(', ') } : {}),
    })
  })
}

/** Checks that siblings have different display names. */
export function checkNames({ blocks }: BlockTree): Issue[] {
  const seen = new Map<string, Block>()
  return [...blocks.values()].flatMap((block) => {
    const name = block.value.display_name
    if (typeof name !== 'string' || block.parent === undefined) return []
    const place = JSON.stringify([block.parent, name])
    const first = seen.get(place)
    if (first === undefined) {
      seen.set(place, block)
      return []
    }
    return [
      blockIssue(block, {
        code: 'manifest/duplicate-name',
        pointer: '/display_name',
        message: `its sibling ${JSON.stringify(first.key)} has the same display name in ${placeOf(first)}`,
        hint: 'rename one of them',
      }),
    ]
  })
}
